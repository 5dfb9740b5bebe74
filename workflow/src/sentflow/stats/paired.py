"""Two systems on the same units: t-tests of questions, clusters of them, or folds, and what follows."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, stdtr, stdtrit

from sentflow.stats.effective import FEWEST_DOCUMENTS, effective_clusters

POWER = 0.80  # with which `PairedT.detectable` differences are found
TIE_TOLERANCE = 1e-9  # scores of one measure that are closer than this differ by rounding


@dataclass(frozen=True)
class PairedT:
    """The paired differences of n independent units, say questions, and the t-test of their mean.

    mean / (s / √n) has a t distribution with n − 1 degrees of freedom where the two are equal and the differences
    normal, and about that one for the means of many others. Student 1908. Subclasses have units that depend on each
    other, and another error.
    """

    # differences: (n,) float64, unit by unit, first system minus second; n >= 2 where anything is to be tested
    differences: np.ndarray

    @property
    def degenerate(self) -> bool:
        """Every unit has the same difference, so nothing can be tested."""
        return self._constant

    @property
    def mean(self) -> float:
        """Difference of the two scores."""
        # the mean of equal numbers may be rounded away from them
        return float(self.differences[0] if self._constant else self.differences.mean())

    @property
    def error(self) -> float:
        """Standard error of `mean`."""
        return self._spread / math.sqrt(len(self.differences))

    @property
    def freedom(self) -> float:
        return len(self.differences) - 1

    @property
    def effect_size(self) -> float:
        """Mean over the standard deviation of the differences, whatever their number; NaN where that is 0."""
        return math.nan if self._constant else self.mean / self._spread

    @property
    def _constant(self) -> bool:
        return bool((self.differences == self.differences[0]).all())

    @property
    def _spread(self) -> float:
        return 0.0 if self._constant else float(self.differences.std(ddof=1))

    def wins(self, tolerance: float = TIE_TOLERANCE) -> tuple[int, int, int]:
        """On how many units the first is better by more than `tolerance`, neither, and the second."""
        a, b = (self.differences > tolerance).sum(), (self.differences < -tolerance).sum()
        return int(a), len(self.differences) - int(a) - int(b), int(b)

    def interval(self, level: float) -> tuple[float, float]:
        """Of the difference; of zero width where the test is degenerate."""
        half_width = float(stdtrit(self.freedom, (1 + level) / 2)) * self.error
        return self.mean - half_width, self.mean + half_width

    def p(self) -> float:
        """Two-sided p; 1 where the two have equal scores on every unit, NaN for any other degenerate test."""
        if self.degenerate:
            return 1.0 if self.mean == 0 else math.nan
        return float(2 * stdtr(self.freedom, -abs(self.mean) / self.error))

    def p_equivalence(self, margin: float) -> float:
        """One-sided p that the true difference is `margin` or more, either way: a small one shows equivalence.

        `margin`: the smallest difference that would matter; with 0 nothing is equivalent, and p is NaN. Returns the
        larger p of two one-sided tests: at most α exactly where the interval at the level 1 − 2α is inside ± margin. 0
        where the two have equal scores on every unit, NaN for any other degenerate test. Raises ValueError where
        the margin is below 0 or NaN.

        Schuirmann 1987, Journal of Pharmacokinetics and Biopharmaceutics 15, 657–680.
        """
        if not margin >= 0:
            raise ValueError(
                f"margin: {margin} is not at least 0; give the smallest difference that would matter."
            )
        if margin == 0:
            return math.nan
        if self.degenerate:
            return 0.0 if self.mean == 0 else math.nan
        return float(stdtr(self.freedom, (abs(self.mean) - margin) / self.error))

    def detectable(self, alpha: float) -> float:
        """Smallest true difference that has p <= alpha with a probability of `POWER`; NaN where the spread is 0.

        (t(1 − α/2) + t(power)) · error: the observed difference is taken to keep its distribution around the true one.
        """
        quantiles = float(stdtrit(self.freedom, 1 - alpha / 2) + stdtrit(self.freedom, POWER))
        smallest = quantiles * self.error
        return smallest if smallest > 0 else math.nan


def degrees_of_freedom(n_scores: int, documents: float) -> float:
    """Scores less one, or documents less one where these are fewer: a few large ones decide the score of any fold."""
    return min(n_scores, documents) - 1


def corrected_error(std: float, n_scores: int, *, folds: int, documents: float) -> float:
    """Standard error of the mean of cross-validation scores of a standard deviation; NaN of too few documents."""
    if documents < FEWEST_DOCUMENTS:
        return math.nan
    return std * math.sqrt(1 / n_scores + 1 / (folds - 1))


@dataclass(frozen=True)
class CorrectedT(PairedT):
    """The J = repetitions × folds scores of one system, or paired differences of two, and their corrected error.

    mean / (s · √(1/J + 1/(k − 1))) has about a t distribution with J − 1 degrees of freedom where the expected score,
    or difference, is 0. The interval of scores, for claims, is of the expected score over all samples of as many texts
    from the population; it is not cut to the range of the metric. Nadeau and Bengio 2003, Inference for the
    generalization error; for repeated cross-validation, with the ratio 1/(k − 1) of test to training rows, Bouckaert
    and Frank 2004.
    """

    folds: int  # k of the cross-validation
    # documents: how many documents of equal size say as much as those that the folds keep together
    # (`effective_clusters`); infinite where folds are made of rows. With too few every number but the mean is NaN.
    documents: float = math.inf

    @property
    def error(self) -> float:
        return corrected_error(
            self._spread, len(self.differences), folds=self.folds, documents=self.documents
        )

    @property
    def freedom(self) -> float:
        return degrees_of_freedom(len(self.differences), self.documents)


@dataclass(frozen=True)
class ClusteredT(PairedT):
    """The paired differences of units that come in clusters, say questions on the same law.

    The mean is still that of all n units. Its error is that of the jackknife, √((C − 1)/C · Σ (S / (n − n_c))²) with
    the sums S of d − d̄ within each of C clusters of n_c units, and the degrees of freedom are
    `effective_clusters` − 1. For clusters of one size that is the usual cluster-robust error √(C/(C − 1) · Σ S²) / n
    with C − 1 of them, and for clusters of one unit `PairedT`; where sizes differ, the usual ones are too small
    (docs/statistics.md). Bell and McCaffrey 2002, Survey Methodology 28, 169–181; MacKinnon, Nielsen and Webb 2023,
    Journal of Applied Econometrics 38, 671–694.
    """

    cluster: np.ndarray  # (n,) int64, the cluster of each unit, from 0; at least two

    @property
    def degenerate(self) -> bool:
        """Every unit has the same difference, or the differences of every cluster cancel out."""
        return self.error <= 1e-12 * float(np.abs(self.differences).max())

    @property
    def error(self) -> float:
        n, n_clusters = len(self.differences), len(self._sizes)
        moved = np.bincount(self.cluster, self.differences - self.mean) / (n - self._sizes)
        return math.sqrt((n_clusters - 1) / n_clusters * float((moved**2).sum()))

    @property
    def freedom(self) -> float:
        return effective_clusters(self._sizes) - 1

    @property
    def _sizes(self) -> np.ndarray:
        return np.bincount(self.cluster)


def mcnemar(first_right: np.ndarray, second_right: np.ndarray) -> float:
    """Two-sided exact p that two classifiers are right equally often.

    `first_right`, `second_right`: (n,) bool, whether each classifier is right on each of n independent texts.

    Of the texts on which only one of the two is right, the smaller number is binomial with probability 1/2; 1 where
    there are none. McNemar 1947, in the exact form.
    """
    only_first = int((first_right & ~second_right).sum())
    only_second = int((second_right & ~first_right).sum())
    tail = float(bdtr(min(only_first, only_second), only_first + only_second, 0.5))
    return min(1.0, 2 * tail)
