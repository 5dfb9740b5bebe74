"""Features that are almost all zero, standardised without filling them in.

A standardised entry is x / scale − mean / scale: the first term is as sparse as x, the second the same in every row.
So a matrix product with weights is a sparse product less one number per unit, and the gradient of the weights is a
sparse product less a multiple of the shifts. Both equal the dense ones but for the order of float32 sums.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy.sparse import csr_array, hstack

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ShiftedSparse:
    """(n, D) float32 numbers: a sparse matrix less the same shift in every row."""

    matrix: csr_array  # (n, D) float32
    shift: np.ndarray  # (D,) float32

    @property
    def shape(self) -> tuple[int, int]:
        """n and D."""
        return cast(tuple[int, int], self.matrix.shape)

    def __matmul__(self, weights: "np.ndarray | csr_array") -> np.ndarray:
        """(D, h) weights → (n, h)."""
        product: np.ndarray = self.matrix @ weights
        product -= self.shift @ weights
        return product

    def entries(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(E,) float32 values and int64 columns of the matrix, row by row, and (n + 1,) int64 starts of the rows."""
        matrix = self.matrix
        return matrix.data, matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)

    def combined(self, members: csr_array) -> "ShiftedSparse":
        """(D, G) members → (n, G) sums of columns."""
        return ShiftedSparse(csr_array(self.matrix @ members), self.shift @ members)

    def fingerprints(self, factors: np.ndarray) -> np.ndarray:
        """(2, D) uint32 by (n, 2) odd factors: equal columns have equal ones."""
        bits = csr_array(
            (self.matrix.data.view(np.uint32), self.matrix.indices, self.matrix.indptr), shape=self.shape
        )
        products: np.ndarray = (bits.T @ factors).T  # wraps around
        fingerprints: np.ndarray = products + self.shift.view(np.uint32) * factors[0][:, None]
        return fingerprints

    def equal_columns(self, others: np.ndarray) -> bool:
        """Whether every column is equal to the column that (D,) `others` names."""
        return bool(
            (self.shift == self.shift[others]).all() and (self.matrix != self.matrix[:, others]).nnz == 0
        )

    def zero_columns(self, columns: np.ndarray) -> np.ndarray:
        """(m,) bool: whether each of m columns is 0 in every row."""
        stored = np.bincount(self.matrix.indices, minlength=self.shape[1])
        zero: np.ndarray = (stored[columns] == 0) & (self.shift[columns] == 0)
        return zero


def standardised_sparse(
    parts: Sequence[csr_array], *, ones: bool, unscaled_constant: bool = False
) -> list[ShiftedSparse]:
    """Standardise by the first (training) part as `standardise.standardised` does, and keep the parts sparse.

    `parts`: features (n, D) float32 of the training, evaluation and test part.
    """
    parts = _less_constants(parts)
    train = parts[0]
    n, width = cast(tuple[int, int], train.shape)
    values, columns = train.data.astype(np.float64), train.indices
    stored = np.bincount(columns, minlength=width)
    mean = (np.bincount(columns, values, minlength=width) / n).astype(np.float32)
    squares = np.bincount(columns, np.square(values - mean[columns]), minlength=width)
    squares += (n - stored) * np.square(mean.astype(np.float64))
    scale = np.sqrt(squares / (n - 1)).astype(np.float32) + np.float32(1e-12)
    if unscaled_constant and not stored.all():
        logger.info(
            "%d of %d columns are constant on the training part: left unscaled", (stored == 0).sum(), width
        )
        scale[stored == 0] = 1
    shift = np.append(mean / scale, np.float32(0)) if ones else mean / scale
    return [ShiftedSparse(_divided(part, scale, ones=ones), shift) for part in parts]


def _less_constants(parts: Sequence[csr_array]) -> list[csr_array]:
    """The parts without stored zeros, and with columns that are constant on the first part moved to 0.

    Else such a column, divided by 1e-12, would be the difference of two huge numbers.
    """
    parts = [part.copy() for part in parts]
    for part in parts:
        part.eliminate_zeros()
    train = parts[0]
    full = np.flatnonzero(np.bincount(train.indices, minlength=train.shape[1]) == train.shape[0])
    dense = train[:, full].toarray()
    constant = (dense == dense[:1]).all(axis=0)
    level = np.zeros(train.shape[1], np.float32)
    level[full[constant]] = dense[0, constant]
    if not constant.any():
        return parts
    row = csr_array(level[None])
    return [csr_array(part - csr_array(np.ones((part.shape[0], 1), np.float32)) @ row) for part in parts]


def _divided(part: csr_array, scale: np.ndarray, *, ones: bool) -> csr_array:
    divided = csr_array((part.data / scale[part.indices], part.indices, part.indptr), shape=part.shape)
    divided.eliminate_zeros()
    if not ones:
        return divided
    return csr_array(hstack([divided, np.ones((part.shape[0], 1), np.float32)], format="csr"))
