"""What tests say of the similarity of two encoders on a pair set."""

import math
from collections.abc import Sequence

from sentflow.report.table.cells import BEST, NOT_WORSE
from sentflow.similarity.differences import SimilarityDifference


def of_pairs(differences: Sequence[SimilarityDifference], pairs: str) -> list[SimilarityDifference]:
    """The tests that were made on a pair set."""
    return [row for row in differences if row.pairs == pairs and not math.isnan(row.p_holm)]


def mark(differences: Sequence[SimilarityDifference], pairs: str, model: str) -> str:
    """`BEST` or `NOT_WORSE` where a test says so, else nothing.

    The highest value is marked only if a test compared it with another encoder; an encoder counts as not worse only if
    a test compared it with the highest and found no difference.
    """
    tests = of_pairs(differences, pairs)
    values = {row.model_a: row.value_a for row in tests} | {row.model_b: row.value_b for row in tests}
    if model not in values:
        return ""
    highest = max(values.values())
    if values[model] == highest:
        return BEST
    for row in tests:
        if model in (row.model_a, row.model_b):
            other = row.model_b if row.model_a == model else row.model_a
            if values[other] == highest and not row.p_holm <= row.alpha:
                return NOT_WORSE
    return ""


def better_than(differences: Sequence[SimilarityDifference], pairs: str, model: str) -> list[str]:
    """The encoders that this one is significantly better than."""
    found = []
    for row in of_pairs(differences, pairs):
        if model not in (row.model_a, row.model_b) or not row.p_holm <= row.alpha:
            continue
        winner, loser = (row.model_a, row.model_b) if row.difference > 0 else (row.model_b, row.model_a)
        if winner == model:
            found.append(loser)
    return found
