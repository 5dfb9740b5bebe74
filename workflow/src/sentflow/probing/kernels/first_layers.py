"""The first layer of an MLP probe, which alone sees the features: its products for dense and for sparse ones.

Hidden values are (H, B), a line per unit: what follows, batch normalisation above all, goes unit by unit.
"""

from typing import TYPE_CHECKING, Protocol

import numpy as np

from sentflow.probing.kernels.loops.sparse import add_rows, multiply_rows

if TYPE_CHECKING:
    from sentflow.probing.kernels.sparse import ShiftedSparse


class FirstLayer(Protocol):
    """Weights of H hidden units on D features."""

    def initial(self, weights: np.ndarray) -> np.ndarray:
        """(H, D) → (H · D,): the order in which this layer keeps what belongs to its weights."""

    def bind(self, weights: np.ndarray, gradient: np.ndarray) -> None:
        """Use these (H · D,) arrays, which others change in place."""

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

    def initial(self, weights: np.ndarray) -> np.ndarray:
        """See `FirstLayer`: unit by unit."""
        return weights.ravel()

    def bind(self, weights: np.ndarray, gradient: np.ndarray) -> None:
        """See `FirstLayer`."""
        self._weights, self._gradient = weights.reshape(self._shape), gradient.reshape(self._shape)

    def forward(self, rows: np.ndarray, hidden: np.ndarray) -> None:
        """See `FirstLayer`."""
        if len(self._batch) != len(rows):
            self._batch = np.empty((len(rows), self._shape[1]), np.float32)
        # "clip" never clips here, but spares the copy that "raise" makes to be able to go back
        self._features.take(rows, axis=0, out=self._batch, mode="clip")
        np.dot(self._weights, self._batch.T, out=hidden)

    def backward(self, residual: np.ndarray) -> None:
        """See `FirstLayer`."""
        np.dot(residual, self._batch, out=self._gradient)

    def apply(self, features: "np.ndarray | ShiftedSparse") -> np.ndarray:
        """See `FirstLayer`."""
        hidden: np.ndarray = (features @ self._weights.T).T
        return hidden


class SparseFirstLayer:
    """Products that cost what the entries of the features cost."""

    def __init__(self, features: "ShiftedSparse", *, hidden: int) -> None:
        self._entries, self._shift = features.entries(), features.shift
        self._shape = (features.shape[1], hidden)
        self._rows = np.empty(0, np.int64)

    def initial(self, weights: np.ndarray) -> np.ndarray:
        """See `FirstLayer`: feature by feature, for an entry of the features meets all units of its column."""
        return weights.T.ravel()

    def bind(self, weights: np.ndarray, gradient: np.ndarray) -> None:
        """See `FirstLayer`."""
        self._weights, self._gradient = weights.reshape(self._shape), gradient.reshape(self._shape)

    def forward(self, rows: np.ndarray, hidden: np.ndarray) -> None:
        """See `FirstLayer`."""
        self._rows = rows
        multiply_rows(*self._entries, rows, self._weights, self._shift @ self._weights, hidden)

    def backward(self, residual: np.ndarray) -> None:
        """See `FirstLayer`."""
        # The shift adds nothing: batch normalisation makes the derivatives of a batch sum to 0.
        add_rows(*self._entries, self._rows, residual, self._gradient)

    def apply(self, features: "np.ndarray | ShiftedSparse") -> np.ndarray:
        """See `FirstLayer`."""
        return (features @ self._weights).T
