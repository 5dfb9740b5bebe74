"""Rows of a matrix that are copied only where they are used: a fold needs no second copy of its features."""

from dataclasses import dataclass

import numpy as np

_ROWS_AT_ONCE = 256  # a block of a few megabytes at most


@dataclass(frozen=True)
class SelectedRows:
    """Some rows of a matrix.

    Attributes
    ----------
    matrix
        (n, D) float32, in memory or mapped from a file.
    rows
        (m,) int64 row numbers.
    """

    matrix: np.ndarray
    rows: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        """Of the rows as an array."""
        return len(self.rows), self.matrix.shape[1]

    def write_to(self, out: np.ndarray) -> None:
        """Write the rows into (m, D) float32, which need not lie together in memory."""
        for start in range(0, len(self.rows), _ROWS_AT_ONCE):
            some = self.rows[start : start + _ROWS_AT_ONCE]
            out[start : start + len(some)] = self.matrix[some]
