"""How often each unit is drawn in each resample, and the limits of what resamples give: every bootstrap's draws."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

_CELLS_AT_ONCE = 4_000_000  # counts of one block of resamples: 16 MB in single precision
_DRAWS_AT_ONCE = 32_000


@dataclass(frozen=True)
class Bootstrap:
    """How intervals are drawn."""

    level: float  # of the interval, e.g. 0.99.
    n_resamples: int  # how many resamples of the units
    seed: int  # never of the encoder, so that encoders are compared on the same resamples


def drawn_counts(
    strata: Sequence[np.ndarray],
    *,
    n_resamples: int,
    seed: int,
    cells: int | None = None,
    dtype: Any = np.float32,
) -> Iterator[np.ndarray]:
    """How often each unit is drawn, with replacement within its stratum.

    `strata`: numbers of the units, from 0, that are drawn among themselves; each unit is in one stratum. `cells`,
    `dtype`: counts of a block at most (None: `_CELLS_AT_ONCE`), and their type. Where there are several strata, the
    draws depend on the size of a block. Yields (block, units), `n_resamples` rows in all.
    """
    n_units = sum(map(len, strata))
    generator = np.random.default_rng(seed)
    for size in _blocks(n_resamples, n_units, cells or _CELLS_AT_ONCE):
        counts = np.empty((size, n_units), dtype)
        for members in strata:
            n = len(members)
            # few at a time stay in the cache; the draws are the same
            some = max(1, _DRAWS_AT_ONCE // n)
            for begin in range(0, size, some):
                k = min(some, size - begin)
                drawn = generator.integers(0, n, (k, n))
                drawn += np.arange(0, k * n, n)[:, None]
                found = np.bincount(drawn.ravel(), minlength=k * n).reshape(k, n)
                counts[begin : begin + k, members] = found
        yield counts


def multinomial_counts(n: int, bootstrap: Bootstrap) -> Iterator[np.ndarray]:
    """Resampling counts of n units in one stratum, float64, from separate draws; used for intervals of geometry."""
    generator = np.random.default_rng(bootstrap.seed)
    for size in _blocks(bootstrap.n_resamples, n, _CELLS_AT_ONCE):
        yield generator.multinomial(n, np.full(n, 1 / n), size=size).astype(np.float64)


def interval_of_mean(values: np.ndarray, bootstrap: Bootstrap) -> tuple[float, float]:
    """Percentile interval of the mean of (n,) values, n >= 1."""
    blocks = multinomial_counts(len(values), bootstrap)
    return percentile_limits(
        np.concatenate([block @ values / len(values) for block in blocks]), bootstrap.level
    )


def percentile_limits(values: np.ndarray, level: float) -> tuple[float, float]:
    """The limits between which the middle `level` of the values lies; NaN where there are none."""
    if not len(values):
        return math.nan, math.nan
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _blocks(n_resamples: int, n_units: int, cells: int) -> Iterator[int]:
    """Sizes of blocks of resamples, so that memory stays bounded."""
    at_once = max(1, cells // max(n_units, 1))
    for start in range(0, n_resamples, at_once):
        yield min(at_once, n_resamples - start)


def bca_limits(
    replicates: np.ndarray, observed: float, left_out: np.ndarray, *, level: float
) -> tuple[float, float]:
    """Bias-corrected and accelerated limits.

    `replicates`: (R,) float64, the statistic in each resample. What is equal to `observed` must be equal in every bit:
    ties count half on either side. `observed`: the statistic of the sample itself. `left_out`: (n,) float64, the
    statistic without each unit that is resampled; not all equal. Returns low and high; both NaN where no replicate
    is on one side of what was observed.

    Efron 1987, as scipy.stats.bootstrap computes it.
    """
    from scipy.special import ndtr, ndtri  # here, for most who draw need no SciPy

    below, ties = np.count_nonzero(replicates < observed), np.count_nonzero(replicates == observed)
    bias = ndtri((below + ties / 2) / len(replicates))
    if np.isinf(bias):
        return float("nan"), float("nan")
    spread = left_out.mean() - left_out
    acceleration = (spread**3).sum() / (6 * (spread**2).sum() ** 1.5)
    z = bias + ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    low, high = np.percentile(replicates, 100 * ndtr(bias + z / (1 - acceleration * z)))
    return float(low), float(high)
