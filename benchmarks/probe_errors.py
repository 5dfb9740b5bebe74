"""Standard errors of cross-validated scores by several procedures; what probe_procedures.py compares.

A score is the Matthews correlation of balanced classes. Its contributions are those of rows, to first order: a
document's is the sum over its rows, and the error is that of their sum.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import stdtrit
from scipy.stats import f as f_distribution

from real_probes import Predicted, balanced_matthews
from sentflow.stats.effective import effective_clusters

OVERLAP = (
    0.64  # share of the rows that a fold trains on, so of those that two folds of different repetitions share
)


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


def effective_freedom(documents: np.ndarray) -> float:
    """Effective documents less one."""
    return effective_clusters(np.bincount(documents)) - 1
