"""Limits of a bootstrap that are corrected for its bias and skewness."""

import numpy as np
from scipy.special import ndtr, ndtri


def bca_limits(
    replicates: np.ndarray, observed: float, left_out: np.ndarray, *, level: float
) -> tuple[float, float]:
    """Bias-corrected and accelerated limits.

    Parameters
    ----------
    replicates
        (R,) float64, the statistic in each resample. What is equal to `observed` must be equal in every bit: ties count
        half on either side.
    observed
        The statistic of the sample itself.
    left_out
        (n,) float64, the statistic without each unit that is resampled; not all equal.
    level
        Confidence level.

    Returns
    -------
    tuple
        Both NaN where no replicate is on one side of what was observed.

    Notes
    -----
    Efron 1987, as scipy.stats.bootstrap computes it.
    """
    below, ties = np.count_nonzero(replicates < observed), np.count_nonzero(replicates == observed)
    bias = ndtri((below + ties / 2) / len(replicates))
    if np.isinf(bias):
        return float("nan"), float("nan")
    spread = left_out.mean() - left_out
    acceleration = (spread**3).sum() / (6 * (spread**2).sum() ** 1.5)
    z = bias + ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    low, high = np.percentile(replicates, 100 * ndtr(bias + z / (1 - acceleration * z)))
    return float(low), float(high)
