"""The rows of the table of comparisons: what tables and figures read, without the tests that made them."""

from dataclasses import dataclass

OVERLAP = "overlap"  # the one measure of a baseline


@dataclass(frozen=True)
class SimilarityDifference:
    """Two encoders on one pair set. Undefined numbers are NaN.

    Attributes
    ----------
    aggregation
        ``"all"``: over the pairs of all sub-sources at once.
    measure, correlation
        Of encoders; a baseline has its overlap in the place of the measure.
    value_a, value_b
        Their correlations with the gold scores, in [-1, 1].
    difference
        a − b.
    low, high
        Of the difference, at `level`: percentiles of a bootstrap over pairs of sentences, the same resamples for both.
    p_bootstrap
        Two-sided, from the difference over its standard deviation in the bootstrap.
    p_williams
        Two-sided, see `williams_p`.
    p_holm
        `p_bootstrap`, adjusted for all pairs of encoders on the pair set.
    n
        Pairs of sentences.
    alpha
        Below which p_holm counts as a difference.
    """

    pairs: str
    aggregation: str
    measure: str
    correlation: str
    model_a: str
    model_b: str
    value_a: float
    value_b: float
    difference: float
    low: float
    high: float
    p_bootstrap: float
    p_williams: float
    p_holm: float
    n: int
    alpha: float
    level: float
