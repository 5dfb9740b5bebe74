"""The first layer of an MLP probe, which alone sees the features: its products for dense and for sparse ones.

Hidden values are (H, B), a line per unit: what follows, batch normalisation above all, goes unit by unit.
"""

from typing import TYPE_CHECKING, Protocol

import numpy as np

from sentflow.probing.kernels.adamw import AdamW, AdamWOfColumns, Optimiser
from sentflow.probing.kernels.loops.sparse_layer import add_rows, multiply_rows
from sentflow.probing.kernels.schedule import Schedule

if TYPE_CHECKING:
    from sentflow.probing.kernels.sparse import ShiftedSparse


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
