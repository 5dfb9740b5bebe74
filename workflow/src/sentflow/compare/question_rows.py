"""Rows of what is said of systems on the questions of a collection; undefined numbers NaN."""

from dataclasses import dataclass
from typing import ClassVar


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
