"""Scores of out-of-fold predictions and their bootstrap over texts, by confusion matrices in double precision."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from sentflow.stats.effective import numbered
from sentflow.stats.resampling import drawn_counts, percentile_limits


def metric_values(name: str, counts: np.ndarray) -> np.ndarray:
    """The metric of each confusion matrix.

    `name`: ``"mcc"`` or ``"adjusted_macro_f1"``. `counts`: (…, K, K), true classes in rows; weights need not be whole
    numbers. Returns (…) float64, not cut at 0; equal to `sentflow.probing.fold` but for its single precision.
    """
    counts = counts.astype(np.float64)
    return _matthews_correlations(counts) if name == "mcc" else _adjusted_macro_f1s(counts)


def _matthews_correlations(counts: np.ndarray) -> np.ndarray:
    true, predicted = counts.sum(axis=-1), counts.sum(axis=-2)
    n, hits = true.sum(axis=-1), np.trace(counts, axis1=-2, axis2=-1)
    covariance = hits * n - (true * predicted).sum(axis=-1)
    variances = (n * n - (predicted**2).sum(axis=-1)) * (n * n - (true**2).sum(axis=-1))
    undefined = variances <= 0
    values: np.ndarray = np.where(undefined, 0.0, covariance / np.sqrt(np.where(undefined, 1.0, variances)))
    return values


def _adjusted_macro_f1s(counts: np.ndarray) -> np.ndarray:
    n_classes = counts.shape[-1]
    hits = np.diagonal(counts, axis1=-2, axis2=-1)
    total = counts.sum(axis=-1) + counts.sum(axis=-2)
    present = total > 0
    # a class that neither occurs nor is predicted is left out of the mean
    f1 = np.where(present, 2 * hits / np.where(present, total, 1.0), 0.0)
    macro = f1.sum(axis=-1) / np.maximum(present.sum(axis=-1), 1)
    values: np.ndarray = (macro - 1 / n_classes) / (1 - 1 / n_classes)
    return values


@dataclass(frozen=True)
class OutOfFold:
    """Every out-of-fold prediction of one encoder on one task, in any order."""

    # repetition, fold: (m,) int64, 1-based
    repetition: np.ndarray
    fold: np.ndarray
    row: np.ndarray  # (m,) int64 row numbers of the task table; a row occurs at most once in a repetition
    # truth, predicted: (m,) int64 class indices
    truth: np.ndarray
    predicted: np.ndarray


@dataclass(frozen=True)
class Units:
    """What is drawn: texts, or documents where texts share them."""

    of_row: np.ndarray  # (n,) int64, the unit of each row of the task
    # strata: units that are drawn among themselves: those of each class, or all together where documents hold several
    # classes
    strata: list[np.ndarray]
    grouped: bool  # whether units are documents


@dataclass(frozen=True)
class ItemInterval:
    """Percentile interval of the score of pooled out-of-fold predictions."""

    mean: float  # the statistic itself: per repetition the metric of all its predictions, then the mean
    low: float
    high: float
    grouped: bool  # whether documents were drawn


def resampling_units(labels: np.ndarray, groups: Sequence[str | None]) -> Units:
    """The units of a task.

    `labels`: (n,) int64 class indices of all rows, also of those that no fold tests. `groups`: n names of documents,
    None where unknown: such a row is a document of its own.
    """
    of_row = numbered(row if group is None else group for row, group in enumerate(groups))
    n_units = int(of_row.max(initial=-1)) + 1
    lowest, highest = np.full(n_units, np.iinfo(np.int64).max), np.full(n_units, -1)
    np.minimum.at(lowest, of_row, labels)
    np.maximum.at(highest, of_row, labels)
    if (lowest == highest).all():
        strata = [np.flatnonzero(lowest == label) for label in np.unique(labels)]
    else:
        strata = [np.arange(n_units)]
    return Units(of_row, strata, grouped=n_units < len(labels))


def item_replicates(
    predictions: Sequence[OutOfFold],
    units: Units,
    *,
    metric: str,
    n_classes: int,
    n_resamples: int,
    seed: int,
) -> np.ndarray:
    """The statistic of each encoder in each resample, the same resamples for all.

    `predictions`: of M encoders on one task. Returns (n_resamples + 1, M) float64; the first row is the statistic of
    the task as it is.

    Never cut at 0, whatever the protocol does to fold scores: limits of cut values would hide how weak an encoder is. A
    resample draws units with replacement within each stratum; a row weighs as often as its unit was drawn, in every
    repetition in which it was tested.
    """
    tables = [_cells(one, units, n_classes=n_classes) for one in predictions]
    as_it_is = np.ones((1, sum(map(len, units.strata))), np.float32)
    blocks = [
        np.stack([metric_values(metric, _confusions(cells, counts)).mean(axis=1) for cells in tables], axis=1)
        for counts in chain([as_it_is], drawn_counts(units.strata, n_resamples=n_resamples, seed=seed))
    ]
    return np.concatenate(blocks)


def item_interval(
    predictions: OutOfFold,
    units: Units,
    *,
    metric: str,
    n_classes: int,
    level: float,
    n_resamples: int,
    seed: int,
) -> ItemInterval:
    """The interval of one encoder; arguments as for `item_replicates`."""
    statistic = item_replicates(
        [predictions], units, metric=metric, n_classes=n_classes, n_resamples=n_resamples, seed=seed
    )[:, 0]
    low, high = percentile_limits(statistic[1:], level)
    return ItemInterval(float(statistic[0]), low, high, units.grouped)


def _confusions(cells: Sequence[tuple[np.ndarray, np.ndarray]], counts: np.ndarray) -> np.ndarray:
    """(resamples, repetitions, K, K) from the `_cells` of K classes and (resamples, units) numbers of draws."""
    # single precision is exact for whole numbers below 2**24
    parts = [(counts[:, units] @ cell).reshape(len(counts), -1, len(cells)) for units, cell in cells]
    return np.stack(parts, axis=2)


def _cells(predictions: OutOfFold, units: Units, *, n_classes: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Per true class its units, and (units, repetitions · K) counts of how often each is predicted as what."""
    repetitions, places = np.unique(predictions.repetition, return_inverse=True)
    width = len(repetitions) * n_classes
    column = places * n_classes + predictions.predicted
    unit = units.of_row[predictions.row]
    by_truth = []
    for truth in range(n_classes):
        own = predictions.truth == truth
        used, index = np.unique(unit[own], return_inverse=True)
        cells = np.bincount(index * width + column[own], minlength=len(used) * width)
        by_truth.append((used, cells.reshape(len(used), width).astype(np.float32)))
    return by_truth
