"""The row of two systems on the questions of a collection; undefined numbers NaN."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class QuestionDifference:
    """Two systems by one measure, `model_a` before `model_b` in the order of selection; see `Difference`.

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
    p_tukey
        Randomised Tukey, adjusted for all pairs by itself.
    alpha
        Up to which an adjusted p counts as a difference.
    effect_size
        Difference over the standard deviation of the differences of questions.
    wins, ties, losses
        Questions on which a is better, neither is by more than rounding (1e-9), b is better.
    mdd, mdd_power
        Smallest observed difference that is significant at `alpha`, and the true one that is found with a power of
        80 %; both for a single test.
    margin, p_equivalence
        Difference that would matter, and p of two one-sided tests that the true one is smaller.
    bootstrap_low, bootstrap_high, bca_low, bca_high
        Bootstrap over units at `level`: percentile, and bias-corrected and accelerated.
    n_resamples
        Of the bootstrap, of sign flips and of permutations.
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
    p_tukey: float
    alpha: float
    effect_size: float
    wins: int
    ties: int
    losses: int
    mdd: float
    mdd_power: float
    margin: float
    p_equivalence: float
    bootstrap_low: float
    bootstrap_high: float
    bca_low: float
    bca_high: float
    n_resamples: int
    degenerate: bool
