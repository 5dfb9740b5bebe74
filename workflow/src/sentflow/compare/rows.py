"""The rows of ``comparisons/`` and ``similarity/comparisons``: one dataclass per file, undefined numbers NaN.

Every row carries what a caption needs. `sentflow.files.rows` writes and reads them. `PairRow` and
`SimilarityDifference` have what `sentflow.compare.differences.Difference` names.
"""

from dataclasses import dataclass
from typing import ClassVar

OUT_OF_FOLD, CORRECTED_T = "out-of-fold", "corrected-t"
"""Tests of two encoders on a task."""
EQUIVALENT = 0.05
"""Up to which p of two one-sided tests says that two systems are equivalent: the 90 % interval is inside the margin."""


@dataclass(frozen=True)
class Calibration:
    """The cross-validations on which the test of out-of-fold predictions held its level: a finding, not a theorem."""

    folds: int  # exactly so many: with 10 the test rejects 8.9 to 10.6 % of equal pairs at 5 %
    repetitions: int  # at least
    # trained_on: at most this share of the balanced rows, because others are held out for evaluation: 64 % up to
    # rounding. Probes that are fitted to all rows outside the test part (80 %) reject 6.7 to 7.9 %.
    trained_on: float


CALIBRATED = Calibration(folds=5, repetitions=10, trained_on=0.66)


@dataclass(frozen=True)
class PairRow:
    """Two encoders on one task, `model_a` before `model_b` in the order of selection."""

    task: str
    task_title: str
    family: str
    metric: str
    model_a: str
    model_a_title: str
    model_b: str
    model_b_title: str
    n_folds: int  # paired folds
    mean_a: float
    mean_b: float
    difference: float  # `mean_a` − `mean_b`
    # low, high: interval of the difference at `level`, by `test`; not adjusted for the number of pairs
    low: float
    high: float
    level: float
    # test: what p, the interval and the smallest differences are of: ``"out-of-fold"`` (`OutOfFoldT`) or
    # ``"corrected-t"`` (`CorrectedT`)
    test: str
    error: float  # standard error of the difference, by that test
    # p, p_holm: of that test, and adjusted for all pairs of the task (Holm). Marks follow the latter.
    p: float
    p_holm: float
    p_corrected: float  # of the corrected resampled t-test, whichever `test` is
    # p_over_tasks: adjusted by `adjustment` for all pairs on all tasks of the protocol. Counts and sentences over
    # tasks follow it.
    p_over_tasks: float
    adjustment: str  # ``"holm"`` or ``"benjamini-hochberg"``
    # mdd_power: smallest true difference that has p_holm <= `alpha` with a probability of 80 % at least, whatever the
    # other pairs of the task show: that of a single test at `alpha` over the number of pairs
    mdd_power: float
    alpha: float
    # rope, p_equivalence: difference that counts as none, and p of two one-sided tests that the true one is smaller:
    # at most 5 % where the 90 % interval lies within ± rope
    rope: float
    p_equivalence: float
    # item_low, item_high: paired bootstrap over texts of the difference between out-of-fold scores, at `level`
    item_low: float
    item_high: float
    item_grouped: bool  # whether documents were resampled instead of texts
    p_mcnemar: float  # exact, over the texts of the first repetition; NaN where texts share documents
    # degenerate: nothing can be tested: all folds have the same difference, or both encoders answer alike. Where the
    # difference is not 0, tests are undefined.
    degenerate: bool
    data_version: str
    protocol: str

    @property
    def unit_set(self) -> str:
        return self.task

    @property
    def value_a(self) -> float:
        return self.mean_a

    @property
    def value_b(self) -> float:
        return self.mean_b


@dataclass(frozen=True)
class SimilarityDifference:
    """Two encoders on one pair set. Undefined numbers are NaN."""

    FILE: ClassVar[str] = "comparisons"

    pairs: str
    aggregation: str  # ``"all"``: over the pairs of all sub-sources at once
    # measure, correlation: of encoders; a baseline has its overlap in the place of the measure
    measure: str
    correlation: str
    model_a: str
    model_b: str
    # value_a, value_b: their correlations with the gold scores, in [-1, 1]
    value_a: float
    value_b: float
    difference: float  # a − b
    # low, high: of the difference, at `level`: normal, with its standard deviation in a bootstrap over pairs of
    # sentences, the same resamples for both; see `drawn`. NaN below 12 effective pairs, and so are the p.
    low: float
    high: float
    p_bootstrap: float  # two-sided, from the difference over its standard deviation in the bootstrap
    p_holm: float  # `p_bootstrap`, adjusted for all pairs of encoders and baselines on the pair set
    n: int  # pairs of sentences
    # drawn, n_units, effective_pairs: what a resample draws, ``pairs``, ``components`` or ``sentences``; how many; and
    # the least number of independent pairs of sentences that these are worth. See `PairGraph.units`.
    drawn: str
    n_units: int
    effective_pairs: float
    alpha: float  # up to which a p_holm counts as a difference
    level: float

    @property
    def unit_set(self) -> str:
        return self.pairs

    @property
    def p(self) -> float:
        return self.p_bootstrap


@dataclass(frozen=True)
class StandingRow:
    """One encoder among the others on one task."""

    task: str
    task_title: str
    family: str
    model: str
    model_title: str
    mean: float
    rank: float  # 1 for the best mean; equal means share their mean rank
    is_best: bool
    # not_worse: not significantly worse than the best (the test of `PairRow`, Holm over the pairs of the task); also
    # where the test is undefined
    not_worse: bool
    # worse_than, better_than: letters of the encoders that are significantly better than this one, and of those that
    # are significantly worse
    worse_than: str
    better_than: str
    letter: str  # of this encoder on this task: a, b, … in the order of selection
    n_models: int
    alpha: float
    data_version: str


@dataclass(frozen=True)
class RankRow:
    """One encoder over all tasks of a protocol. An encoder that lacks one of them has no mean and no rank."""

    protocol: str
    model: str
    model_title: str
    is_control: bool
    n_tasks: int  # tasks on which it has a score
    complete: bool  # whether these are all tasks
    # mean, mean_low, mean_high: over the tasks, and the interval, at `level`, of the mean of the expected scores: for
    # new texts of these tasks
    mean: float
    mean_low: float
    mean_high: float
    # from here to place_high: `RankInterval`
    average_rank: float
    repeat_low: float
    repeat_high: float
    place: float
    place_low: float
    place_high: float
    level: float


@dataclass(frozen=True)
class AcrossRow:
    """Two complete encoders over all tasks of a protocol, a before b in the order of selection."""

    protocol: str
    model_a: str
    model_a_title: str
    model_b: str
    model_b_title: str
    n_tasks: int
    # wins, ties, losses: tasks on which a is significantly better than b, neither is, and b than a, adjusted by
    # `adjustment` for all pairs on all tasks
    wins: int
    ties: int
    losses: int
    adjustment: str
    # p_wilcoxon, p_holm: signed-rank test of the means of the units, and adjusted for all pairs (Holm)
    p_wilcoxon: float
    p_holm: float
    separated: bool  # the omnibus test rejects (asked of three encoders or more), and so does this one
    # from here to n_sources: `PooledDifference`
    difference: float
    low: float
    high: float
    weighted_difference: float
    weighted_low: float
    weighted_high: float
    level: float
    between_tasks: float
    between_sources: float
    new_low: float
    new_high: float
    n_sources: int
    # units, n_units: what the tests over tasks take as independent, and how many: ``"sources"``, each with the average
    # over its tasks, where one of several has two tasks at least; else ``"tasks"``
    units: str
    n_units: int
    alpha: float


@dataclass(frozen=True)
class TrainingSeeds:
    """A group of trainings that differ in their seed alone: its mean score, or its difference from another group."""

    FILE: ClassVar[str] = "training-seeds"

    # unit_set, measure: pair set, and the correlation with its gold scores
    unit_set: str
    measure: str
    # group, other: name of the entry without its seed; empty `other` where `value` is the mean of the group.
    # Differences are seed by seed, over the seeds that both have.
    group: str
    other: str
    is_control: bool  # whether `other`, or the group where there is none, is a negative control
    value: float  # mean over seeds, in [-1, 1], or mean difference
    # seeds_low, seeds_high: interval for new seeds on the same pairs (t)
    seeds_low: float
    seeds_high: float
    # low, high: interval for new seeds and new pairs
    low: float
    high: float
    level: float  # of both
    # n_pairs, n_seeds: at least 2 each
    n_pairs: int
    n_seeds: int
    spread_of_seeds: float  # standard deviation between seeds
    # share_of_pairs, share_of_seeds: of the variance of `value`; the rest is what is peculiar to a seed on these pairs
    share_of_pairs: float
    share_of_seeds: float
    more: str  # of what twice as many would make the interval narrower: ``pairs``, ``seeds`` or ``either``
    seeds_unseen: bool  # whether seeds differ less than noise would; their part is then taken as 0
    # p, p_holm: exact sign-flip test over seeds, alone and adjusted for all pairs of groups of the pair set; NaN of a
    # mean
    p: float
    p_holm: float
    # least_p, least_p_holm: what these could be at least with so many seeds and groups
    least_p: float
    least_p_holm: float
    alpha: float
