"""Alignments in catalog and configuration, and what may be wrong with them and with what geometry is asked of."""

from collections.abc import Iterator

from sentflow.config.entries import AllEntries, Entries, Selected
from sentflow.config.experiment import Configuration
from sentflow.config.pairs import Alignment
from sentflow.config.problems.shared import needed
from sentflow.config.sections import ConfigPart, Section
from sentflow.errors import instead
from sentflow.families import pair_sets


def _problems(config: Configuration, entries: AllEntries, selected: Selected) -> Iterator[str]:
    for name in selected["alignments"]:
        yield from pair_sets.part_problems("alignments", name, entries)
    yield from needed(config, "alignments", selected["alignments"])
    known = pair_sets.whole_sets(selected, entries)
    yield from _geometry_problems(config, selected["pair_sets"], known)


def _geometry_problems(config: Configuration, selected: list[str], pair_sets: Entries) -> list[str]:
    """Families whose geometry is asked for, but of which no pair set is selected."""
    families = config.geometry.families
    there = sorted({pair_sets[name]["family"] for name in selected if name in pair_sets})
    if isinstance(families, str):
        return []
    if not there and families:
        return [
            "config.geometry.families: no pair set is selected, so there are no families. Select pair "
            "sets, or "
            "write all."
        ]
    return [
        f"config.geometry.families: no pair set of the family {family!r} is selected. "
        f"{instead(family, there)}"
        for family in families
        if family not in there
    ]


GEOMETRY = ConfigPart(
    (Section("alignments", "alignment", ("select.alignments",), model=Alignment),),
    problems=_problems,
)
