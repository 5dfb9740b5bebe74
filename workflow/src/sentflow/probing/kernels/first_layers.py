"""The first layer of an MLP probe, which alone sees the features: its products for dense and for sparse ones."""

from typing import Protocol

import numpy as np
import torch
from scipy.sparse import csr_array

from sentflow.probing.kernels.sparse import ShiftedSparse


class FirstLayer(Protocol):
    """Weights of H hidden units on D features."""

    def initial(self, weights: np.ndarray) -> np.ndarray:
        """(H, D) → (H · D,): the order in which this layer keeps what belongs to its weights."""

    def bind(self, weights: torch.Tensor, gradient: torch.Tensor) -> None:
        """Use these (H · D,) tensors, which others change in place."""

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """(B, H) hidden units of the training rows (B,) int64."""

    def backward(self, residual: torch.Tensor) -> None:
        """Fill the gradient from the derivative (B, H) by the hidden units of the last `forward`."""

    def apply(self, features: "np.ndarray | ShiftedSparse") -> torch.Tensor:
        """(m, H) hidden units of another part."""


class DenseFirstLayer:
    """Products of (n, D) float32 features, in the order of torch's linear layer."""

    def __init__(self, features: np.ndarray, *, hidden: int) -> None:
        self._features = torch.from_numpy(features)
        self._shape = (hidden, features.shape[1])
        self._batch = torch.empty(0, features.shape[1])

    def initial(self, weights: np.ndarray) -> np.ndarray:
        """See `FirstLayer`: unit by unit."""
        return weights.ravel()

    def bind(self, weights: torch.Tensor, gradient: torch.Tensor) -> None:
        """See `FirstLayer`."""
        self._weights, self._gradient = weights.view(self._shape), gradient.view(self._shape)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """See `FirstLayer`."""
        torch.index_select(self._features, 0, rows, out=self._batch)
        return torch.mm(self._batch, self._weights.T)

    def backward(self, residual: torch.Tensor) -> None:
        """See `FirstLayer`."""
        torch.mm(residual.T, self._batch, out=self._gradient)

    def apply(self, features: "np.ndarray | ShiftedSparse") -> torch.Tensor:
        """See `FirstLayer`."""
        return torch.mm(torch.from_numpy(features), self._weights.T)


class SparseFirstLayer:
    """Products that cost what the entries of the features cost."""

    def __init__(self, features: ShiftedSparse, *, hidden: int) -> None:
        self._features = features
        self._shape = (features.shape[1], hidden)
        self._batch: csr_array

    def initial(self, weights: np.ndarray) -> np.ndarray:
        """See `FirstLayer`: feature by feature, for an entry of the features meets all units of its column."""
        return weights.T.ravel()

    def bind(self, weights: torch.Tensor, gradient: torch.Tensor) -> None:
        """See `FirstLayer`."""
        self._weights, self._gradient = (
            values.numpy().reshape(self._shape) for values in (weights, gradient)
        )

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """See `FirstLayer`."""
        self._batch = self._features.matrix[rows.numpy()]
        return torch.from_numpy(self._batch @ self._weights - self._features.shift @ self._weights)

    def backward(self, residual: torch.Tensor) -> None:
        """See `FirstLayer`."""
        # The shift adds nothing: batch normalisation makes the derivatives of a batch sum to 0.
        self._gradient[:] = self._batch.T @ residual.numpy()

    def apply(self, features: "np.ndarray | ShiftedSparse") -> torch.Tensor:
        """See `FirstLayer`."""
        return torch.from_numpy(features @ self._weights)
