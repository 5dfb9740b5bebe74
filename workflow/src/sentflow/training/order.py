"""Which rows a step reads: a function of the seed and the number of the step."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sentflow.training.draws import Draws
from sentflow.training.settings import DROP


@dataclass(frozen=True)
class Order:
    """The order in which rows are read: each epoch in another permutation."""

    n_rows: int  # of the data
    batch_size: int  # rows of a batch
    # last_batch: whether an epoch ends with the rows that do not fill a batch (``"keep"``) or without them
    # (``"drop"``)
    last_batch: str
    draws: Draws  # of the training

    @property
    def batches_per_epoch(self) -> int:
        """Batches of a pass over the rows, at least 1."""
        whole = self.n_rows / self.batch_size
        return max(1, math.floor(whole) if self.last_batch == DROP else math.ceil(whole))

    def rows(self, batch: int) -> np.ndarray:
        """(k,) int64 rows of a batch, counted from 0 over all epochs; k is `batch_size` but for a last one."""
        epoch, place = divmod(batch, self.batches_per_epoch)
        return _permutation(self.draws, epoch, self.n_rows)[
            place * self.batch_size : (place + 1) * self.batch_size
        ]


@lru_cache(maxsize=2)
def _permutation(draws: Draws, epoch: int, n_rows: int) -> np.ndarray:
    return draws.of("order", epoch).generator().permutation(n_rows)
