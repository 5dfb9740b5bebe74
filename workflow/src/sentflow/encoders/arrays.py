"""Arrays that encoders give, and what is said of the texts behind them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
IntArray = NDArray[np.int64]


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
