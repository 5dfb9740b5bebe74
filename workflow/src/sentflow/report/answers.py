"""The answer of a family of measurements in one sentence: who is best, by how much, how certain that is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sentflow.compare.differences import Difference, on_unit_set, winner
from sentflow.report.findings import clear_leads, first_places
from sentflow.report.numbers import counted, decimal, listed, percent


class DifferenceWithInterval(Difference, Protocol):
    """A difference with its interval at `level`."""

    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def level(self) -> float: ...


@dataclass(frozen=True)
class Lead:
    """The first of a ranking less the second."""

    # difference, low, high, level: with its interval; limits are NaN without one
    difference: float
    low: float
    high: float
    level: float
    population: str  # what the interval holds for: ``"new texts"``
    # test: ``"the paired t-test over questions"``; where no outcome of it could separate the two, a sentence that says
    # so
    test: str
    is_separated: bool  # whether the test shows the first to be better
    cannot_separate: bool = False  # whether it could not, whatever the scores
    estimate: str = "difference"  # what the difference is called

    @classmethod
    def of(cls, row: DifferenceWithInterval, first: str, *, test: str, population: str) -> "Lead":
        """From a tested difference, whichever of the two it names first."""
        sign = 1 if row.model_a == first else -1
        low, high = sorted((sign * row.low, sign * row.high))
        return cls(sign * row.difference, low, high, row.level, population, test, winner(row) == first)


@dataclass(frozen=True)
class Place:
    """A system with its value."""

    title: str
    value: float


@dataclass(frozen=True)
class Scored:
    """A system on a unit set, say a pair set or a question set."""

    unit_set: str
    system: str
    title: str
    value: float


def alone(only: str, measure: str, value: float) -> str:
    """What there is to say of a single system."""
    return f"{only} has a {measure} of {decimal(value)}; it was compared with no other."


def first_and_next(
    first: Place, second: Place, *, systems: str, measure: str, where: str, lead: Lead | None
) -> str:
    """Who has the highest value; called the best only where a test separates it from the next.

    `systems`: what was ranked: ``"encoder"``. `measure`, `where`: ``"mean score"``, ``"over 18 tasks"``. `lead`: None
    where nothing was tested.
    """
    values = f"{decimal(first.value)} against {decimal(second.value)} of the next, {second.title}"
    if lead is None:
        return f"{first.title} has the highest {measure} {where}, {values}; no test was made, so this may be chance."
    size = f"{lead.estimate} {decimal(lead.difference)}"
    if not math.isnan(lead.low):
        limits = f"{decimal(lead.low)} to {decimal(lead.high)}"
        size += f", {percent(lead.level)} interval for {lead.population} {limits}"
    if lead.is_separated:
        return f"{first.title} is best {where}: {measure} {values} ({size}); {lead.test} separates the two."
    does_not = lead.test if lead.cannot_separate else f"{lead.test} does not separate the two"
    return (
        f"No {systems} is shown to be best {where}: {first.title} has the highest {measure}, {values}, but "
        f"{does_not} ({size})."
    )


def over_unit_sets(
    scores: Sequence[Scored],
    differences: Sequence[DifferenceWithInterval],
    *,
    systems: str,
    measure: str,
    unit_set: str,
    test: str,
    population: str,
) -> tuple[str, ...]:
    """The answer of systems on pair sets or question sets; none without scores."""
    sets = list(dict.fromkeys(score.unit_set for score in scores))
    if not sets:
        return ()
    if len(sets) == 1:
        one = _on_one(scores, differences, systems=systems, measure=measure, test=test, population=population)
        return (one,)
    wins, _ = first_places([(score.unit_set, score.title, score.value) for score in scores])
    most = max(wins.values())
    first = [title for title, n in wins.items() if n == most]
    has = "has" if len(first) == 1 else "each have"
    said = f"{listed(first)} {has} the highest {measure} on {most} of {counted(len(sets), unit_set)}"
    if not any(on_unit_set(differences, name) for name in sets):
        return (f"{said}; no test was made, so this may be chance.",)
    n_clear = len(clear_leads(differences, sets))
    return (
        f"{said}; on {n_clear or 'none'} of the {len(sets)} the highest is significantly above every other one "
        f"({test}, {percent(differences[0].alpha)}, Holm over all pairs on all, for {population}).",
    )


def _on_one(
    scores: Sequence[Scored],
    differences: Sequence[DifferenceWithInterval],
    *,
    systems: str,
    measure: str,
    test: str,
    population: str,
) -> str:
    first, *others = sorted(scores, key=lambda score: -score.value)
    where = f"on {first.unit_set}"
    if not others:
        return alone(first.title, f"{measure} {where}", first.value)
    second = others[0]
    pair = {first.system, second.system}
    tested = [row for row in on_unit_set(differences, first.unit_set) if {row.model_a, row.model_b} == pair]
    lead = Lead.of(tested[0], first.system, test=f"the {test}", population=population) if tested else None
    return first_and_next(
        Place(first.title, first.value),
        Place(second.title, second.value),
        systems=systems,
        measure=measure,
        where=where,
        lead=lead,
    )
