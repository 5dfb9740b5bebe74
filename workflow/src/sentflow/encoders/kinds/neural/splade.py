"""Kind ``splade``: from the folder of a masked-language model to weights of the terms of its vocabulary.

The weight of a term is the maximum (or sum) over the tokens of a text of log(1 + ReLU(m)), where m is the score that
the model gives the term at a token; padding does not count (the maximum: Formal et al. 2021, "SPLADE v2", arXiv
2109.10086; the sum: Formal, Piwowarski and Clinchant 2021, arXiv 2107.05720).
"""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array
from sentence_transformers import SparseEncoder
from sentence_transformers.sentence_transformer.modules import Transformer
from sentence_transformers.sparse_encoder.modules import SpladePooling
from transformers import PreTrainedTokenizerBase
from transformers.utils import logging as transformers_logging

from sentflow.encoders.fetch.settings_files import modules_of
from sentflow.encoders.fetch.splade_descriptions import describe_splade
from sentflow.encoders.kinds.contract import Surroundings
from sentflow.encoders.kinds.neural import settings as neural
from sentflow.encoders.kinds.neural.devices import check_devices, default_devices
from sentflow.encoders.kinds.neural.encoder import SentenceTransformerEncoder
from sentflow.encoders.kinds.neural.processor import tell_of_slow_bfloat16
from sentflow.encoders.kinds.neural.ready import check_padding, loading_arguments, make_ready
from sentflow.encoders.kinds.neural.weights import check_weights, loading
from sentflow.encoders.kinds.settings import EncoderSettings
from sentflow.encoders.kinds.table import TERMS_OF
from sentflow.encoders.manifest import Manifest, checked_folder
from sentflow.encoders.protocol import Batch, FloatArray
from sentflow.encoders.vectors.sparse import SPARSE_FORM, largest_values
from sentflow.encoders.vectors.storage import named_rows
from sentflow.encoders.vocabulary import vocabulary_sha256
from sentflow.errors import DataError

logger = logging.getLogger(__name__)

_BATCH_TEXTS = 64  # whose weights are dense for a moment: 64 × 30,522 of them take 8 MB


@dataclass(frozen=True)
class Settings(EncoderSettings):
    """Settings of a model entry that rule embed_sparse reads.

    Attributes
    ----------
    pooling
        ``max`` or ``sum`` over tokens; None is what the model's files say, and the maximum where they say nothing.
    terms
        ``queries`` and ``documents``: terms of a text that are kept at most, those of the largest weights; all of
        them where a key is left out.
    batch_size
        Texts of a batch at most; None is no such limit.
    max_tokens, truncation, prompt, prompts, prompt_names, dtype, batch_tokens, segment
        See `sentflow.encoders.kinds.neural.settings.Settings`.
    """

    pooling: str | None = None
    terms: Mapping[str, int] = field(default_factory=dict)
    max_tokens: int | None = None
    truncation: str = "end"
    prompt: str | None = None
    prompts: Mapping[str, str] = field(default_factory=dict)
    prompt_names: Mapping[str, Any] = field(default_factory=dict)
    dtype: str = neural.FLOAT32
    batch_tokens: int = 2048
    batch_size: int | None = _BATCH_TEXTS
    segment: str | None = None

    def of_texts(self) -> neural.Settings:
        """How texts reach the model, for the encoder that also those of dense vectors use."""
        own = {name: value for name, value in self.as_dict().items() if name not in ("pooling", "terms")}
        return neural.Settings(**own)


class SpladeEncoder(SentenceTransformerEncoder):
    """See `sentflow.encoders.kinds.contract.SparseEncoder`.

    Batches, threads and devices are those of `SentenceTransformerEncoder`.

    Parameters
    ----------
    models
        The same `SparseEncoder` on one device or several.
    settings, threads, around
        See `SentenceTransformerEncoder`; the role of the texts decides how many of their terms are kept.
    """

    def __init__(self, models: Sequence[SparseEncoder], settings: Settings, *, around: Surroundings) -> None:
        super().__init__(
            models[0],
            settings.of_texts(),
            threads=around.threads,
            role=around.role,
            task=around.task,
            copies=models[1:],
        )
        self._terms = settings.terms
        self._role = around.role
        self.vocabulary_sha256 = _vocabulary_sha256(models[0])

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> csr_array:
        """See `SparseEncoder.encode`."""
        prompt = self._prompt_of(role, task)
        batches = self._plan(texts, prompt)
        return SPARSE_FORM.placed(
            len(texts), self.dimension, self._weighed(texts, batches, prompt=prompt, role=role)
        )

    def encode_batches(self, texts: Sequence[str], batches: Iterable[Batch]) -> Iterator[csr_array]:
        """See `SparseEncoder.encode_batches`; texts without any term are told in the log."""
        for _, weights in self._weighed(texts, list(batches), prompt=self._prompt, role=self._role):
            yield weights

    def _weighed(
        self, texts: Sequence[str], batches: Sequence[Batch], *, prompt: str | None, role: str
    ) -> Iterator[tuple[Any, csr_array]]:
        most = self._terms.get(TERMS_OF.get(role, ""))
        empty: list[int] = []
        for batch, dense in zip(batches, self._encode_batches(texts, batches, prompt), strict=True):
            weights = largest_values(dense, most)
            empty += batch.rows[np.diff(weights.indptr) == 0].tolist()
            yield batch.rows, weights
        if empty:
            logger.warning(
                "%d of %d texts have no term of a weight above 0, so that nothing is found by them: %s",
                *(len(empty), len(texts), named_rows(sorted(empty), texts)),
            )

    @torch.inference_mode()
    def _forward_whole(self, features: dict[str, Any], model: Any) -> FloatArray:
        mask = features["attention_mask"]
        if not mask.any():
            return np.zeros((len(mask), self.dimension), dtype=np.float32)
        found = super()._forward_whole(features, model)
        # attention to nothing is no number in some models
        found[~mask.any(dim=1).numpy()] = 0
        return found


def load_sparse(manifest: Manifest, settings: Settings, around: Surroundings) -> SpladeEncoder:
    """See `SparseModule.load_sparse`."""
    folder = checked_folder(manifest, around.manifest_folder)
    allow_pickle = bool(manifest.settings["allow_pickle"])
    transformers_logging.disable_progress_bar()
    devices = around.devices or default_devices(neural.TORCH)
    check_devices(devices, backend=neural.TORCH)
    # Once more: files that the manifest does not name may have come into the folder since
    describe_splade(folder, allow_pickle=allow_pickle)
    tell_of_slow_bfloat16(settings.dtype, devices)
    models = [_model(folder, settings, device, allow_pickle=allow_pickle) for device in devices]
    return SpladeEncoder(models, settings, around=around)


def _model(folder: Path, settings: Settings, device: str, *, allow_pickle: bool) -> SparseEncoder:
    """The model of a folder, all of whose weights are those of its files."""
    model_kwargs = loading_arguments(settings, allow_pickle=allow_pickle)
    offline = {"local_files_only": True, "trust_remote_code": False}
    with loading(folder) as loaded:
        if modules_of(folder):
            model = SparseEncoder(str(folder), device=device, model_kwargs=model_kwargs, **offline)
        else:
            transformer = Transformer(
                str(folder),
                transformer_task="fill-mask",
                model_kwargs={**model_kwargs, **offline},
                processor_kwargs=offline,
                config_kwargs=offline,
            )
            model = SparseEncoder(modules=[transformer, SpladePooling("max")], device=device)
    check_weights(model, loaded, folder=folder)
    check_padding(model, folder)
    make_ready(model, settings, dtype=model_kwargs["dtype"])
    pooling = model[1]
    # the library learns the width when the first text is read
    pooling.embedding_dimension = int(model[0].auto_model.config.vocab_size)
    if settings.pooling is not None:
        pooling.pooling_strategy = settings.pooling
    return model


def _vocabulary_sha256(model: SparseEncoder) -> str:
    """SHA-256 of the terms in their order.

    Raises
    ------
    DataError
        The tokenizer is none of transformers, so that nobody can say which terms these are.
    """
    tokenizer = model.tokenizer
    if not isinstance(tokenizer, PreTrainedTokenizerBase):
        raise DataError(
            "the tokenizer of the model is none of transformers, so that its terms have no names."
        )
    return vocabulary_sha256(tokenizer.get_vocab())
