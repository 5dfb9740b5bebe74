"""Two encoders on the same folds: the corrected resampled t-test and what follows. On the same texts: McNemar."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import bdtr, stdtr, stdtrit

from sentflow.stats.generalisation import nadeau_bengio_interval

POWER = 0.80  # with which `CorrectedT.detectable` differences are found


class Probabilities(NamedTuple):
    """Posterior probabilities of a difference a − b; they sum to 1, or are NaN."""

    a: float
    equal: float
    b: float


@dataclass(frozen=True)
class CorrectedT:
    """The paired differences of J = repetitions × folds scores, and their corrected error.

    Attributes
    ----------
    differences
        (J,) float64, fold by fold, first encoder minus second.
    folds
        k of the cross-validation.

    Notes
    -----
    mean / (s · √(1/J + 1/(k − 1))) has about a t distribution with J − 1 degrees of freedom where the two are equal.
    Nadeau and Bengio 2003; for repeated cross-validation Bouckaert and Frank 2004.
    """

    differences: np.ndarray
    folds: int

    @property
    def degenerate(self) -> bool:
        """Every fold has the same difference, so nothing can be tested."""
        return bool((self.differences == self.differences[0]).all())

    @property
    def mean(self) -> float:
        """Difference of the two scores."""
        return float(self.differences[0] if self.degenerate else self.differences.mean())

    @property
    def error(self) -> float:
        """Corrected standard error of `mean`."""
        return self.error_with(len(self.differences))

    @property
    def freedom(self) -> int:
        """Degrees of freedom."""
        return len(self.differences) - 1

    def error_with(self, n_folds: int) -> float:
        """The error that `n_folds` scores of the same spread would have."""
        std = 0.0 if self.degenerate else float(self.differences.std(ddof=1))
        return std * math.sqrt(1 / n_folds + 1 / (self.folds - 1))

    def interval(self, level: float) -> tuple[float, float]:
        """Generalisation interval of the difference."""
        found = nadeau_bengio_interval(self.differences, folds=self.folds, level=level)
        return found.low, found.high

    def p(self) -> float:
        """Two-sided p; 1 where the two have equal scores on every fold, NaN for any other constant difference."""
        if self.degenerate:
            return 1.0 if self.mean == 0 else math.nan
        return float(2 * stdtr(self.freedom, -abs(self.mean) / self.error))

    def significant_from(self, alpha: float) -> float:
        """Smallest observed difference that has p <= alpha; NaN where the spread is 0."""
        return _undefined_at_zero(float(stdtrit(self.freedom, 1 - alpha / 2)) * self.error)

    def detectable(self, alpha: float) -> float:
        """Smallest true difference that has p <= alpha with a probability of `POWER`; NaN where the spread is 0.

        Notes
        -----
        (t(1 − α/2) + t(power)) · error: the observed difference is taken to keep its distribution around the true one.
        """
        quantiles = float(stdtrit(self.freedom, 1 - alpha / 2) + stdtrit(self.freedom, POWER))
        return _undefined_at_zero(quantiles * self.error)

    def power(self, alpha: float) -> float:
        """Probability of p <= alpha if the observed difference were the true one; `detectable` is its inverse."""
        if self.degenerate:
            return math.nan
        critical = float(stdtrit(self.freedom, 1 - alpha / 2))
        return float(stdtr(self.freedom, abs(self.mean) / self.error - critical))

    def probabilities(self, rope: float) -> Probabilities:
        """Bayesian correlated t-test: a better by more than `rope`, no more apart than that, b better by more.

        Notes
        -----
        With the correlation 1/k of the folds the posterior of the difference is the t distribution of the corrected
        test, around the mean: ρ/(1 − ρ) = 1/(k − 1). Corani and Benavoli 2015; Benavoli et al. 2017.
        """
        if self.degenerate:
            return Probabilities(0.0, 1.0, 0.0) if self.mean == 0 else Probabilities(*[math.nan] * 3)
        below = float(stdtr(self.freedom, (-rope - self.mean) / self.error))
        above = float(stdtr(self.freedom, (self.mean - rope) / self.error))
        return Probabilities(above, max(0.0, 1 - above - below), below)  # rounding, where all is certain


def mcnemar(first_right: np.ndarray, second_right: np.ndarray) -> float:
    """Two-sided exact p that two classifiers are right equally often.

    Parameters
    ----------
    first_right, second_right
        (n,) bool, whether each classifier is right on each of n independent texts.

    Notes
    -----
    Of the texts on which only one of the two is right, the smaller number is binomial with probability 1/2; 1 where
    there are none. McNemar 1947, in the exact form.
    """
    only_first = int((first_right & ~second_right).sum())
    only_second = int((second_right & ~first_right).sum())
    tail = float(bdtr(min(only_first, only_second), only_first + only_second, 0.5))
    return min(1.0, 2 * tail)


def _undefined_at_zero(value: float) -> float:
    return value if value > 0 else math.nan
