"""Two correlations with the same gold scores: are they different?"""

import math

from scipy.special import stdtr


def williams_p(gold_a: float, gold_b: float, a_b: float, *, n: int) -> float:
    """Two-sided p of Williams's test of two dependent correlations.

    Parameters
    ----------
    gold_a, gold_b
        Correlations of the two encoders with the gold scores.
    a_b
        Correlation of the two encoders with each other.
    n
        Pairs of sentences.

    Returns
    -------
    float
        In [0, 1]. 1 where the two correlations are equal; NaN where one is undefined, where n < 4, or where the two
        encoders are perfectly correlated and yet unequal, which is rounding.

    Notes
    -----
    See `williams_t`; p = 2 · P(T > |t|) with n − 3 degrees of freedom. The distribution is that of Pearson's r of
    normal variables; for ranks (Spearman) it is an approximation.
    """
    if n < 4 or math.isnan(gold_a + gold_b + a_b):
        return math.nan
    if gold_a == gold_b:
        return 1.0
    t = williams_t(gold_a, gold_b, a_b, n=n)
    return math.nan if math.isnan(t) else float(2 * stdtr(n - 3, -abs(t)))


def williams_t(gold_a: float, gold_b: float, a_b: float, *, n: int) -> float:
    """Williams's t; arguments as for `williams_p`.

    Notes
    -----
    With r₁ = gold_a, r₂ = gold_b, r₃ = a_b, R = 1 − r₁² − r₂² − r₃² + 2 r₁ r₂ r₃ and m = (r₁ + r₂) / 2:

        t = (r₁ − r₂) · √( (n − 1)(1 + r₃) / ( 2 R (n − 1)/(n − 3) + m² (1 − r₃)³ ) )

    Williams 1959; equation 7 of Steiger 1980 (Psychological Bulletin 87, 245–251), who recommends it.
    """
    determinant = 1 - gold_a**2 - gold_b**2 - a_b**2 + 2 * gold_a * gold_b * a_b
    mean = (gold_a + gold_b) / 2
    below = 2 * determinant * (n - 1) / (n - 3) + mean**2 * (1 - a_b) ** 3
    if below <= 0:
        return math.nan
    return (gold_a - gold_b) * math.sqrt((n - 1) * (1 + a_b) / below)
