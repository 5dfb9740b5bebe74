"""Kind ``splade``: from the folder of a masked-language model to weights of the terms of its vocabulary.

The weight of a term is the maximum (or sum) over the tokens of a text of log(1 + ReLU(m)), where m is the score that
the model gives the term at a token; padding does not count (the maximum: Formal et al. 2021, "SPLADE v2", arXiv
2109.10086; the sum: Formal, Piwowarski and Clinchant 2021, arXiv 2107.05720).
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array
from sentence_transformers import SparseEncoder
from sentence_transformers.sparse_encoder.modules import SpladePooling
from transformers import PreTrainedTokenizerBase
from transformers.utils import logging as transformers_logging

from sentflow.encoders.kind import Context, kind
from sentflow.encoders.manifest import Manifest, checked_folder
from sentflow.encoders.neural.describe import describe_terms
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
from sentflow.encoders.safety import modules_of
from sentflow.encoders.settings import SpladeSettings, TermSettings
from sentflow.encoders.vectors.sparse import SPARSE_FORM, largest_values, vocabulary_sha256
from sentflow.encoders.vectors.storage import Batch, Vectors, named_rows
from sentflow.errors import DataError

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


@kind("splade")
class SpladeEncoder(TermEncoder):
    """Weights of terms by SPLADE. `models`: the same `SparseEncoder` on one device or several."""

    form = SPARSE_FORM

    @classmethod
    def load(cls, manifest: Manifest, settings: SpladeSettings, context: Context) -> Self:
        folder = checked_folder(manifest, context.model_files)
        # Once more: files that the manifest does not name may have come into the folder since
        describe_terms(manifest.settings, folder)
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
