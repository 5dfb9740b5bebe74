"""Training of one MLP probe on a processor: two matrix products per step, and as little as possible beside them.

The first layer alone sees the features. Hidden values are (H, B), a line per unit: what follows, batch normalisation
above all, goes unit by unit.
"""

from typing import Any

import numpy as np

from sentflow.probing.kernels.features import Problem, ShiftedSparse
from sentflow.probing.kernels.loops.common import NO_MULTIPLICITY
from sentflow.probing.kernels.loops.mlp import EPSILON, clip_and_move, forward_and_back
from sentflow.probing.kernels.loops.sparse import add_rows, clip_and_move_columns, multiply_rows
from sentflow.probing.kernels.schedule import Schedule, mean_losses


class MlpTraining:
    """Linear → batch norm → ReLU → linear.

    `problem`: (n, D) training features, dense or sparse, and initial parameters from `mlp_parameters`. `labels`: (n,)
    int64. `schedule`: of one probe. `n_outputs`: 1 for two classes, else the number of classes. `hidden`: H, units of
    the hidden layer.
    """

    def __init__(
        self, problem: Problem[Any], labels: np.ndarray, schedule: Schedule, *, n_outputs: int, hidden: int
    ) -> None:
        self._labels, self._schedule = labels, schedule
        layer = _DenseLayer if isinstance(problem.train, np.ndarray) else _SparseLayer
        self._first_layer: _DenseLayer | _SparseLayer = layer(problem, hidden)
        n_first = hidden * problem.train.shape[1]
        self._layers, self._layer_gradients = (
            _split(values[n_first:], hidden, n_outputs)
            for values in (self._first_layer.parameters, self._first_layer.gradient)
        )
        self._running_mean, self._running_variance = np.zeros(hidden, np.float32), np.ones(hidden, np.float32)
        self._steps = 0
        self._epochs: list[tuple[np.ndarray, np.ndarray]] = []  # logits and labels

    def epoch(self, rows: np.ndarray) -> None:
        """Train on every batch of (1, batches, B) int64 row numbers."""
        [batches] = rows
        n_batches, n = batches.shape
        labels = self._labels[batches]
        logits = np.empty((n_batches, len(self._layers[-1]), n), np.float32)
        hidden = np.empty((len(self._running_mean), n), np.float32)
        running, max_norm = (self._running_mean, self._running_variance), self._schedule.max_norm
        for step, batch in enumerate(batches):
            self._first_layer.forward(batch, hidden)
            layers = *self._layers, *self._layer_gradients, *running
            arguments: Any = (hidden, labels[step], *layers, logits[step])
            forward_and_back(*arguments)
            self._first_layer.backward(hidden)
            self._first_layer.step(max_norm, self._schedule.scalars[self._steps + step, 0])
        self._epochs.append((logits.transpose(0, 2, 1), labels))
        self._steps += n_batches

    def losses(self) -> np.ndarray:
        """(1, epochs, batches) float64 mean losses of all batches so far, each before its step."""
        logits, labels = (np.concatenate(values) for values in zip(*self._epochs, strict=True))
        return mean_losses(logits, labels).reshape(1, len(self._epochs), -1)

    def logits(self, features: Any, offset: np.ndarray | None = None) -> np.ndarray:
        """(1, m, outputs) for (m, D) features, with the running statistics.

        The decayed `offset` (m, H) is added to the hidden units before the batch norm.
        """
        scale, shift, weights, bias = self._layers
        values = self._first_layer.apply(features)
        if offset is not None:
            values += self._schedule.decay[self._steps].astype(np.float32) * offset.T
        values -= self._running_mean[:, None]
        values *= (scale / np.sqrt(self._running_variance + np.float32(EPSILON)))[:, None]
        values += shift[:, None]
        np.maximum(values, 0, out=values)
        logits: np.ndarray = (weights @ values).T + bias
        return logits[None]


class _DenseLayer:
    """Weights (H, D) on (n, D) float32 features, with the state of AdamW of all parameters of the probe."""

    def __init__(self, problem: Problem[np.ndarray], hidden: int) -> None:
        self._features = problem.train
        self._shape = (hidden, problem.train.shape[1])
        self.parameters = problem.initial.copy()
        self.gradient = np.zeros_like(self.parameters)
        self._weights, self._weight_gradient = (
            _first(values, self._shape) for values in (self.parameters, self.gradient)
        )
        self._moments = np.zeros_like(self.parameters)[None], np.zeros_like(self.parameters)[None]
        self._multiplicity = NO_MULTIPLICITY if problem.multiplicity is None else problem.multiplicity[None]
        self._batch = np.empty((0, self._shape[1]), np.float32)

    def forward(self, rows: np.ndarray, hidden: np.ndarray) -> None:
        """Write the hidden units (H, B) of the training rows (B,) int64."""
        if len(self._batch) != len(rows):
            self._batch = np.empty((len(rows), self._shape[1]), np.float32)
        # "clip" never clips here, but spares the copy that "raise" makes to be able to go back
        self._features.take(rows, axis=0, out=self._batch, mode="clip")
        np.dot(self._weights, self._batch.T, out=hidden)

    def backward(self, residual: np.ndarray) -> None:
        """Fill the gradient from the derivative (H, B) by the hidden units of the last `forward`."""
        np.dot(residual, self._batch, out=self._weight_gradient)

    def step(self, max_norm: np.float32, scalars: np.ndarray) -> None:
        """Clip the gradient and move all parameters in place."""
        values = self.parameters[None], self.gradient[None], *self._moments
        clip_and_move(*values, self._multiplicity, max_norm, scalars)

    def apply(self, features: np.ndarray) -> np.ndarray:
        """(H, m) hidden units of another part."""
        hidden: np.ndarray = (features @ self._weights.T).T
        return hidden


class _SparseLayer:
    """Weights (D, H) and products that cost what the entries of the features cost; methods as of `_DenseLayer`."""

    def __init__(self, problem: Problem[ShiftedSparse], hidden: int) -> None:
        self._entries, self._shift = problem.train.entries(), problem.train.shift
        width = problem.train.shape[1]
        n_first = width * hidden
        self.parameters = np.concatenate(
            [_first(problem.initial, (hidden, width)).T.ravel(), problem.initial[n_first:]]
        )
        self.gradient = np.zeros_like(self.parameters)
        moments = np.zeros_like(self.parameters), np.zeros_like(self.parameters)
        arrays = (self.parameters, self.gradient, *moments)
        self._columns = [_first(values, (width, hidden)) for values in arrays]
        self._others = [values[None, n_first:] for values in arrays]
        self._weights, self._weight_gradient = self._columns[:2]
        self._level = self._shift @ self._weights  # (H,)
        self._met = np.zeros(width, bool)  # the columns whose gradient is not 0
        self._multiplicity = (
            np.ones(width, np.float32)
            if problem.multiplicity is None
            else problem.multiplicity[:width].copy()
        )
        self._rows = np.empty(0, np.int64)

    def forward(self, rows: np.ndarray, hidden: np.ndarray) -> None:
        self._rows = rows
        multiply_rows(*self._entries, rows, self._weights, self._level, hidden)

    def backward(self, residual: np.ndarray) -> None:
        # The shift adds nothing: batch normalisation makes the derivatives of a batch sum to 0.
        add_rows(*self._entries, self._rows, residual, self._weight_gradient, self._met)

    def step(self, max_norm: np.float32, scalars: np.ndarray) -> None:
        values = *self._columns, self._met, self._multiplicity, *self._others
        arguments: Any = (*values, self._shift, self._level, max_norm, scalars)
        clip_and_move_columns(*arguments)

    def apply(self, features: ShiftedSparse) -> np.ndarray:
        return (features @ self._weights).T


def _first(values: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """A view of the first of (P,) values."""
    return values[: shape[0] * shape[1]].reshape(shape)


def _split(flat: np.ndarray, hidden: int, n_outputs: int) -> tuple[np.ndarray, ...]:
    """Views: scale and shift of the batch norm, output weights, output bias."""
    sizes = [hidden, hidden, n_outputs * hidden, n_outputs]
    scale, shift, last, bias = np.split(flat, np.cumsum(sizes)[:-1])
    return scale, shift, last.reshape(n_outputs, hidden), bias
