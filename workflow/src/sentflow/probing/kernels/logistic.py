"""Training of logistic probes on a processor."""

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from sentflow.probing.kernels.array_adamw import ArrayAdamW
from sentflow.probing.kernels.columns import Problem
from sentflow.probing.kernels.losses import mean_losses, sigmoid
from sentflow.probing.kernels.schedule import Schedule


class LinearProbes(ABC):
    """S linear probes with the same initial weights; each visits its own batches.

    Parameters
    ----------
    problem
        Training features with the column of ones, dense or sparse; initial weights.
    labels
        (n,) int64.
    schedule
        Of S probes.
    n_outputs
        1 for two classes, else the number of classes.
    """

    def __init__(
        self, problem: Problem[Any], labels: np.ndarray, schedule: Schedule, *, n_outputs: int
    ) -> None:
        self._features = problem.train
        self._labels = labels
        self._schedule = schedule
        # One output is a vector, which BLAS multiplies faster than a matrix of one row.
        self._outputs: tuple[int, ...] = () if n_outputs == 1 else (n_outputs,)
        self._parameters = np.tile(problem.initial, (len(schedule.beta1), 1))
        self._weights = list(self._parameters.reshape(-1, *self._outputs, self._features.shape[1]))
        self._steps = 0
        self._epochs: list[tuple[np.ndarray, np.ndarray]] = []  # logits and rows

    def epoch(self, rows: np.ndarray) -> None:
        """Train on every batch of (S, batches, B) int64 row numbers."""
        self._epochs.append((self._train(rows), rows))
        self._steps += rows.shape[1]

    @abstractmethod
    def _train(self, rows: np.ndarray) -> np.ndarray:
        """Train an epoch; gives the logits before each step, (S, batches, outputs, B) or without outputs if one."""

    def losses(self) -> np.ndarray:
        """(S, epochs, batches) float64 mean losses of all batches so far, each before its step."""
        logits, rows = (np.stack(values, axis=1) for values in zip(*self._epochs, strict=True))
        n = rows.shape[-1]
        return mean_losses(self._by_batch(logits, n), self._labels[rows].reshape(-1, n)).reshape(
            rows.shape[:-1]
        )

    def logits(self, features: Any, offset: np.ndarray | None = None) -> np.ndarray:
        """(S, m, outputs) for (m, D + 1) features, plus the decayed `offset` (m, outputs)."""
        logits = self._products(features)
        if offset is not None:
            logits += self._schedule.decay[self._steps, :, :, None].astype(np.float32) * offset
        return logits

    def _by_batch(self, logits: np.ndarray, n: int) -> np.ndarray:
        """(all batches, B, outputs) of what `_train` gave."""
        return logits.reshape(-1, math.prod(self._outputs), n).transpose(0, 2, 1)

    def _products(self, features: Any) -> np.ndarray:
        """(S, m, outputs) products of features and weights."""
        return np.stack([np.atleast_2d(np.dot(weights, features.T)).T for weights in self._weights])


class LogisticTraining(LinearProbes):
    """Linear probes that train one small batch at a time.

    A batch is gathered, multiplied forward and multiplied back before the next one is touched: on 7000 × 384 rows this
    takes a quarter of the time of one gathered batch for all probes. Parameters are those of `LinearProbes`.
    """

    def __init__(
        self, problem: Problem[np.ndarray], labels: np.ndarray, schedule: Schedule, *, n_outputs: int
    ) -> None:
        super().__init__(problem, labels, schedule, n_outputs=n_outputs)
        gradient = np.zeros_like(self._parameters)
        self._gradients = list(gradient.reshape(-1, *self._outputs, self._features.shape[1]))
        self._optimiser = ArrayAdamW(self._parameters, gradient, schedule, multiplicity=problem.multiplicity)

    def _train(self, rows: np.ndarray) -> np.ndarray:
        size, n_batches, n = rows.shape
        targets = self._targets(self._labels[rows])
        batch = np.empty((n, self._features.shape[1]), np.float32)
        residual = np.empty((*self._outputs, n), np.float32)
        logits = np.empty((size, n_batches, *self._outputs, n), np.float32)
        write_residual = _softmax_residual if self._outputs else _sigmoid_residual
        for step in range(n_batches):
            for probe, (weights, gradient) in enumerate(zip(self._weights, self._gradients, strict=True)):
                # "clip" never clips here, but spares the copy that "raise" makes to be able to go back
                self._features.take(rows[probe, step], axis=0, out=batch, mode="clip")
                np.dot(weights, batch.T, out=logits[probe, step])
                write_residual(logits[probe, step], targets[probe, step], residual)
                np.dot(residual, batch, out=gradient)
            self._optimiser.step()
        return logits

    def _targets(self, labels: np.ndarray) -> np.ndarray:
        """(S, batches, B) or (S, batches, K, B) float32: truth as numbers."""
        if not self._outputs:
            return labels.astype(np.float32)
        classes = np.arange(self._outputs[0])[:, None]
        targets: np.ndarray = (labels[:, :, None] == classes).astype(np.float32)
        return targets


def _sigmoid_residual(logits: np.ndarray, target: np.ndarray, out: np.ndarray) -> None:
    """(B,): derivative of the mean loss by the logits, (σ(z) − y) / B."""
    sigmoid(logits, out=out)
    out -= target
    out /= len(out)


def _softmax_residual(logits: np.ndarray, target: np.ndarray, out: np.ndarray) -> None:
    """(K, B): derivative of the mean loss by the logits, (softmax(z) − onehot) / B."""
    np.subtract(logits, logits.max(axis=0), out=out)
    np.exp(out, out=out)
    out /= out.sum(axis=0)
    out -= target
    out /= out.shape[1]
