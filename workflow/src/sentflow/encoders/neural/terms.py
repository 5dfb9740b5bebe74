"""Neural encoders that weigh the terms of their vocabulary."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from transformers import PreTrainedTokenizerBase

from sentflow.encoders.arrays import Batch
from sentflow.encoders.neural.encoder import NeuralEncoder
from sentflow.encoders.settings import TermSettings
from sentflow.encoders.vectors.forms import Vectors
from sentflow.encoders.vectors.sparse import vocabulary_sha256
from sentflow.encoders.vectors.storage import named_rows
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
                "%d of %d texts have no term of a weight above 0, so that nothing is found by them: %s",
                *(len(empty), len(texts), named_rows(sorted(empty), texts)),
            )
