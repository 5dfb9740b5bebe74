"""Training of logistic probes on sparse features: a step costs what its entries cost, and one pass of AdamW."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from sentflow.probing.kernels.array_adamw import ArrayAdamW
from sentflow.probing.kernels.columns import Problem
from sentflow.probing.kernels.logistic import LinearProbes
from sentflow.probing.kernels.losses import residuals
from sentflow.probing.kernels.schedule import Schedule
from sentflow.probing.kernels.sparse import ShiftedSparse


class SparseLogisticTraining(LinearProbes):
    """Linear probes on features that are almost all zero; parameters as those of `LinearProbes`.

    A batch is a few thousand entries, which NumPy sums in less time than SciPy needs to look at a matrix.
    """

    def __init__(
        self, problem: Problem[ShiftedSparse], labels: np.ndarray, schedule: Schedule, *, n_outputs: int
    ) -> None:
        super().__init__(problem, labels, schedule, n_outputs=n_outputs)
        self._entries, self._shift = _Entries(problem.train.matrix), problem.train.shift
        gradient = np.zeros_like(self._parameters)
        self._stack, self._gradient = (
            values.reshape(len(values), n_outputs, -1) for values in (self._parameters, gradient)
        )
        self._optimiser = ArrayAdamW(self._parameters, gradient, schedule, multiplicity=problem.multiplicity)

    def _train(self, rows: np.ndarray) -> np.ndarray:
        """(S, batches, B, outputs) logits."""
        size, n_batches, n = rows.shape
        labels, weights = self._labels[rows], self._stack
        logits = np.empty((n_batches, size, n, weights.shape[1]), np.float32)
        for step in range(n_batches):
            batch = self._entries.batch(rows[:, step])
            np.subtract(batch.products(weights), (weights @ self._shift)[:, None], out=logits[step])
            residual = residuals(logits[step], labels[:, step])
            self._gradient[:] = batch.sums(residual)
            self._gradient -= residual.sum(axis=1)[:, :, None] * self._shift
            self._optimiser.step()
        return logits.swapaxes(0, 1)

    def _by_batch(self, logits: np.ndarray, n: int) -> np.ndarray:
        return logits.reshape(-1, n, logits.shape[-1])

    def _products(self, features: Any) -> np.ndarray:
        return np.stack([features @ weights.T for weights in self._stack])


class _Entries:
    """The entries of a sparse matrix (n, D) in which no row is empty, row by row."""

    def __init__(self, matrix: csr_array) -> None:
        self._values, self._columns = matrix.data, matrix.indices.astype(np.int64)
        self._starts, self._counts = matrix.indptr[:-1].astype(np.int64), np.diff(matrix.indptr)
        self._width = matrix.shape[1]

    def batch(self, rows: np.ndarray) -> "_Batch":
        """The rows (S, B) of S probes."""
        size, n = rows.shape
        counts = self._counts[rows.ravel()]
        ends = counts.cumsum()
        firsts = ends - counts
        places = np.arange(ends[-1]) + np.repeat(self._starts[rows.ravel()] - firsts, counts)
        columns = self._columns[places]
        if size > 1:  # each probe has its own weights
            columns += np.repeat(np.repeat(np.arange(size) * self._width, n), counts)
        return _Batch(self._values[places], columns, firsts, counts, size, self._width)


@dataclass(frozen=True)
class _Batch:
    """Entries of S · B rows: (E,) values and columns, which run on from probe to probe; (S · B,) firsts and counts."""

    values: np.ndarray
    columns: np.ndarray
    firsts: np.ndarray
    counts: np.ndarray
    size: int
    width: int

    def products(self, weights: np.ndarray) -> np.ndarray:
        """(S, K, D) weights → (S, B, K): each row times its probe's weights."""
        terms = weights.swapaxes(0, 1).reshape(weights.shape[1], -1).take(self.columns, axis=1)
        terms *= self.values
        return np.add.reduceat(terms, self.firsts, axis=1).T.reshape(self.size, -1, len(terms))

    def sums(self, factors: np.ndarray) -> np.ndarray:
        """(S, B, K) factors → (S, K, D): the rows of each probe, each times its factor, summed in float64."""
        n_outputs, n_columns = factors.shape[2], self.size * self.width
        terms = np.repeat(factors.reshape(-1, n_outputs).T, self.counts, axis=1)
        terms *= self.values
        columns = self.columns + n_columns * np.arange(n_outputs)[:, None] if n_outputs > 1 else self.columns
        sums = np.bincount(columns.ravel(), terms.ravel(), minlength=n_outputs * n_columns)
        return sums.reshape(n_outputs, self.size, self.width).swapaxes(0, 1)
