"""Findings of a report: what every family says of its highest scores and of the tests between them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sentflow.compare.differences import Difference, on_unit_set, values_of, winner_by
from sentflow.report.numbers import counted, listed, percent
from sentflow.stats.multiplicity import holm


@dataclass(frozen=True)
class Finding:
    """A heading of a few words and what there is to say about it."""

    heading: str
    text: str


def highest(heading: str, scores: Sequence[tuple[str, str, float]], unit_set: str) -> Finding | None:
    """Who has the highest score, and how often; None without scores.

    `unit_set`: what a unit set is called: ``"task"``.
    """
    if not scores:
        return None
    n_sets = len({name for name, _, _ in scores})
    wins, n_ties = first_places(scores)
    said = listed([f"{title} on {n} of {n_sets}" for title, n in wins.most_common()])
    ties = (
        f" On {counted(n_ties, unit_set)} the highest score is tied and counted for each." if n_ties else ""
    )
    return Finding(heading, f"{said} {unit_set}{'s' if n_sets > 1 else ''}.{ties}")


def first_places(scores: Sequence[tuple[str, str, float]]) -> tuple[Counter[str], int]:
    """Title of each system that has the highest score of a unit set → on how many; and how many of these are ties."""
    by_set: dict[str, list[tuple[str, float]]] = {}
    for name, title, score in scores:
        by_set.setdefault(name, []).append((title, score))
    wins: Counter[str] = Counter()
    n_ties = 0
    for members in by_set.values():
        best = max(score for _, score in members)
        first = [title for title, score in members if score == best]
        n_ties += len(first) > 1
        wins.update(first)
    return wins, n_ties


def lead_over_all(
    differences: Sequence[Difference],
    unit_sets: Sequence[str],
    test: str,
    what: str,
    systems: str = "encoders",
) -> str | None:
    """On how many unit sets the highest score is significantly above every other one; None where nothing was tested.

    A count over unit sets: tests are adjusted for all pairs on all of them, unlike the marks of each.

    `test`, `what`: how it was tested, and what a unit set is called: ``"pair set"``.
    """
    known = [name for name in unit_sets if on_unit_set(differences, name)]
    if not known:
        return None
    n_clear = len(clear_leads(differences, known))
    family = f"Holm over all pairs on all {what}s" if len(known) > 1 else "Holm"
    return (
        f"On {n_clear} of {counted(len(known), what)} the highest score is significantly above every other "
        f"one ({percent(differences[0].alpha)}, {test}, {family}). Where it is not, this does not show that "
        f"the {systems} are equal."
    )


def clear_leads(differences: Sequence[Difference], unit_sets: Sequence[str]) -> list[str]:
    """The unit sets on which the highest score is significantly above every other one (Holm over all pairs on all)."""
    known = [name for name in unit_sets if on_unit_set(differences, name)]
    rows = [row for row in differences if row.unit_set in known]
    adjusted = holm([row.p for row in rows])
    beaten = Counter((row.unit_set, winner_by(row, p)) for row, p in zip(rows, adjusted, strict=True))
    return [name for name in known if _leads_all(rows, name, beaten)]


def _leads_all(
    differences: Sequence[Difference], unit_set: str, beaten: Mapping[tuple[str, str | None], int]
) -> bool:
    values = values_of(differences, unit_set)
    best = max(values, key=lambda model: values[model])
    return beaten.get((unit_set, best), 0) == len(values) - 1
