"""What is wrong with pair sets, alignments and regressions, and with what geometry is asked of."""

from collections.abc import Iterator

from sentflow.config.configuration import Configuration
from sentflow.config.entries import AllEntries, Entries, Selected
from sentflow.config.pairs import PERMUTED, needed_pair_sets, pair_sets_of
from sentflow.config.problems.common import dataset_problems, needed, unknown
from sentflow.errors import instead


def problems(config: Configuration, entries: AllEntries, selected: Selected) -> Iterator[str]:
    for section in ("regressions", "alignments"):
        for name in selected[section]:
            yield from _part_problems(section, name, entries)
        yield from needed(config, section, selected[section])
    known = entries["pair_sets"]
    sets = {name: known[name] for name in needed_pair_sets(selected, entries) if known.get(name)}
    for name, entry in sets.items():
        yield from dataset_problems(f"pair_sets.{name}", entry, entries["datasets"], key="reader")
    yield from _family_problems(sets, entries["datasets"])
    for name in config.select.models:
        if name in config.similarity.baselines:  # both would write the same files
            yield f"config.select.models: {name!r} is also one of similarity.baselines. Give the encoder another name."
    if not config.similarity.baselines:
        yield from needed(config, "pair sets without similarity.baselines", selected["pair_sets"])
    yield from _geometry_problems(config, [sets[name] for name in selected["pair_sets"] if name in sets])


def _part_problems(section: str, name: str, entries: AllEntries) -> Iterator[str]:
    families, known = {}, entries["pair_sets"]
    for part in pair_sets_of(section, entries[section][name]):
        if part not in known:
            yield unknown(f"{section}.{name}", "pair set", part, known)
        elif known[part]:
            families[part] = known[part]["family"]
    if len(set(families.values())) > 1:
        found = ", ".join(f"{part} is of {family}" for part, family in families.items())
        yield (
            f"{section}.{name}: its pair sets must be of one family, because their sentences are embedded together, "
            f"but {found}. Take pair sets of one family, or give them one."
        )


def _family_problems(pair_sets: Entries, datasets: Entries) -> Iterator[str]:
    """Families whose texts and vectors would be where those of a dataset are, or permuted texts."""
    first = {entry["family"]: name for name, entry in reversed(pair_sets.items())}
    for family, name in first.items():
        for taken in (family, f"{family}{PERMUTED}"):
            if taken in datasets:
                yield (
                    f"pair_sets.{name}.family: {taken!r} is the name of a dataset, whose texts and vectors would be in "
                    "the same files. Write another name."
                )
        if f"{family}{PERMUTED}" in first:
            yield (
                f"pair_sets.{name}.family: {family + PERMUTED!r} is also a family, whose texts and vectors would be "
                "where those of the permuted texts of this one are. Write another name."
            )


def _geometry_problems(config: Configuration, pair_sets: list[dict[str, str]]) -> Iterator[str]:
    families, there = config.geometry.families, sorted({entry["family"] for entry in pair_sets})
    if isinstance(families, str):
        return
    if not there and families:
        yield (
            "config.geometry.families: no pair set is selected, so there are no families. Select pair sets, or write "
            "all."
        )
    for family in families if there else ():
        if family not in there:
            yield (
                f"config.geometry.families: no pair set of the family {family!r} is selected. {instead(family, there)}"
            )
