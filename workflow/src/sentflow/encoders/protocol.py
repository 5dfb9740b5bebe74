"""What an encoder is.

These give dense vectors. Encoders that weigh terms, with vectors of terms or without, are
`sentflow.encoders.kinds.contract.SparseEncoder`. Others fit beside them: a multi-vector one gives the vectors of all
tokens, (tokens, d) float16, with the (n + 1,) offsets at which texts begin. Each gets a protocol, a word in
`sentflow.encoders.kinds.table` for what its kind gives, and a form in `sentflow.encoders.vectors.forms`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
IntArray = NDArray[np.int64]


class Encoder(Protocol):
    """Texts to vectors.

    Promises: a text's vector depends on the text, the role and the task alone, not on its neighbours (up to
    the last bits of float32 arithmetic); equal calls give equal bytes.
    """

    dimension: int

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> FloatArray:
        """Vectors of texts.

        Parameters
        ----------
        texts
            n texts, none empty.
        role
            What the texts are to the caller, e.g. ``"text"``, ``"query"``, ``"document"``.
        task
            The task they belong to; None if they belong to several.

        Returns
        -------
        ndarray
            (n, dimension) float32.
        """
        ...


@dataclass(frozen=True)
class Batch:
    """Texts that are encoded together."""

    rows: IntArray  # (k,) indices of the texts
    cost: int  # tokens of the batch, padding included: what its time is proportional to


@dataclass(frozen=True)
class Reading:
    """How long texts are for an encoder, and how much of them it reads."""

    # tokens: (n,) tokens of each text, prompt and special tokens included, each >= 1; those that are cut off count
    tokens: IntArray
    limit: int | None  # tokens that are read at most; None is no limit

    @property
    def lost(self) -> IntArray:
        """(n,) tokens of each text that are cut off."""
        return np.zeros_like(self.tokens) if self.limit is None else np.maximum(self.tokens - self.limit, 0)


@runtime_checkable
class BatchEncoder(Encoder, Protocol):
    """An encoder that works in batches of its own choice, so that a long run can be saved between them."""

    def plan(self, texts: Sequence[str]) -> list[Batch]:
        """Every row in exactly one batch; depends on the texts and the settings alone."""
        ...

    def encode_batches(self, texts: Sequence[str], batches: Iterable[Batch]) -> Iterator[FloatArray]:
        """The vectors of each batch, (k, dimension) float32, in the order of the batches."""
        ...
