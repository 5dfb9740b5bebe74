"""Two systems on the same units: how all pairs of systems are compared, and what tables, figures and pages may mark."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Protocol, TypeVar

import numpy as np

from sentflow.compare.rows import AcrossRow, PairRow, QuestionDifference, SimilarityDifference
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


def winner(row: Difference, p: float | None = None) -> str | None:
    """The system that is significantly better by its p_holm, or by a p that was adjusted in another way; or None."""
    if not (row.p_holm if p is None else p) <= row.alpha:  # also where it is undefined
        return None
    return row.model_a if row.difference > 0 else row.model_b


def other(row: Difference, model: str) -> str:
    """The one that a system is compared with."""
    return row.model_b if row.model_a == model else row.model_a


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


BEST, NOT_WORSE = "best", "not worse"


class Marks:
    """Marks and letters of the cells of a table or page; without differences there are none."""

    def __init__(self, differences: Iterable[Difference], models: Sequence[str]) -> None:
        self._rows: dict[str, list[Difference]] = {}
        for row in differences:
            self._rows.setdefault(row.unit_set, []).append(row)
        self.letters = letters(models if self._rows else [])

    def signs(self, unit_set: str, model: str) -> tuple[str, str]:
        """Mark of a cell, and the letters of the systems that this one is significantly better than."""
        lower = self.beaten(unit_set, model)
        raised = joined_letters([name for name in self.letters if name in lower], self.letters)
        return self.mark(unit_set, model), raised

    def mark(self, unit_set: str, model: str) -> str:
        """`BEST` or `NOT_WORSE` where a test says so, else nothing.

        The highest score is marked only if a test compared it with another system, and a system counts as not worse
        only if a test compared it with the highest score and found no difference.
        """
        here = self._rows.get(unit_set, [])
        values = {name: value for row in here for name, value in _values(row) if not math.isnan(value)}
        tested = [row for row in here if not math.isnan(row.p_holm) and not is_alike(row)]
        own = [row for row in tested if model in (row.model_a, row.model_b)]
        if model not in values or not own:
            return ""
        highest = max(values.values())
        if values[model] == highest:
            return BEST
        against_best = [row for row in own if values.get(other(row, model)) == highest]
        return NOT_WORSE if against_best and not any(map(winner, against_best)) else ""

    def beaten(self, unit_set: str, model: str) -> list[str]:
        """The systems that this one is significantly better than."""
        return [other(row, model) for row in self._rows.get(unit_set, []) if winner(row) == model]


def _values(row: Difference) -> tuple[tuple[str, float], ...]:
    return (row.model_a, row.value_a), (row.model_b, row.value_b)


def letters(models: Sequence[str]) -> dict[str, str]:
    """A letter for each system: a, b, …, z, aa, ab, …"""
    found = {}
    for index, model in enumerate(models):
        text, rest = "", index + 1
        while rest:
            rest, place = divmod(rest - 1, 26)
            text = chr(ord("a") + place) + text
        found[model] = text
    return found


def joined_letters(models: Iterable[str], own: Mapping[str, str], *, shorten: bool = True) -> str:
    """The letters of some systems; four or more that follow each other are cut short: ``b–f``."""
    order = {model: index for index, model in enumerate(own)}
    runs: list[list[str]] = []
    for model in models:
        if runs and order[model] == order[runs[-1][-1]] + 1:
            runs[-1].append(model)
        else:
            runs.append([model])
    between = "" if len(own) <= 26 else " "
    return between.join(
        f"{own[run[0]]}–{own[run[-1]]}"
        if shorten and len(run) > 3
        else between.join(own[model] for model in run)
        for run in runs
    )
