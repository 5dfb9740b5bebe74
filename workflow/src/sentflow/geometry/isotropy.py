"""Isotropy: do vectors point in all directions alike?"""

import numpy as np

from sentflow.stats.resampling import Bootstrap, multinomial_counts, percentile_limits


def average_cosine(unit: np.ndarray) -> float:
    """Mean cosine of all pairs i < j (Ethayarajh 2019, "anisotropy" of sentences).

    Parameters
    ----------
    unit
        (n, d) vectors of length one, float64; zero vectors count with a cosine of 0.

    Returns
    -------
    float
        In [−1/(n − 1), 1]: about 0 for directions that cancel, 1 if all vectors point the same way; NaN for n < 2.

    Notes
    -----
    The cosines of all ordered pairs and of each vector with itself sum to ‖Σ u‖², so no pair is formed.
    """
    n = len(unit)
    if n < 2:
        return float("nan")
    total = unit.sum(axis=0)
    return float((total @ total - np.einsum("ij,ij->", unit, unit)) / (n * (n - 1)))


def average_cosine_interval(unit: np.ndarray, bootstrap: Bootstrap) -> tuple[float, float]:
    """Percentile interval of `average_cosine` over sentences drawn with replacement.

    Parameters
    ----------
    unit
        (n, d) vectors of length one, float64, n >= 2.
    bootstrap
        See `Bootstrap`.

    Notes
    -----
    Two draws of the same sentence are no pair: they would pull every resample towards 1.
    """
    own = np.einsum("ij,ij->i", unit, unit)
    found = []
    for weights in multinomial_counts(len(unit), bootstrap):
        totals = weights @ unit
        squares = weights**2
        pairs = len(unit) ** 2 - squares.sum(axis=1)
        found.append((np.einsum("ij,ij->i", totals, totals) - squares @ own) / pairs)
    return percentile_limits(np.concatenate(found), bootstrap.level)


def partition_ratio(unit: np.ndarray) -> float:
    """Least over greatest value of the partition function Z(a) = Σ exp(a · u) over principal directions.

    Parameters
    ----------
    unit
        (n, d) vectors of length one, float64, n >= 1.

    Returns
    -------
    float
        In (0, 1]; 1 is isotropic.

    Notes
    -----
    Mu & Viswanath 2018, section 2.2, I(W) ≈ min Z(a) / max Z(a) over the eigenvectors a of WᵀW, after Arora et al.
    2016. Two choices of ours: vectors have length one, so that the scale of an encoder does not decide; and each
    direction counts with both signs, for the sign of an eigenvector is the whim of a library.
    """
    _, directions = np.linalg.eigh(unit.T @ unit)
    along = unit @ directions
    sums = np.concatenate([np.exp(along).sum(axis=0), np.exp(-along).sum(axis=0)])
    return float(sums.min() / sums.max())
