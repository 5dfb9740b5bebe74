"""The rows that comparisons give: one dataclass per file, undefined numbers NaN.

Every row carries what a caption needs. `sentflow.files.rows` writes and reads them.
"""

from dataclasses import dataclass
from typing import ClassVar

OUT_OF_FOLD, CORRECTED_T = "out-of-fold", "corrected-t"
"""Tests of two encoders on a task."""
EQUIVALENT = 0.05
"""Up to which p of two one-sided tests says that two systems are equivalent: the 90 % interval is inside the margin."""
# The cross-validations on which the test of out-of-fold predictions held its level, a finding, no theorem: exactly
# so many folds (with 10 it rejects 8.9 to 10.6 % of equal pairs at 5 %), at least so many repetitions, and at most this
# share of the balanced rows to train on, because others are held out for evaluation: 64 % up to rounding. Probes that
# are fitted to all rows outside the test part (80 %) reject 6.7 to 7.9 %.
CALIBRATED_FOLDS, CALIBRATED_REPETITIONS, CALIBRATED_SHARE = 5, 10, 0.66


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
    # rank_low, rank_high: places by the mean that the tests of `AcrossRow` leave open, at 1 − `alpha` there for this
    # encoder alone; board_low, board_high: for all encoders at once
    rank_low: float
    rank_high: float
    board_low: float
    board_high: float
    # from here to repeat_high: `RankInterval`
    average_rank: float
    repeat_low: float
    repeat_high: float
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
    p_adjusted: float  # sign flips of whole units, adjusted for all pairs: `Separation`
    separated: bool  # whether that is at most `alpha`
    least_separable: float  # what a typical pair needs for that; infinite where units are too few
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


@dataclass(frozen=True)
class QuestionDifference:
    """Two systems by one measure, `model_a` before `model_b` in the order of selection; see `Difference`.

    Of new questions on the same documents, where units are questions; of new documents, where they are clusters.
    """

    FILE: ClassVar[str] = "differences"

    # unit_set, measure: the collection, and what its questions were scored by
    unit_set: str
    measure: str
    model_a: str
    model_b: str
    # n_questions, n_units: questions, and what is taken as independent: questions, or clusters of them
    n_questions: int
    n_units: int
    # grouped: whether units are clusters. Tests, intervals and what follows from them then rest on clusters.
    grouped: bool
    # value_a, value_b, difference: means over questions, and a − b
    value_a: float
    value_b: float
    difference: float
    # low, high: t interval of the difference at `level`; not adjusted for the number of pairs
    low: float
    high: float
    level: float
    # p, p_holm: paired t-test, and adjusted for all pairs of the collection (Holm). Marks and letters follow the
    # latter.
    p: float
    p_holm: float
    # p_sign_flip, p_sign_flip_holm: randomisation test, and adjusted likewise
    p_sign_flip: float
    p_sign_flip_holm: float
    alpha: float  # up to which an adjusted p counts as a difference
    effect_size: float  # difference over the standard deviation of the differences of questions
    # wins, ties, losses: questions on which a is better, neither is by more than rounding (1e-9), b is better
    wins: int
    ties: int
    losses: int
    # mdd_power: smallest true difference that has p_holm <= `alpha` with a probability of 80 % at least, whatever the
    # other pairs show: that of a single test at `alpha` over the number of pairs
    mdd_power: float
    # margin, p_equivalence: difference that would matter, and p of two one-sided tests that the true one is smaller
    margin: float
    p_equivalence: float
    # bootstrap_low, bootstrap_high, bca_low, bca_high: bootstrap over units at `level`: percentile, and bias-corrected
    # and accelerated
    bootstrap_low: float
    bootstrap_high: float
    bca_low: float
    bca_high: float
    n_resamples: int  # of the bootstrap and of sign flips
    degenerate: bool  # all questions have the same difference. Where it is not 0, tests are undefined.


@dataclass(frozen=True)
class DocumentDifference(QuestionDifference):
    """The same for new documents: units are clusters of questions, of collections with enough of them."""

    FILE: ClassVar[str] = "differences-documents"


@dataclass(frozen=True)
class GroupDifference(QuestionDifference):
    """The same on one group of the questions of a collection."""

    FILE: ClassVar[str] = "differences-groups"

    # question_set, group: collection and group; `unit_set` is both together. p_holm and p_sign_flip_holm are adjusted
    # for all pairs on all groups of the collection, and mdd_power is by that.
    question_set: str
    group: str


@dataclass(frozen=True)
class ClusterRow:
    """The mean of one system for new documents."""

    FILE: ClassVar[str] = "clusters"

    # unit_set, measure, model: collection, measure, system
    unit_set: str
    measure: str
    model: str
    # value, low, high, level: mean over questions and its t interval, whose error is that of clusters; NaN where there
    # are too few
    value: float
    low: float
    high: float
    level: float
    # n_questions, n_clusters, effective_clusters: questions, clusters of them, and how many clusters of equal size say
    # as much
    n_questions: int
    n_clusters: int
    effective_clusters: float
    largest_cluster: float  # share of the questions that is in the largest one


@dataclass(frozen=True)
class GroupRow:
    """The mean of one system on one group of the questions of a collection, for new questions on the same documents."""

    FILE: ClassVar[str] = "groups"

    # question_set, group, unit_set, measure, model: collection, group, both together, measure, system
    question_set: str
    group: str
    unit_set: str
    measure: str
    model: str
    # value, low, high, level: mean over the questions of the group and its bootstrap interval; none where there is one
    # question
    value: float
    low: float
    high: float
    level: float
    n_questions: int  # of the group


@dataclass(frozen=True)
class SeedRow:
    """A system that was made with several seeds: its mean, or its difference from another one."""

    FILE: ClassVar[str] = "seeds"

    # unit_set, measure: collection and measure
    unit_set: str
    measure: str
    # family, other: name of what the seeds are of, and of a system without seeds, or of a family before it with the
    # same seeds, seed by seed; empty where `value` is the mean of the family
    family: str
    other: str
    # value, low, high, level: mean over questions and seeds, and its interval for new questions and new seeds
    value: float
    low: float
    high: float
    level: float
    p: float  # of a difference: that the true one is 0, for the same; not adjusted. NaN for means.
    # n_questions, n_seeds: at least 2 each; the seeds of both where two families differ
    n_questions: int
    n_seeds: int
    spread_of_seeds: float  # standard deviation between the means of seeds
    # share_of_questions, share_of_seeds: of the variance of `value`; the rest is what is peculiar to a question with a
    # seed
    share_of_questions: float
    share_of_seeds: float
    # more: of what twice as many would make the interval narrower: ``questions``, ``seeds`` or ``either``
    more: str
    seeds_unseen: bool  # whether seeds differ less than noise would; their part is then taken as 0


@dataclass(frozen=True)
class DecisionDifference(QuestionDifference):
    """A `QuestionDifference` of F2; a system is ``retriever/decision``."""

    FILE: ClassVar[str] = "decision-differences"
