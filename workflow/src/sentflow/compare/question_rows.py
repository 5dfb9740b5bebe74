"""Rows of what is said of systems on the questions of a collection; undefined numbers NaN."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class QuestionDifference:
    """Two systems by one measure, `model_a` before `model_b` in the order of selection; see `Difference`.

    Of new questions on the same documents, where units are questions; of new documents, where they are clusters.

    Attributes
    ----------
    unit_set, measure
        The collection, and what its questions were scored by.
    n_questions, n_units
        Questions, and what is taken as independent: questions, or clusters of them.
    grouped
        Whether units are clusters. Tests, intervals and what follows from them then rest on clusters.
    value_a, value_b, difference
        Means over questions, and a − b.
    low, high
        t interval of the difference at `level`; not adjusted for the number of pairs.
    p, p_holm
        Paired t-test, and adjusted for all pairs of the collection (Holm). Marks and letters follow the latter.
    p_sign_flip, p_sign_flip_holm
        Randomisation test, and adjusted likewise.
    alpha
        Up to which an adjusted p counts as a difference.
    effect_size
        Difference over the standard deviation of the differences of questions.
    wins, ties, losses
        Questions on which a is better, neither is by more than rounding (1e-9), b is better.
    mdd_power
        Smallest true difference that has p_holm <= `alpha` with a probability of 80 % at least, whatever the other
        pairs show: that of a single test at `alpha` over the number of pairs.
    margin, p_equivalence
        Difference that would matter, and p of two one-sided tests that the true one is smaller.
    bootstrap_low, bootstrap_high, bca_low, bca_high
        Bootstrap over units at `level`: percentile, and bias-corrected and accelerated.
    n_resamples
        Of the bootstrap and of sign flips.
    degenerate
        All questions have the same difference. Where it is not 0, tests are undefined.
    """

    FILE: ClassVar[str] = "differences"

    unit_set: str
    measure: str
    model_a: str
    model_b: str
    n_questions: int
    n_units: int
    grouped: bool
    value_a: float
    value_b: float
    difference: float
    low: float
    high: float
    level: float
    p: float
    p_holm: float
    p_sign_flip: float
    p_sign_flip_holm: float
    alpha: float
    effect_size: float
    wins: int
    ties: int
    losses: int
    mdd_power: float
    margin: float
    p_equivalence: float
    bootstrap_low: float
    bootstrap_high: float
    bca_low: float
    bca_high: float
    n_resamples: int
    degenerate: bool


@dataclass(frozen=True)
class DocumentDifference(QuestionDifference):
    """The same for new documents: units are clusters of questions, of collections with enough of them."""

    FILE: ClassVar[str] = "differences-documents"


@dataclass(frozen=True)
class GroupDifference(QuestionDifference):
    """The same on one group of the questions of a collection.

    Attributes
    ----------
    question_set, group
        Collection and group; `unit_set` is both together. p_holm and p_sign_flip_holm are adjusted for all pairs on
        all groups of the collection, and mdd_power is by that.
    """

    FILE: ClassVar[str] = "differences-groups"

    question_set: str
    group: str


@dataclass(frozen=True)
class ClusterRow:
    """The mean of one system for new documents.

    Attributes
    ----------
    unit_set, measure, model
        Collection, measure, system.
    value, low, high, level
        Mean over questions and its t interval, whose error is that of clusters; NaN where there are too few.
    n_questions, n_clusters, effective_clusters
        Questions, clusters of them, and how many clusters of equal size say as much.
    largest_cluster
        Share of the questions that is in the largest one.
    """

    FILE: ClassVar[str] = "clusters"

    unit_set: str
    measure: str
    model: str
    value: float
    low: float
    high: float
    level: float
    n_questions: int
    n_clusters: int
    effective_clusters: float
    largest_cluster: float


@dataclass(frozen=True)
class GroupRow:
    """The mean of one system on one group of the questions of a collection, for new questions on the same documents.

    Attributes
    ----------
    question_set, group, unit_set, measure, model
        Collection, group, both together, measure, system.
    value, low, high, level
        Mean over the questions of the group and its bootstrap interval; none where there is one question.
    n_questions
        Of the group.
    """

    FILE: ClassVar[str] = "groups"

    question_set: str
    group: str
    unit_set: str
    measure: str
    model: str
    value: float
    low: float
    high: float
    level: float
    n_questions: int


@dataclass(frozen=True)
class SeedRow:
    """A system that was made with several seeds: its mean, or its difference from another one.

    Attributes
    ----------
    unit_set, measure
        Collection and measure.
    family, other
        Name of what the seeds are of, and of a system without seeds, or of a family before it with the same seeds,
        seed by seed; empty where `value` is the mean of the family.
    value, low, high, level
        Mean over questions and seeds, and its interval for new questions and new seeds.
    p
        Of a difference: that the true one is 0, for the same; not adjusted. NaN for means.
    n_questions, n_seeds
        At least 2 each; the seeds of both where two families differ.
    spread_of_seeds
        Standard deviation between the means of seeds.
    share_of_questions, share_of_seeds
        Of the variance of `value`; the rest is what is peculiar to a question with a seed.
    more
        Of what twice as many would make the interval narrower: ``questions``, ``seeds`` or ``either``.
    seeds_unseen
        Whether seeds differ less than noise would; their part is then taken as 0.
    """

    FILE: ClassVar[str] = "seeds"

    unit_set: str
    measure: str
    family: str
    other: str
    value: float
    low: float
    high: float
    level: float
    p: float
    n_questions: int
    n_seeds: int
    spread_of_seeds: float
    share_of_questions: float
    share_of_seeds: float
    more: str
    seeds_unseen: bool


@dataclass(frozen=True)
class DecisionDifference(QuestionDifference):
    """A `QuestionDifference` of F2; a system is ``retriever/decision``."""

    FILE: ClassVar[str] = "decision-differences"
