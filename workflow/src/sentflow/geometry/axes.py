"""Principal axes: how the variance of vectors is shared among them, and vectors whitened along them."""

from dataclasses import dataclass

import numpy as np

# Of the mean square of all vectors: axes with less variance hold the rounding of single precision alone.
_LEAST_SHARE = 1e-14


@dataclass(frozen=True)
class Whitening:
    """x → (x − mean) @ kernel."""

    mean: np.ndarray  # (d,) float64
    # kernel: (d, r) float64, the axes of greatest variance first; r is at most d, less where vectors do not fill d
    # dimensions
    kernel: np.ndarray

    def apply(self, vectors: np.ndarray, dimensions: int | None = None) -> np.ndarray:
        """(n, k) float64, the first k = `dimensions` axes; None for all."""
        wide = np.asarray(vectors, dtype=np.float64)
        whitened: np.ndarray = (wide - self.mean) @ self.kernel[:, :dimensions]
        return whitened


def fit_whitening(vectors: np.ndarray) -> Whitening:
    """The whitening of (n, d) vectors, n >= 2.

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


def spectrum(vectors: np.ndarray) -> np.ndarray:
    """Shares of the variance along the principal axes.

    Parameters
    ----------
    vectors
        (n, d) float64, n >= 2; centred here.

    Returns
    -------
    ndarray
        (d,) eigenvalues of the covariance over their sum, descending; NaN if all vectors are one.
    """
    centred = vectors - vectors.mean(axis=0)
    values = np.clip(np.linalg.eigvalsh(centred.T @ centred)[::-1], 0, None)
    total = values.sum()
    # what rounding leaves of vectors that are all the same is no variance
    if total <= 1e-24 * max(float(np.einsum("ij,ij->", vectors, vectors)), 1e-300):
        return np.full(len(values), np.nan)
    shares: np.ndarray = values / total
    return shares


def effective_rank(shares: np.ndarray) -> float:
    """exp of the entropy of the singular values (Roy & Vetterli 2007, definition 1).

    Parameters
    ----------
    shares
        (d,) of `spectrum`: squared singular values of the centred vectors, up to a factor.

    Returns
    -------
    float
        In [1, d]: 1 if all vectors lie on one line, d if all axes are alike; NaN for NaN.
    """
    singular = np.sqrt(shares)
    parts = singular / singular.sum()
    used = parts[parts > 0]
    return float(np.exp(-(used * np.log(used)).sum())) if len(used) else float("nan")
