"""Two systems on the same units: what every row of differences says, and how all pairs of systems are compared.

Rows of families differ in what else they say; marks, letters and checks read what `Difference` names.
"""

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from typing import Protocol, TypeVar

import numpy as np

from sentflow.compare.question_rows import QuestionDifference
from sentflow.compare.rows import AcrossRow, PairRow, SimilarityDifference
from sentflow.stats.multiplicity import holm

Difference = PairRow | SimilarityDifference | QuestionDifference
"""Two systems on one unit set (task, pair set or question set), `model_a` before `model_b` in the order of selection.

`difference` is `value_a` − `value_b`, `low` and `high` are its interval, `p` is of a single test and `p_holm` adjusted
for all pairs of systems of the unit set. Undefined ones are NaN. p_holm up to `alpha` counts as a difference.
"""
Row = TypeVar("Row", bound=Difference)


def is_alike(row: Difference | AcrossRow) -> bool:
    """Whether two systems are equal on every unit, so that nothing can be tested."""
    return row.difference == 0 and not row.low < row.high


def on_unit_set(rows: Iterable[Row], unit_set: str) -> list[Row]:
    """The differences of one unit set whose test is defined."""
    return [row for row in rows if row.unit_set == unit_set and not math.isnan(row.p_holm)]


def winner(row: Difference) -> str | None:
    """The system that is significantly better; None for neither."""
    return winner_by(row, row.p_holm)


def winner_by(row: Difference, p: float) -> str | None:
    """The system that is significantly better by a p that was adjusted in another way; None for neither."""
    if not p <= row.alpha:  # also where it is undefined
        return None
    return row.model_a if row.difference > 0 else row.model_b


def other(row: Difference, model: str) -> str:
    """The one that a system is compared with."""
    return row.model_b if row.model_a == model else row.model_a


def values_of(rows: Iterable[Difference], unit_set: str) -> dict[str, float]:
    """System → its score on a unit set; undefined ones are left out."""
    values: dict[str, float] = {}
    for row in rows:
        if row.unit_set == unit_set:
            values |= {row.model_a: row.value_a, row.model_b: row.value_b}
    return {model: value for model, value in values.items() if not math.isnan(value)}


Row_co = TypeVar("Row_co", bound=Difference, covariant=True)


class UnitScores(Protocol[Row_co]):
    """Scores of M systems on the same units: folds of a cross-validation, pairs of sentences, questions."""

    @property
    def n_systems(self) -> int: ...

    def replicates(self) -> np.ndarray:
        """(R, M) scores in resamples of the units, the same resamples for all systems."""

    def test(self, a: int, b: int, resampled: np.ndarray) -> Row_co:
        """System a against system b, `p_holm` still to be told; `resampled` holds the (R,) differences a − b."""


def all_differences(scores: UnitScores[Row]) -> list[Row]:
    """Every two systems, in order; p is adjusted for all of them together."""
    pairs = list(combinations(range(scores.n_systems), 2))
    if not pairs:
        return []
    drawn = scores.replicates()
    rows = [scores.test(a, b, drawn[:, a] - drawn[:, b]) for a, b in pairs]
    return [replace(row, p_holm=p) for row, p in zip(rows, holm([row.p for row in rows]), strict=True)]
