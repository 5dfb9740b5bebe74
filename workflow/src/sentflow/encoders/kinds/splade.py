"""Kind ``splade``: from the folder of a masked-language model to weights of the terms of its vocabulary.

The weight of a term is the maximum (or sum) over the tokens of a text of log(1 + ReLU(m)), where m is the score that
the model gives the term at a token; padding does not count (the maximum: Formal et al. 2021, "SPLADE v2", arXiv
2109.10086; the sum: Formal, Piwowarski and Clinchant 2021, arXiv 2107.05720).
"""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array
from sentence_transformers import SparseEncoder
from sentence_transformers.sparse_encoder.modules import SpladePooling
from transformers import PreTrainedTokenizerBase
from transformers.utils import logging as transformers_logging

from sentflow.encoders.kind import Context, kind
from sentflow.encoders.manifest import Description, Manifest, checked_folder
from sentflow.encoders.neural.encoder import NeuralEncoder, on_device
from sentflow.encoders.neural.load import (
    OFFLINE,
    check_padding,
    check_weights,
    devices_for,
    loading,
    loading_arguments,
    make_ready,
    tokenizer_in,
    transformer_in,
)
from sentflow.encoders.safety import (
    check_module,
    check_own_modules,
    damaged,
    describe_plain,
    map_of,
    modules_of,
    read_settings,
    whole_number,
)
from sentflow.encoders.settings import SpladeSettings, TermSettings
from sentflow.encoders.vectors.sparse import SPARSE_FORM, largest_values, vocabulary_sha256
from sentflow.encoders.vectors.storage import Batch, Vectors, named_rows
from sentflow.errors import ConfigError, DataError

logger = logging.getLogger(__name__)


class TermEncoder(NeuralEncoder):
    """An encoder that weighs the terms of its vocabulary."""

    _settings: TermSettings

    def __init__(self, models: Sequence[Any], settings: TermSettings, *, tokenizer: Any, **more: Any) -> None:
        super().__init__(models, settings, tokenizer=tokenizer, **more)
        if not isinstance(tokenizer, PreTrainedTokenizerBase):
            raise DataError(
                "the tokenizer of the model is none of transformers, so that its terms have no names."
            )
        self.vocabulary_sha256 = vocabulary_sha256(tokenizer.get_vocab())

    def encode_batches(
        self, texts: Sequence[str], batches: Iterable[Batch], *, role: str, task: str | None
    ) -> Iterator[Vectors]:
        """Texts without any term are told in the log."""
        batches, empty = list(batches), []
        computed = super().encode_batches(texts, batches, role=role, task=task)
        for batch, found in zip(batches, computed, strict=True):
            weights = getattr(found, "weights", found)
            empty += batch.rows[np.diff(weights.indptr) == 0].tolist()
            yield found
        if empty:
            logger.warning(
                "%d of %d texts have no term with a weight above 0 and find nothing: %s",
                *(len(empty), len(texts), named_rows(sorted(empty), texts)),
            )


# Classes of sentence-transformers that give scores of words; the second is the older name of the first
_OF_WORDS = ("Transformer", "MLMTransformer")
_SPLADE_POOLING = "SpladePooling"
# Endings of the classes of transformers whose weights have a layer that predicts words
_PREDICTS = ("ForMaskedLM", "ForPreTraining")
_POOLINGS = ("max", "sum")
_ACTIVATIONS = ("relu", "log1p_relu")


def describe(entry: Mapping[str, Any], folder: Path) -> Description:
    """Read the description of a masked-language model, or of a SparseEncoder of sentence-transformers.

    ``dimension`` is the number of terms; ``pooling`` is ``max`` or ``sum``, None where the files do not say. Raises
    ConfigError: it predicts no words, has other modules, or is not safe to load.
    """
    place, pooling = folder, None
    if modules := modules_of(folder):
        check_own_modules([kind for kind, _ in modules], folder)
        names = [kind.rsplit(".", 1)[-1] for kind, _ in modules]
        if names not in ([first, _SPLADE_POOLING] for first in _OF_WORDS):
            raise ConfigError(
                f"{folder}: its modules are {', '.join(names)}, and a model of kind splade has {_OF_WORDS[0]} and "
                f"{_SPLADE_POOLING}. Choose a SparseEncoder of this form, or a masked-language model as transformers "
                "saves it; a model of dense vectors is of kind sentence-transformers."
            )
        place = folder / modules[0][1]
        check_module("Transformer", place, allow_pickle=bool(entry.get("allow_pickle")))
        pooling = _pooling_in(folder / modules[1][1] / "config.json")
    description = describe_plain(entry, place)
    config = map_of(place / "config.json")
    names = config.get("architectures") or ["nothing"]
    if not str(names[0]).endswith(_PREDICTS):
        raise ConfigError(
            f"{place}: config.json names {names[0]}, which predicts no words: SPLADE reads the scores that a "
            f"masked-language model gives every word of its vocabulary. Choose a …{_PREDICTS[0]}."
        )
    vocabulary = whole_number(config, "vocab_size", place / "config.json")
    return replace(description, dimension=vocabulary, pooling=pooling)


def _pooling_in(path: Path) -> str:
    config = read_settings(path)
    pooling, activation = config.get("pooling_strategy", "max"), config.get("activation_function", "relu")
    if pooling not in _POOLINGS or activation not in _ACTIVATIONS:
        raise DataError(
            damaged(
                path,
                f"pooling_strategy must be one of {', '.join(_POOLINGS)}, activation_function one of "
                f"{', '.join(_ACTIVATIONS)}",
            )
        )
    return str(pooling)


@kind("splade")
class SpladeEncoder(TermEncoder):
    """Weights of terms by SPLADE. `models`: the same `SparseEncoder` on one device or several."""

    form = SPARSE_FORM

    @classmethod
    def load(cls, manifest: Manifest, settings: SpladeSettings, context: Context) -> Self:
        folder = checked_folder(manifest, context.model_files)
        # Once more: files that the manifest does not name may have come into the folder since
        describe(manifest.settings, folder)
        allow_pickle = bool(manifest.settings["allow_pickle"])
        models = [
            _model(folder, settings, device, allow_pickle=allow_pickle)
            for device in devices_for(context.devices, dtype=settings.dtype)
        ]
        return cls(
            models,
            settings,
            dimension=models[0].get_embedding_dimension(),
            tokenizer=tokenizer_in(models[0]),
            limit=models[0].max_seq_length,
            threads=context.threads,
            prompts=models[0].prompts,
            default_prompt=models[0].default_prompt_name,
        )

    def _features(self, texts: Sequence[str], batch: Batch, prompt: str | None, role: str) -> dict[str, Any]:
        features = super()._features(texts, batch, prompt, role)
        return {**features, "most_terms": self._settings.most_terms(role)}

    def _forward(self, features: dict[str, Any], model: SparseEncoder) -> csr_array:
        mask = features["attention_mask"]
        weights = np.zeros((len(mask), self.dimension), dtype=np.float32)
        if mask.any():
            read = {name: value for name, value in features.items() if name != "most_terms"}
            found = model(on_device(read, model.device))["sentence_embedding"]
            weights = np.ascontiguousarray(found.float().cpu().numpy())
            # attention to nothing is no number in some models
            weights[~mask.any(dim=1).numpy()] = 0
        return largest_values(weights, features["most_terms"])


def _model(folder: Path, settings: SpladeSettings, device: str, *, allow_pickle: bool) -> SparseEncoder:
    """The model of a folder, all of whose weights are those of its files."""
    transformers_logging.disable_progress_bar()
    arguments = loading_arguments(settings.dtype, allow_pickle=allow_pickle)
    plain = not modules_of(folder)
    with loading(folder):
        if not plain:
            model = SparseEncoder(str(folder), device=device, model_kwargs=arguments, **OFFLINE)
        else:
            transformer = transformer_in(folder, arguments, transformer_task="fill-mask")
            model = SparseEncoder(modules=[transformer, SpladePooling("max")], device=device)
        check_weights(model, folder, arguments, plain=plain)
    check_padding(tokenizer_in(model), folder)
    make_ready(model, settings, dtype=arguments["dtype"])
    pooling = model[1]
    # the library learns the width when the first text is read
    pooling.embedding_dimension = int(model[0].auto_model.config.vocab_size)
    if settings.pooling is not None:
        pooling.pooling_strategy = settings.pooling
    return model
