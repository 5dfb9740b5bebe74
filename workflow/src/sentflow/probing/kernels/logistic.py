"""Training of logistic probes on a processor, on dense features or on sparse ones."""

from typing import Any

import numpy as np

from sentflow.probing.kernels.features import Problem
from sentflow.probing.kernels.loops.common import NO_MULTIPLICITY
from sentflow.probing.kernels.schedule import Schedule, mean_losses


class LogisticTraining:
    """S linear probes with the same initial weights; each visits its own batches.

    `problem`: training features with the column of ones, dense or sparse; initial weights. `labels`: (n,) int64.
    `schedule`: of S probes. `n_outputs`: 1 for two classes, else the number of classes.
    """

    def __init__(
        self, problem: Problem[Any], labels: np.ndarray, schedule: Schedule, *, n_outputs: int
    ) -> None:
        # Imported here, for each reads its compiled loop from a file
        if isinstance(problem.train, np.ndarray):
            from sentflow.probing.kernels.loops.logistic import train_epoch

            self._features: tuple[np.ndarray, ...] = (problem.train,)
            self._train: Any = train_epoch
        else:
            from sentflow.probing.kernels.loops.sparse import train_epoch as train_sparse

            self._features, self._train = (*problem.train.entries(), problem.train.shift), train_sparse
        self._labels, self._schedule = labels, schedule
        n_probes = schedule.scalars.shape[1]
        self._weights = np.tile(problem.initial, (n_probes, 1)).reshape(n_probes, n_outputs, -1)
        self._first, self._second = np.zeros_like(self._weights), np.zeros_like(self._weights)
        self._multiplicity = (
            NO_MULTIPLICITY
            if problem.multiplicity is None
            else problem.multiplicity.reshape(self._weights.shape[1:])
        )
        self._steps = 0
        self._epochs: list[tuple[np.ndarray, np.ndarray]] = []  # logits and rows

    def epoch(self, rows: np.ndarray) -> None:
        """Train on every batch of (S, batches, B) int64 row numbers."""
        rows = np.ascontiguousarray(rows)
        size, n_batches, n = rows.shape
        logits = np.empty((size, n_batches, self._weights.shape[1], n), np.float32)
        scalars = self._schedule.scalars[self._steps : self._steps + n_batches]
        state = self._weights, self._first, self._second
        limits = self._schedule.max_norm, self._multiplicity
        self._train(*self._features, self._labels, rows, *state, scalars, *limits, logits)
        self._epochs.append((logits, rows))
        self._steps += n_batches

    def losses(self) -> np.ndarray:
        """(S, epochs, batches) float64 mean losses of all batches so far, each before its step."""
        logits, rows = (np.stack(values, axis=1) for values in zip(*self._epochs, strict=True))
        n_outputs, n = logits.shape[-2:]
        by_batch = logits.reshape(-1, n_outputs, n).transpose(0, 2, 1)
        return mean_losses(by_batch, self._labels[rows].reshape(-1, n)).reshape(rows.shape[:-1])

    def logits(self, features: Any, offset: np.ndarray | None = None) -> np.ndarray:
        """(S, m, outputs) for (m, D + 1) features, plus the decayed `offset` (m, outputs)."""
        size, n_outputs, width = self._weights.shape
        together = features @ self._weights.reshape(-1, width).T
        logits: np.ndarray = together.reshape(-1, size, n_outputs).swapaxes(0, 1)
        if offset is not None:
            logits = logits + self._schedule.decay[self._steps, :, :, None].astype(np.float32) * offset
        return logits
