"""How many dimensions vectors fill."""

import numpy as np


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
