"""All pairs of m systems at once, by the range of their means: Tukey's honestly significant differences."""

import math

import numpy as np
from scipy.stats import studentized_range

_CELLS_AT_ONCE = 100_000  # of one block of permuted scores: 1 MB, so that it stays near the processor
_ROUNDING = 1e-12  # of the sum of absolute scores; ranges that are closer than this count as equal


def randomised_tukey(scores: np.ndarray, *, n_resamples: int, seed: int) -> np.ndarray:
    """p of every two systems, adjusted for all pairs, without a distribution of scores.

    Parameters
    ----------
    scores
        (m, n) float64 of m systems on n units, m >= 2. What is permuted as one, such as the questions of a cluster, is
        one column: their sum.
    n_resamples, seed
        B permutations, and where they come from.

    Returns
    -------
    np.ndarray
        (m, m) float64 in (0, 1], symmetric, 1 on the diagonal.

    Notes
    -----
    The m scores are permuted within each unit, and range* is the largest mean less the smallest:
    p_ij = (1 + #{range* ≥ |x̄_i − x̄_j|}) / (B + 1). Carterette 2012, ACM TOIS 30(1), article 4. The null hypothesis is
    that all systems are alike, so a p below α among unequal systems says less than it does among equal ones.
    """
    scores = scores[:, np.ptp(scores, axis=0) > 0]  # where all systems have the same score, nothing can move
    m, n = scores.shape
    generator = np.random.default_rng(seed)
    ranges = np.empty(n_resamples)
    at_once = max(1, _CELLS_AT_ONCE // max(1, scores.size))
    for start in range(0, n_resamples, at_once):
        some = slice(start, min(start + at_once, n_resamples))
        as_it_is = np.broadcast_to(scores.T, (some.stop - start, n, m))
        ranges[some] = np.ptp(generator.permuted(as_it_is, axis=2).sum(axis=1), axis=1)
    ranges.sort()
    sums = scores.sum(axis=1)
    least = np.abs(sums[:, None] - sums) - _ROUNDING * np.abs(scores).sum()
    below = np.searchsorted(ranges, least)
    return np.asarray((1 + n_resamples - below) / (n_resamples + 1))


def two_way_tukey(scores: np.ndarray) -> np.ndarray:
    """p of every two systems, adjusted for all pairs, for normal residuals of equal variance.

    Parameters
    ----------
    scores
        (m, n) float64 of m systems on n units, both at least 2.

    Returns
    -------
    np.ndarray
        (m, m) float64 in [0, 1], symmetric, 1 on the diagonal; NaN off it where no residual is left.

    Notes
    -----
    q = |x̄_i − x̄_j| / √(V / n) with V = Σ (x_ij − x̄_i· − x̄_·j + x̄··)² / ((m − 1)(n − 1)), against the studentised range
    of m means with (m − 1)(n − 1) degrees of freedom. Tukey 1953; for two systems it is the paired t-test.
    """
    m, n = scores.shape
    means, error = scores.mean(axis=1), residual_error(scores)
    p = np.ones((m, m))
    first, second = np.triu_indices(m, 1)
    if error <= 1e-12 * float(np.abs(scores).max()):
        found = np.where(means[first] == means[second], 1.0, math.nan)
    else:
        found = studentized_range.sf(np.abs(means[first] - means[second]) / error, m, (m - 1) * (n - 1))
    p[first, second] = p[second, first] = found
    return p


def residual_error(scores: np.ndarray) -> float:
    """√(V / n) of `two_way_tukey`: the standard error of a mean, without what units have in common."""
    m, n = scores.shape
    residuals = scores - scores.mean(axis=1)[:, None] - scores.mean(axis=0) + scores.mean()
    return math.sqrt(float((residuals**2).sum()) / ((m - 1) * (n - 1) * n))
