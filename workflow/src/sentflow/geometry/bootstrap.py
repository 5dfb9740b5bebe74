"""Percentile intervals of means, by drawing sentences (or pairs of them) with replacement."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

_CELLS_AT_ONCE = 4_000_000  # draws of one block of resamples: 32 MB


@dataclass(frozen=True)
class Bootstrap:
    """How intervals are drawn.

    Attributes
    ----------
    level
        Of the interval, e.g. 0.99.
    n_resamples, seed
        Of the bootstrap; the draws do not depend on the encoder.
    """

    level: float
    n_resamples: int
    seed: int


def weights_of_resamples(n: int, bootstrap: Bootstrap) -> Iterator[np.ndarray]:
    """How often each of n items is drawn in each resample: blocks of (k, n) float64, `n_resamples` rows in all."""
    rng = np.random.default_rng(bootstrap.seed)
    step = max(1, _CELLS_AT_ONCE // max(n, 1))
    for start in range(0, bootstrap.n_resamples, step):
        size = min(step, bootstrap.n_resamples - start)
        yield rng.multinomial(n, np.full(n, 1 / n), size=size).astype(float)


def interval_of_mean(values: np.ndarray, bootstrap: Bootstrap) -> tuple[float, float]:
    """Percentile interval of the mean of (n,) values, n >= 1."""
    blocks = weights_of_resamples(len(values), bootstrap)
    return limits(np.concatenate([block @ values / len(values) for block in blocks]), bootstrap)


def limits(statistics: np.ndarray, bootstrap: Bootstrap) -> tuple[float, float]:
    """The limits between which the middle `level` of the resamples' statistics lies."""
    tail = (1 - bootstrap.level) / 2
    low, high = np.quantile(statistics, [tail, 1 - tail])
    return float(low), float(high)
