"""The published aggregation and its bootstrap interval, bit for bit.

Source: ulysses-camara/ulysses-senteval@f2a12c2. The interval answers one question: where would the mean of
these fold scores be if only the shuffling of these texts changed? It is too narrow for any claim about other
texts (the fold scores share their training data): `sentflow.stats.paired.CorrectedT` has one for claims.
"""

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from sentflow.stats.resampling import bca_limits

MAX_SEED = 2**32 - 1
PUBLISHED_SEED, PUBLISHED_LEVEL = 9847706, 0.99  # published evaluator, f2a12c2
PER_EPOCH = ("loss_per_epoch_eval", "loss_per_epoch_train", "metric_per_epoch_eval")
_DRAWN_AT_ONCE = 1 << 15
QUANTITIES = (
    "loss_per_epoch_eval",
    "loss_per_epoch_train",
    "loss_test",
    "metric_per_epoch_eval",
    "metric_test",
)


class Columns(Protocol):
    """Named columns of equal length: a data frame, or a mapping of arrays."""

    def __getitem__(self, name: str, /) -> Any: ...


def summarise(
    scores: Columns,
    *,
    n_resamples: int = 10_000,
    seed: int = PUBLISHED_SEED,
    reflect: bool = True,
    undefined: bool = True,
) -> dict[str, Any]:
    """Aggregate the unaggregated table of one task, as published.

    `scores`: columns kfold_repetition, train_epoch, metric, value (see `CrossValidation.scores`). `seed`: the master
    seed of the protocol. `reflect`, `undefined`: see `published_intervals`. Returns ``avg_Q``, ``std_Q``,
    ``ci99_low_Q``, ``ci99_high_Q`` for each quantity Q: a number for loss_test and metric_test, else one value per
    epoch over the folds that reached it.
    """
    metrics, epochs = np.asarray(scores["metric"]), np.asarray(scores["train_epoch"])
    values = np.asarray(scores["value"], dtype=np.float64)
    repetitions = len(np.unique(np.asarray(scores["kfold_repetition"])))
    seeds = quantity_seeds(bootstrap_seed(seed, repetitions=repetitions))
    summary: dict[str, Any] = {}
    for name in QUANTITIES:
        chosen = metrics == name
        samples = [values[chosen & (epochs == epoch)] for epoch in np.unique(epochs[chosen])]
        intervals = published_intervals(
            samples,
            seed=seeds[name],
            n_resamples=n_resamples,
            level=PUBLISHED_LEVEL,
            reflect=reflect,
            undefined=undefined,
        )
        columns = {
            f"avg_{name}": [float(sample.mean()) for sample in samples],
            f"std_{name}": [float(sample.std(ddof=1)) if len(sample) > 1 else 0.0 for sample in samples],
            f"ci99_low_{name}": [low for low, _ in intervals],
            f"ci99_high_{name}": [high for _, high in intervals],
        }
        summary |= columns if name in PER_EPOCH else {key: column[0] for key, column in columns.items()}
    return summary


def bootstrap_seed(seed: int, *, repetitions: int) -> int:
    """The master generator's draw after those of the repetitions."""
    master = np.random.RandomState(seed)
    master.randint(0, MAX_SEED, size=repetitions)
    return int(master.randint(0, MAX_SEED))


def quantity_seeds(seed: int) -> Mapping[str, int]:
    """One bootstrap seed per quantity, drawn in the sorted order of their names."""
    generator = np.random.RandomState(seed)
    return {name: int(generator.randint(0, MAX_SEED)) for name in QUANTITIES}


def published_intervals(
    samples: list[np.ndarray],
    *,
    seed: int,
    n_resamples: int,
    level: float,
    reflect: bool = True,
    undefined: bool = True,
) -> list[tuple[float, float]]:
    """The published interval of the mean of each sample; all start from the same seed.

    `samples`: 1-D float64 arrays. Those of one length share their resampled indices, which are the same draws.
    `reflect`: mirror each interval around the mean, as published; else the proper BCa interval. `undefined`: no limits
    where all values are equal (NaN), as published; else both are the mean.
    """
    intervals = []
    for sample in samples:
        low, high = reflected_bca(sample, _resampled_rows(seed, len(sample), n_resamples), level=level)
        if not undefined and (sample == sample[0]).all():
            low = high = float(sample[0])
        if not reflect:  # the published interval on the other side of the mean is the proper one
            centre = float(sample.mean())
            low, high = 2 * centre - high, 2 * centre - low
        intervals.append((low, high))
    return intervals


@lru_cache(maxsize=128)
def _resampled_rows(seed: int, n: int, n_resamples: int) -> np.ndarray:
    """(n_resamples, n) rows: those of all tasks and encoders of a protocol, whose seeds are the same."""
    drawn = np.random.RandomState(seed).randint(0, n, size=(n_resamples, n))
    rows = drawn.astype(np.min_scalar_type(n - 1))
    rows.flags.writeable = False
    return rows


def reflected_bca(sample: np.ndarray, rows: np.ndarray, *, level: float) -> tuple[float, float]:
    """BCa interval of (mean − resampled mean), added back to the mean: the mirror image of the usual one.

    `sample`: (n,) float64. `rows`: (resamples, n) indices into the sample.

    Efron 1987, as scipy.stats.bootstrap computes it. The resampled means are averages of the drawn values, not a count
    matrix times the values: the latter's rounding breaks exact ties and moves the bias correction.
    """
    n, mean = len(sample), sample.mean()
    if n == 1:
        return float(mean), float(mean)
    if (sample == sample[0]).all():
        return math.nan, math.nan
    left_out = mean - (sample.sum() - sample) / (n - 1)
    low, high = bca_limits(mean - _resampled_means(sample, rows), 0.0, left_out, level=level)
    return float(low + mean), float(high + mean)


def _resampled_means(sample: np.ndarray, rows: np.ndarray) -> np.ndarray:
    means = np.empty(len(rows))
    at_once = max(1, _DRAWN_AT_ONCE // len(sample))
    for start in range(0, len(rows), at_once):
        some = slice(start, start + at_once)
        # "raise" would copy them once more
        sample.take(rows[some], mode="clip").mean(axis=1, out=means[some])
    return means
