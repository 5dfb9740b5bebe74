"""Training of one MLP probe on a processor: two matrix products per step, and as little as possible beside them.

The first layer alone sees the features. Hidden values are (H, B), a line per unit: what follows, batch normalisation
above all, goes unit by unit.
"""

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sentflow.probing.kernels.features import Problem
from sentflow.probing.kernels.loops.common import NO_MULTIPLICITY
from sentflow.probing.kernels.loops.mlp import EPSILON, clip_and_move, forward_and_back
from sentflow.probing.kernels.loops.sparse_layer import add_rows, clip_and_move_columns, multiply_rows
from sentflow.probing.kernels.schedule import Schedule, mean_losses

if TYPE_CHECKING:
    from sentflow.probing.kernels.features import ShiftedSparse


class Optimiser(Protocol):
    """What moves the parameters of one probe."""

    def step(self) -> None:
        """Clip the gradient to the largest norm and move the parameters in place."""


class AdamW:
    """The state of AdamW of one probe.

    Parameters
    ----------
    parameters, gradient
        (P,) float32; `step` changes the parameters in place, and the gradient where there are multiplicities.
    schedule
        Of one probe.
    multiplicity
        (P,) float32: how many equal weights each parameter stands for; its gradient is the sum of theirs. None
        where every parameter is one weight.
    """

    def __init__(
        self,
        parameters: np.ndarray,
        gradient: np.ndarray,
        schedule: Schedule,
        *,
        multiplicity: np.ndarray | None = None,
    ) -> None:
        self._parameters, self._gradient = parameters[None], gradient[None]
        self._first, self._second = np.zeros_like(self._parameters), np.zeros_like(self._parameters)
        self._multiplicity = NO_MULTIPLICITY if multiplicity is None else multiplicity[None]
        self._max_norm = schedule.max_norm
        self._scalars = iter(schedule.scalars[:, 0])

    def step(self) -> None:
        clip_and_move(
            self._parameters,
            self._gradient,
            self._first,
            self._second,
            self._multiplicity,
            self._max_norm,
            next(self._scalars),
        )


class AdamWOfColumns:
    """The state of AdamW of an MLP probe whose first layer meets few of its columns in a batch.

    Parameters
    ----------
    parameters, gradient, schedule
        As of `AdamW`. The parameters begin with the weights (D, H).
    shape
        D and H.
    shift
        (D,) float32 by which each column of the features is lowered.
    multiplicity
        (D,) float32: how many equal weights each weight of a column stands for.

    Attributes
    ----------
    weights, gradient
        (D, H) float32, of the first layer.
    met
        (D,) bool: the columns whose gradient is filled before a step; of the others it is 0.
    level
        (H,) float32: the product of the shift and the weights.
    """

    def __init__(
        self,
        parameters: np.ndarray,
        gradient: np.ndarray,
        schedule: Schedule,
        *,
        shape: tuple[int, int],
        shift: np.ndarray,
        multiplicity: np.ndarray,
    ) -> None:
        n_first = shape[0] * shape[1]
        arrays = (parameters, gradient, np.zeros_like(parameters), np.zeros_like(parameters))
        self._columns = [values[:n_first].reshape(shape) for values in arrays]
        self._others = [values[None, n_first:] for values in arrays]
        self.weights, self.gradient = self._columns[:2]
        self.met, self._multiplicity = np.zeros(shape[0], bool), multiplicity
        self._shift, self.level = shift, shift @ self.weights
        self._max_norm = schedule.max_norm
        self._scalars = iter(schedule.scalars[:, 0])

    def step(self) -> None:
        weights, gradient, first, second = self._columns
        others, others_gradient, others_first, others_second = self._others
        clip_and_move_columns(
            weights,
            gradient,
            first,
            second,
            self.met,
            self._multiplicity,
            others,
            others_gradient,
            others_first,
            others_second,
            self._shift,
            self.level,
            self._max_norm,
            next(self._scalars),
        )


class FirstLayer(Protocol):
    """Weights of H hidden units on D features."""

    def in_order(self, initial: np.ndarray) -> np.ndarray:
        """A copy of (P,) parameters that begin with weights (H, D), with these in the order of this layer."""

    def optimiser(
        self,
        parameters: np.ndarray,
        gradient: np.ndarray,
        schedule: Schedule,
        multiplicity: np.ndarray | None,
    ) -> Optimiser:
        """What moves (P,) parameters in that order, of which the first H · D become the weights of this layer.

        The (P,) gradient of the others is filled by the caller. The multiplicity is in the order of `initial`.
        """

    def forward(self, rows: np.ndarray, hidden: np.ndarray) -> None:
        """Write the hidden units (H, B) of the training rows (B,) int64."""

    def backward(self, residual: np.ndarray) -> None:
        """Fill the gradient from the derivative (H, B) by the hidden units of the last `forward`."""

    def apply(self, features: "np.ndarray | ShiftedSparse") -> np.ndarray:
        """(H, m) hidden units of another part."""


class DenseFirstLayer:
    """Products of (n, D) float32 features."""

    def __init__(self, features: np.ndarray, *, hidden: int) -> None:
        self._features = features
        self._shape = (hidden, features.shape[1])
        self._batch = np.empty((0, features.shape[1]), np.float32)

    def in_order(self, initial: np.ndarray) -> np.ndarray:
        """The parameters unit by unit, as they are."""
        return initial.copy()

    def optimiser(
        self,
        parameters: np.ndarray,
        gradient: np.ndarray,
        schedule: Schedule,
        multiplicity: np.ndarray | None,
    ) -> Optimiser:
        self._weights, self._gradient = (_first(values, self._shape) for values in (parameters, gradient))
        return AdamW(parameters, gradient, schedule, multiplicity=multiplicity)

    def forward(self, rows: np.ndarray, hidden: np.ndarray) -> None:
        if len(self._batch) != len(rows):
            self._batch = np.empty((len(rows), self._shape[1]), np.float32)
        # "clip" never clips here, but spares the copy that "raise" makes to be able to go back
        self._features.take(rows, axis=0, out=self._batch, mode="clip")
        np.dot(self._weights, self._batch.T, out=hidden)

    def backward(self, residual: np.ndarray) -> None:
        np.dot(residual, self._batch, out=self._gradient)

    def apply(self, features: "np.ndarray | ShiftedSparse") -> np.ndarray:
        hidden: np.ndarray = (features @ self._weights.T).T
        return hidden


class SparseFirstLayer:
    """Products that cost what the entries of the features cost."""

    def __init__(self, features: "ShiftedSparse", *, hidden: int) -> None:
        self._entries, self._shift = features.entries(), features.shift
        self._shape = (features.shape[1], hidden)
        self._rows = np.empty(0, np.int64)

    def in_order(self, initial: np.ndarray) -> np.ndarray:
        """The parameters column by column of the features."""
        width, hidden = self._shape
        return np.concatenate([_first(initial, (hidden, width)).T.ravel(), initial[width * hidden :]])

    def optimiser(
        self,
        parameters: np.ndarray,
        gradient: np.ndarray,
        schedule: Schedule,
        multiplicity: np.ndarray | None,
    ) -> Optimiser:
        width = self._shape[0]
        self._optimiser = AdamWOfColumns(
            parameters,
            gradient,
            schedule,
            shape=self._shape,
            shift=self._shift,
            multiplicity=np.ones(width, np.float32) if multiplicity is None else multiplicity[:width].copy(),
        )
        return self._optimiser

    def forward(self, rows: np.ndarray, hidden: np.ndarray) -> None:
        self._rows, own = rows, self._optimiser
        multiply_rows(*self._entries, rows, own.weights, own.level, hidden)

    def backward(self, residual: np.ndarray) -> None:
        # The shift adds nothing: batch normalisation makes the derivatives of a batch sum to 0.
        add_rows(*self._entries, self._rows, residual, self._optimiser.gradient, self._optimiser.met)

    def apply(self, features: "np.ndarray | ShiftedSparse") -> np.ndarray:
        return (features @ self._optimiser.weights).T


def _first(values: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """A view of the first of (P,) values."""
    return values[: shape[0] * shape[1]].reshape(shape)


class MlpTraining:
    """Linear → batch norm → ReLU → linear.

    Parameters
    ----------
    problem
        (n, D) training features, dense or sparse, and initial parameters from `mlp_parameters`.
    labels
        (n,) int64.
    schedule
        Of one probe.
    n_outputs
        1 for two classes, else the number of classes.
    hidden
        H, units of the hidden layer.
    """

    def __init__(
        self, problem: Problem[Any], labels: np.ndarray, schedule: Schedule, *, n_outputs: int, hidden: int
    ) -> None:
        self._labels, self._schedule = labels, schedule
        self._first_layer: FirstLayer = (
            DenseFirstLayer(problem.train, hidden=hidden)
            if isinstance(problem.train, np.ndarray)
            else SparseFirstLayer(problem.train, hidden=hidden)
        )
        parameters = self._first_layer.in_order(problem.initial)
        gradient = np.zeros_like(parameters)
        n_first = hidden * problem.train.shape[1]
        self._layers, self._layer_gradients = (
            _split(values[n_first:], hidden, n_outputs) for values in (parameters, gradient)
        )
        self._running_mean, self._running_variance = np.zeros(hidden, np.float32), np.ones(hidden, np.float32)
        self._optimiser = self._first_layer.optimiser(parameters, gradient, schedule, problem.multiplicity)
        self._steps = 0
        self._epochs: list[tuple[np.ndarray, np.ndarray]] = []  # logits and labels

    def epoch(self, rows: np.ndarray) -> None:
        """Train on every batch of (1, batches, B) int64 row numbers."""
        [batches] = rows
        n_batches, n = batches.shape
        labels = self._labels[batches]
        logits = np.empty((n_batches, len(self._layers[-1]), n), np.float32)
        hidden = np.empty((len(self._running_mean), n), np.float32)
        scale, shift, weights, bias = self._layers
        g_scale, g_shift, g_weights, g_bias = self._layer_gradients
        for step, batch in enumerate(batches):
            self._first_layer.forward(batch, hidden)
            forward_and_back(
                hidden,
                labels[step],
                scale,
                shift,
                weights,
                bias,
                g_scale,
                g_shift,
                g_weights,
                g_bias,
                self._running_mean,
                self._running_variance,
                logits[step],
            )
            self._first_layer.backward(hidden)
            self._optimiser.step()
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


def _split(flat: np.ndarray, hidden: int, n_outputs: int) -> tuple[np.ndarray, ...]:
    """Views: scale and shift of the batch norm, output weights, output bias."""
    sizes = [hidden, hidden, n_outputs * hidden, n_outputs]
    scale, shift, last, bias = np.split(flat, np.cumsum(sizes)[:-1])
    return scale, shift, last.reshape(n_outputs, hidden), bias
