"""Many tests at once."""

import math
from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values, in the order given: all at most α together are wrong with a probability of at most α.

    `p_values`: of one family. NaN, an undefined test, stays NaN and counts as one of the family.

    Of the sorted p₁ ≤ … ≤ p_M the i-th becomes the largest of min(1, (M − l + 1) · p_l) for l ≤ i. Holm 1979.
    """
    order = sorted(
        (index for index, p in enumerate(p_values) if not math.isnan(p)), key=lambda index: p_values[index]
    )
    adjusted = [math.nan] * len(p_values)
    largest = 0.0
    for place, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = largest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values, in the order given: of all at most α together, a share of at most α is wrong on average.

    `p_values`: of one family. NaN, an undefined test, stays NaN and counts as one of the family.

    Of the sorted p₁ ≤ … ≤ p_M the i-th becomes the least of M p_l / l for l ≥ i. For tests that are independent or
    positively dependent. Benjamini and Hochberg 1995.
    """
    known = np.array(p_values, dtype=np.float64)
    filled = np.where(np.isnan(known), 1.0, known)
    order = np.argsort(filled)
    scaled = filled[order] * len(known) / np.arange(1, len(known) + 1)
    adjusted = np.empty(len(known))
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted[np.isnan(known)] = math.nan
    found: list[float] = adjusted.tolist()
    return found


ADJUSTMENTS = {"holm": holm, "benjamini-hochberg": benjamini_hochberg}
