"""Vectors without correlations between their values, and of unit variance along every axis."""

from dataclasses import dataclass

import numpy as np

# Of the mean square of all vectors: axes with less variance hold the rounding of single precision alone.
_LEAST_SHARE = 1e-14


@dataclass(frozen=True)
class Whitening:
    """x → (x − mean) @ kernel.

    Attributes
    ----------
    mean
        (d,) float64.
    kernel
        (d, r) float64, the axes of greatest variance first; r is at most d, less where vectors do not fill d
        dimensions.
    """

    mean: np.ndarray
    kernel: np.ndarray

    def apply(self, vectors: np.ndarray, dimensions: int | None = None) -> np.ndarray:
        """(n, k) float64, the first k = `dimensions` axes; None for all."""
        wide = np.asarray(vectors, dtype=np.float64)
        whitened: np.ndarray = (wide - self.mean) @ self.kernel[:, :dimensions]
        return whitened


def fit_whitening(vectors: np.ndarray) -> Whitening:
    """The whitening of (n, d) vectors, n >= 2.

    Notes
    -----
    Su, Cao, Liu & Ou 2021 (BERT-whitening), algorithm 1: covariance = U Λ Uᵀ, kernel = U Λ^(−1/2), its first k columns
    for k dimensions. They divide by n, as here. They do not say what becomes of axes without variance: they are left
    out, for rounding divided by rounding would be noise of unit variance.
    """
    wide = np.asarray(vectors, dtype=np.float64)
    mean = wide.mean(axis=0)
    centred = wide - mean
    values, axes = np.linalg.eigh(centred.T @ centred / len(wide))
    values, axes = values[::-1], axes[:, ::-1]
    kept = values > _LEAST_SHARE * np.einsum("ij,ij->", wide, wide) / len(wide)
    return Whitening(mean, axes[:, kept] / np.sqrt(values[kept]))
