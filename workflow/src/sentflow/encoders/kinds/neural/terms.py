"""What encoders that weigh terms have in common: their settings, their batches, and the names of their terms."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from transformers import PreTrainedTokenizerBase
from transformers.utils import logging as transformers_logging

from sentflow.encoders.kinds.contract import Surroundings
from sentflow.encoders.kinds.neural import settings as neural
from sentflow.encoders.kinds.neural.devices import check_devices, default_devices
from sentflow.encoders.kinds.neural.encoder import SentenceTransformerEncoder
from sentflow.encoders.kinds.neural.processor import tell_of_slow_bfloat16
from sentflow.encoders.kinds.settings import EncoderSettings
from sentflow.encoders.kinds.table import TERMS_OF
from sentflow.encoders.protocol import Batch
from sentflow.encoders.vectors.forms import Form, Vectors
from sentflow.encoders.vectors.storage import named_rows
from sentflow.encoders.vocabulary import vocabulary_sha256
from sentflow.errors import DataError

logger = logging.getLogger(__name__)

_BATCH_TEXTS = 64  # whose weights are dense for a moment: 64 × 30,522 of them take 8 MB


@dataclass(frozen=True)
class TermSettings(EncoderSettings):
    """Settings of a model entry that rule embed_sparse reads, of all kinds that weigh terms."""

    # terms: ``queries`` and ``documents``: terms of a text that are kept at most, those of the largest weights
    terms: Mapping[str, int] = field(default_factory=dict)
    max_tokens: int | None = None
    truncation: str = "end"
    prompt: str | None = None
    prompts: Mapping[str, str] = field(default_factory=dict)
    prompt_names: Mapping[str, Any] = field(default_factory=dict)
    dtype: str = neural.FLOAT32
    batch_tokens: int = 2048
    batch_size: int | None = _BATCH_TEXTS  # texts of a batch at most; None is no such limit
    segment: str | None = None

    def of_texts(self) -> neural.Settings:
        """How texts reach the model, for the encoder that also those of dense vectors use."""
        own = {name: value for name, value in self.as_dict().items() if name not in ("pooling", "terms")}
        return neural.Settings(**own)

    def most_terms(self, role: str) -> int | None:
        """Terms that are kept of a text of a role; None where the entry does not say."""
        return self.terms.get(TERMS_OF.get(role, ""))


class TermEncoder(SentenceTransformerEncoder, ABC):
    """Batches, threads and devices are those of `SentenceTransformerEncoder`. `form`: of what `_of_batches` gives."""

    def __init__(
        self, models: Sequence[Any], settings: TermSettings, *, around: Surroundings, form: Form
    ) -> None:
        super().__init__(
            models[0],
            settings.of_texts(),
            threads=around.threads,
            role=around.role,
            task=around.task,
            copies=models[1:],
        )
        self._of_terms = settings
        self._role = around.role
        self._form = form
        self.vocabulary_sha256 = _vocabulary_sha256(models[0].tokenizer)

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> Vectors:
        prompt = self._prompt_of(role, task)
        batches = self._plan(texts, prompt)
        return self._form.placed(
            len(texts), self.dimension, self._weighed(texts, batches, prompt=prompt, role=role)
        )

    def encode_batches(self, texts: Sequence[str], batches: Iterable[Batch]) -> Iterator[Vectors]:
        """Texts without any term are told in the log."""
        for _, weights in self._weighed(texts, list(batches), prompt=self._prompt, role=self._role):
            yield weights

    @abstractmethod
    def _of_batches(
        self, texts: Sequence[str], batches: Sequence[Batch], prompt: str | None, role: str
    ) -> Iterator[Vectors]:
        """The terms of the texts of each batch, in the form of the encoder."""

    def _weights(self, found: Vectors) -> Any:
        """The weights alone, (k, d) in compressed rows."""
        return found

    def _weighed(
        self, texts: Sequence[str], batches: Sequence[Batch], *, prompt: str | None, role: str
    ) -> Iterator[tuple[Any, Vectors]]:
        empty: list[int] = []
        for batch, found in zip(batches, self._of_batches(texts, batches, prompt, role), strict=True):
            empty += batch.rows[np.diff(self._weights(found).indptr) == 0].tolist()
            yield batch.rows, found
        if empty:
            logger.warning(
                "%d of %d texts have no term of a weight above 0, so that nothing is found by them: %s",
                *(len(empty), len(texts), named_rows(sorted(empty), texts)),
            )


def devices_for(settings: TermSettings, around: Surroundings) -> Sequence[str]:
    """Where to load a model: the devices of an entry, or the best there is."""
    transformers_logging.disable_progress_bar()
    devices = around.devices or default_devices(neural.TORCH)
    check_devices(devices, backend=neural.TORCH)
    tell_of_slow_bfloat16(settings.dtype, devices)
    return devices


def _vocabulary_sha256(tokenizer: Any) -> str:
    """SHA-256 of the terms in their order."""
    if not isinstance(tokenizer, PreTrainedTokenizerBase):
        raise DataError(
            "the tokenizer of the model is none of transformers, so that its terms have no names."
        )
    return vocabulary_sha256(tokenizer.get_vocab())
