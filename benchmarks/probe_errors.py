"""Standard errors of cross-validated scores by several procedures; what probe_procedures.py compares.

A score is the Matthews correlation of balanced classes. Its contributions are those of rows, to first order: a
document's is the sum over its rows, and the error is that of their sum.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import stdtrit
from scipy.stats import f as f_distribution

from real_probes import CrossValidated, Predicted, RealTask, balanced_matthews, decided, ridge
from sentflow.stats.confusions import metric_values
from sentflow.stats.effective import effective_clusters

OVERLAP = (
    0.64  # share of the rows that a fold trains on, so of those that two folds of different repetitions share
)
RESAMPLES = 50  # of the bootstrap, as many as its authors use


class Tested(Protocol):
    """One procedure on one sample, for one quantity."""

    @property
    def mean(self) -> float:
        """Its estimate."""

    @property
    def error(self) -> float:
        """Its standard error; NaN where it has none."""

    def rejects(self, away: float) -> bool:
        """Whether the test at 5 % would reject if the estimate were so far from what is tested."""


@dataclass(frozen=True)
class ByT:
    """An estimate with a standard error and degrees of freedom."""

    mean: float
    error: float
    freedom: float

    def rejects(self, away: float) -> bool:
        """See `Tested`."""
        return abs(away) > float(stdtrit(self.freedom, 0.975)) * self.error


@dataclass(frozen=True)
class FiveByTwo:
    """The combined 5 × 2 cv F test.

    Attributes
    ----------
    values
        (5, 2) differences of the folds.

    Notes
    -----
    Alpaydin 1999, Neural Computation 11, 1885–1892.
    """

    values: np.ndarray

    @property
    def mean(self) -> float:
        """Mean of the ten."""
        return float(self.values.mean())

    @property
    def error(self) -> float:
        """There is none beside the statistic."""
        return math.nan

    def rejects(self, away: float) -> bool:
        """See `Tested`."""
        spread = self.values.var(axis=1, ddof=1).sum()
        statistic = np.square(self.values - self.mean + away).sum() / (2 * spread)
        return bool(statistic > f_distribution.isf(0.05, 10, 5))


class Linear(NamedTuple):
    """A score near what was found.

    Attributes
    ----------
    score
        (…) Matthews correlation of classes of equal weight.
    contributions
        (…, m) of the rows to its error; they sum to 0 within each class.
    slopes
        (…, m) what a score gains per row that is called positive.
    """

    score: np.ndarray
    contributions: np.ndarray
    slopes: np.ndarray


def linear(positive: np.ndarray, labels: np.ndarray, there: np.ndarray) -> Linear:
    """A score and the contributions of its rows.

    Parameters
    ----------
    positive
        (…, m) float64 in [0, 1]: how often a row is called positive.
    labels
        (m,) int64, two classes.
    there
        (…, m) bool: the rows that are tested.
    """
    shares, numbers = [], []
    for label in (1, 0):
        own = there & (labels == label)
        numbers.append(np.maximum(own.sum(axis=-1, keepdims=True), 1))
        shares.append((positive * own).sum(axis=-1, keepdims=True) / numbers[-1])
    right, wrong = shares
    spread = (right + wrong) * (2 - right - wrong)
    safe = np.where(spread > 0, spread, np.inf)
    common = (right - wrong) * (1 - right - wrong) / safe**1.5
    slopes = np.where(
        labels == 1, (1 / np.sqrt(safe) - common) / numbers[0], (-1 / np.sqrt(safe) - common) / numbers[1]
    )
    contributions = np.where(there, slopes * (positive - np.where(labels == 1, right, wrong)), 0.0)
    return Linear(balanced_matthews(right, wrong)[..., 0], contributions, slopes)


def by_unit(contributions: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """(…, units) sums of (…, m)."""
    flat = contributions.reshape(-1, len(unit))
    sums = np.stack([np.bincount(unit, own, minlength=unit.max() + 1) for own in flat])
    return sums.reshape(*contributions.shape[:-1], -1)


def item_variance(contributions: np.ndarray, sizes: np.ndarray) -> float:
    """Of the score, by leaving out each unit, to first order.

    Parameters
    ----------
    contributions
        (units,) of the score.
    sizes
        (units,) their tested rows.
    """
    n = np.count_nonzero(sizes)
    return float((n - 1) / n * np.square(contributions / (1 - sizes / sizes.sum())).sum())


def from_folds(scores: np.ndarray, folds: int, freedom: float) -> ByT:
    """Corrected t of (J,) scores."""
    error = scores.std(ddof=1) * math.sqrt(1 / len(scores) + 1 / (folds - 1))
    return ByT(float(scores.mean()), error, freedom)


def from_items(found: Predicted, weights: np.ndarray, unit: np.ndarray, freedom: float) -> dict[str, ByT]:
    """Procedures that need what every row was predicted: Bayle et al. 2020, and corrections of theirs.

    Parameters
    ----------
    weights
        (M,) of the encoders' scores.
    unit
        (m,) int64: what is independent, the row or its document.
    """
    there = found.fold_of >= 0
    near = linear(found.positive.astype(np.float64), found.labels, there)
    mean = float(weights @ near.score.mean(axis=1))
    own = np.bincount(unit, weights @ near.contributions.mean(axis=1))
    sizes = np.bincount(unit, there.mean(axis=0))
    items = item_variance(own, sizes)
    every = [
        item_variance(np.bincount(unit, one), np.bincount(unit, own_there, minlength=len(own)))
        for one, own_there in zip(np.einsum("m,mrn->rn", weights, near.contributions), there, strict=True)
    ]
    scores = found.scores @ weights
    # items alone give scores of folds, which share a sample, k − 1 times the variance of their mean
    training = max(0.0, scores.var(ddof=1) - (found.folds - 1) * items)
    # a probe is near its best, so what training rows do to its score is quadratic in them
    shared = OVERLAP**2 / (1 - OVERLAP**2)
    variances = {
        "items": items,
        "items, times k/(k − 1)": items * found.folds / (found.folds - 1),
        "items of one repetition": float(np.mean(every)),
        "items and folds": items + training / len(scores),
        "items and overlapping folds": items + training * (shared + 1 / len(scores)),
    }
    return {name: ByT(mean, math.sqrt(value), freedom) for name, value in variances.items()}


def nested_error(
    task: RealTask, rows: np.ndarray, found: CrossValidated, weights: Sequence[np.ndarray], unit: np.ndarray
) -> list[float]:
    """Standard error by nested cross-validation for each quantity, without the limits that its authors set to it.

    Parameters
    ----------
    weights
        Quantities, (M,) each.

    Notes
    -----
    Bates, Hastie and Tibshirani 2023, Journal of the American Statistical Association 119, 1434–1445, algorithm 1, with
    the folds of `found` as outer ones. A score here is no mean over rows; their variance of the mean of an outer fold
    is that of `linear`.
    """
    inner, k = _inner_predictions(task, rows, found), found.folds
    squares: list[list[float]] = [[] for _ in weights]
    scores = found.scores.reshape(-1, k, len(found.positive))
    for repetition, fold_of in enumerate(found.fold_of):
        for fold in range(k):
            own = fold_of == fold
            others = (fold_of >= 0) & ~own
            inside = _scores(inner[repetition, fold][:, others], found.labels[others])
            tested = found.positive[:, repetition, own].astype(np.float64)
            near = linear(tested, found.labels[own], np.ones(tested.shape[1], bool))
            for number, quantity in enumerate(weights):
                away = float(quantity @ (inside - scores[repetition, fold]))
                sums = np.bincount(unit[own], quantity @ near.contributions)
                squares[number].append(away**2 - float((sums**2).sum()))
    return [math.sqrt(max(0.0, (k - 1) / k * float(np.mean(own)))) for own in squares]


def _inner_predictions(task: RealTask, rows: np.ndarray, found: CrossValidated) -> np.ndarray:
    """(R, k, M, m) bool: what probes say of a row that saw neither it nor the rows of an outer fold."""
    k, n_models = found.folds, len(found.positive)
    pairs = [(first, second) for first in range(k) for second in range(first + 1, k)]
    places, parts = [], []
    for repetition, fold_of in enumerate(found.fold_of):
        for first, second in pairs:
            train = found.plans[repetition * k + first].train
            parts.append(np.sort(train[fold_of[train] != second]))
            places.append((repetition, first, second))
    probes = ridge(task, rows, parts)
    predicted = np.zeros((len(found.fold_of), k, n_models, len(rows)), bool)
    for number, (repetition, first, second) in enumerate(places):
        for outer, fold in ((first, second), (second, first)):
            tested = np.flatnonzero(found.fold_of[repetition] == fold)
            called = decided(task.features[:, rows[tested]], probes[:, number])
            predicted[repetition, outer][:, tested] = called == 1
    return predicted


def _scores(positive: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """(M,) from (M, m) predictions."""
    cells = np.stack([np.bincount(own, minlength=4) for own in 2 * labels + positive])
    return metric_values("mcc", cells.reshape(-1, 2, 2))


class Bootstrapped(NamedTuple):
    """The .632+ bootstrap of one sample.

    Attributes
    ----------
    score
        (M,) estimates.
    moved
        (M, units) what each unit contributes to them, by what it was predicted and as part of resamples.
    tested
        (M, units) the former alone.
    whole
        (M, 1, D, 1) probes of the whole sample, whose scores are estimated.
    """

    score: np.ndarray
    moved: np.ndarray
    tested: np.ndarray
    whole: np.ndarray


def bootstrapped(task: RealTask, rows: np.ndarray, unit: np.ndarray, *, seed: int) -> Bootstrapped:
    """Probes of resampled units, tested on those that a resample lacks.

    Notes
    -----
    Efron and Tibshirani 1997, Journal of the American Statistical Association 92, 548–560: .632+ of section 3 with a
    score of 0 as that without information, standard error of section 5 (the delta method after the bootstrap), scaled
    as errors are. Classes have equal weight in training.
    """
    labels, n_units = task.labels[rows], int(unit.max()) + 1
    drawn = np.random.default_rng(seed).multinomial(n_units, np.full(n_units, 1 / n_units), RESAMPLES)
    balance = (len(labels) / (2 * np.bincount(labels, minlength=2)))[labels].astype(np.float32)
    parts = [np.flatnonzero(one[unit]) for one in drawn]
    weights = [
        (balance[part] * one[unit[part]]).astype(np.float32) for part, one in zip(parts, drawn, strict=True)
    ]
    probes = ridge(task, rows, parts, weights)
    whole = ridge(task, rows, [np.arange(len(rows))], [balance])
    own_features = task.features[:, rows]
    inside = _shares(decided(own_features, whole[:, 0]) == 1, labels)
    said = decided(own_features[:, None], probes) == 1
    absent = (drawn == 0)[:, unit]
    often = (said & absent).sum(axis=1) / np.maximum(absent.sum(axis=0), 1)
    near = linear(often, labels, absent.any(axis=0))
    means = np.stack([often[:, labels == label].mean(axis=1) for label in (0, 1)], axis=1)
    centre = means[:, None, labels]
    score, outside = near.score, np.maximum(near.score, 0)
    overfit = np.where(inside > outside, (inside - outside) / np.where(inside > 0, inside, 1), 0.0)
    share = 0.632 / (1 - 0.368 * overfit)
    estimate = (1 - share) * inside + share * outside
    apart = (said & absent) - np.where(absent, centre, 0.0)  # (M, B, m)
    together = np.einsum("mbn,mn->mb", apart, near.slopes)
    counts = np.maximum((drawn == 0).sum(axis=0), 1)
    tested = by_unit(near.contributions, unit)
    moved = (2 + 1 / (n_units - 1)) * tested + together @ (drawn - drawn.mean(axis=0)) / counts
    scale = ((1 - estimate) / (1 - score))[:, None]
    return Bootstrapped(estimate, moved * scale, tested * scale, whole)


def _shares(positive: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """(M,) scores of (M, m) predictions with classes of equal weight."""
    return np.asarray(
        balanced_matthews(positive[:, labels == 1].mean(axis=1), positive[:, labels == 0].mean(axis=1))
    )


def effective_freedom(documents: np.ndarray) -> float:
    """Effective documents less one."""
    return effective_clusters(np.bincount(documents)) - 1
