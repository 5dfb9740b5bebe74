"""Almost stochastic order: how far is one distribution of scores from being better than another at every quantile?"""

import numpy as np
from scipy.special import ndtri


def violation_ratio(a: np.ndarray, b: np.ndarray) -> float:
    """How much of the distance between two samples speaks against a being the better one.

    Parameters
    ----------
    a, b
        (n,) and (m,) float64 scores, higher is better; n and m at least 1.

    Returns
    -------
    float
        In [0, 1]: 0 where no quantile of a is below that of b, 1 where none is above, 0.5 where both samples are equal.

    Notes
    -----
    ε_W2 = ∫ max(0, G⁻¹ − F⁻¹)² / ∫ (G⁻¹ − F⁻¹)² with the quantile functions F⁻¹ of a and G⁻¹ of b. del Barrio,
    Cuesta-Albertos and Matrán 2018, An optimal transportation approach for assessing almost stochastic order, equation
    4; Dror, Shlomov and Reichart 2019, Deep dominance. Quantile functions of samples are steps, so the integrals are
    sums without error.
    """
    return float(_ratios(np.sort(a)[None], np.sort(b)[None])[0])


def least_violation(
    a: np.ndarray, b: np.ndarray, *, level: float = 0.95, n_resamples: int, seed: int
) -> float:
    """ε_min: the least ε for which a is almost stochastically better than b at a level of confidence.

    Parameters
    ----------
    a, b
        (n,) and (m,) float64 scores of independent trainings, at least two each; higher is better.
    level
        1 − α of the one-sided statement.
    n_resamples, seed
        Of the bootstrap of both samples.

    Returns
    -------
    float
        In [0, 1]. Below 0.5, a is better in more of the distance than not; 0.2 is the limit that keeps the error of
        the statement low for few scores (Ulmer, Hardmeier and Frellsen 2022). 0.5 where all scores are equal.

    Raises
    ------
    ValueError
        A sample has fewer than two scores.

    Notes
    -----
    ε_min = ε − √((n + m) / (n m)) σ̂ Φ⁻¹(1 − level), with σ̂ the standard deviation of √(n m / (n + m)) ε* over
    resamples; Dror et al. 2019, section 5. The population is new seeds of both trainings, on the same data. Where each
    score of a is above each of b, so are those of every resample, and ε_min is 0 whatever their number: with few
    seeds that is no proof.
    """
    if min(len(a), len(b)) < 2:
        raise ValueError(f"{len(a)} and {len(b)} scores: ε_min needs two of each.")
    generator = np.random.default_rng(seed)
    drawn = [np.sort(one[generator.integers(0, len(one), (n_resamples, len(one)))], axis=1) for one in (a, b)]
    # √(n m / (n + m)) multiplies σ̂ and divides the bound, so it cancels
    bound = violation_ratio(a, b) + float(ndtri(level)) * float(_ratios(*drawn).std())
    return min(max(bound, 0.0), 1.0)


def _ratios(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(R,) ratios of (R, n) and (R, m) sorted samples."""
    n, m = a.shape[1], b.shape[1]
    # ends of the steps of either quantile function, in units of 1 / (n m)
    ends = np.union1d(np.arange(1, n + 1) * m, np.arange(1, m + 1) * n)
    widths = np.diff(ends, prepend=0)
    above = b[:, -(-ends // n) - 1] - a[:, -(-ends // m) - 1]
    squares = above**2 * widths
    total = squares.sum(axis=1)
    against = np.where(above > 0, squares, 0.0).sum(axis=1)
    return np.asarray(np.divide(against, total, out=np.full(len(total), 0.5), where=total > 0))
