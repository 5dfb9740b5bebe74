"""A class of a user's own file as the model of an evaluator: ``path/to/file.py:ClassName``, as in ``custom:``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sentflow.api.arguments import ArgumentError
from sentflow.api.embedding import encode_rows, features_of_columns, text_columns
from sentflow.config.problems.encoders import custom_problems
from sentflow.encoders.arrays import FloatArray
from sentflow.encoders.custom_class import EMBED
from sentflow.encoders.fetch import fetch_model
from sentflow.encoders.kinds.custom import CustomCode, CustomEncoder, CustomFeaturiser, CustomLazyEncoder
from sentflow.encoders.settings import CUSTOM
from sentflow.probing.features.featurised import ALL


def is_reference(model: Any) -> bool:
    """Whether a model is given as the class of a file."""
    return isinstance(model, str) and ".py:" in model


class OwnEncoder:
    """Features by a user's class, with ``encode`` or ``embed``, lazy or not; see docs/own-encoder.md.

    Attributes
    ----------
    lazy
        Whether the class learns from the training part of each fold.
    """

    def __init__(self, reference: str, arguments: Mapping[str, Any]) -> None:
        entry = {"kind": CUSTOM, "custom": reference, "arguments": dict(arguments)}
        if problems := custom_problems("own", entry):
            told = [problem.removeprefix("models.own.").removeprefix("custom: ") for problem in problems]
            raise ArgumentError(f"sentence_model={reference!r}: {' '.join(told)}")
        manifest = fetch_model("own", entry, Path())
        self.lazy: bool = manifest.settings["lazy"]
        self._code = CustomCode.load(manifest, offline=False)
        self._embeds = manifest.settings["level"] == EMBED
        self._featuriser = CustomFeaturiser(self._code)
        self._encoder = None if self._embeds or self.lazy else CustomEncoder(self._code)
        self._fitted: CustomLazyEncoder | None = None

    def features(
        self, texts_a: list[str], texts_b: list[str] | None, *, task: str, data_split: str, alternatives: bool
    ) -> FloatArray:
        """(n, D) float32 features of n rows, as in the pipeline."""
        if self.lazy == (data_split == ALL):
            wanted = "'train', then 'eval' and 'test'" if self.lazy else "'all'"
            raise ArgumentError(
                f"data_split is {data_split!r}, but {self._code.name} is {'' if self.lazy else 'not '}lazy. "
                f"Call embed for data_split={wanted}."
            )
        begins = data_split in (ALL, "train")
        if self._embeds:
            if begins:
                self._featuriser.start()
            return self._featuriser.embed(texts_a, texts_b, task=task, split=data_split)
        if self._encoder is not None:
            return encode_rows(
                self._encoder, texts_a, texts_b, alternatives=alternatives, task=task, options={}
            )
        columns = text_columns(texts_a, texts_b, alternatives=alternatives)
        if begins:
            self._fitted = CustomLazyEncoder(self._code, task=task)
            self._fitted.fit([text for column in columns for text in column])
        if self._fitted is None:
            raise ArgumentError(
                f"{self._code.name} has not been fitted yet. Call embed for data_split='train'."
            )
        vectors = [self._fitted.transform(column) for column in columns]
        return features_of_columns(vectors, alternatives=alternatives)
