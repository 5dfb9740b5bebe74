"""Pair sets, alignments and regressions in catalog and configuration, which pair sets they need, and what may be wrong.

The sections ``similarity`` and ``geometry`` of a configuration belong to them.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sentflow.graph.config.entries import derived
from sentflow.graph.config.family import AllEntries, ConfigPart, Entries, Section, Selected
from sentflow.graph.config.messages import instead, unknown
from sentflow.graph.config.shared import file_problems
from sentflow.texts.pair_files import raw_files_of

PERMUTED = "-permuted"
# The keys of an entry that name pair sets.
_PARTS = {"alignments": ("pairs", "positives"), "regressions": ("train", "dev", "test")}


def pair_sets_of(section: str, entry: Mapping[str, Any]) -> list[str]:
    """The pair sets that an entry of alignments or regressions is made of."""
    found: list[str] = []
    for key in _PARTS[section]:
        named = entry.get(key, [])
        found += [named] if isinstance(named, str) else list(named)
    return found


def needed_pair_sets(selected: Mapping[str, Iterable[str]], entries: Mapping[str, Entries]) -> list[str]:
    """The selected pair sets, then those that selected alignments and regressions are made of; each once."""
    needed = list(selected["pair_sets"])
    for section in _PARTS:
        for name in selected[section]:
            needed += pair_sets_of(section, entries[section][name])
    return list(dict.fromkeys(needed))


def families_of(needed: Iterable[str], pair_sets: Entries) -> dict[str, Entries]:
    """Family → its needed pair sets, in the order of the catalog, whatever the order of the selection."""
    needed = list(needed)
    families: dict[str, Entries] = {pair_sets[name]["family"]: {} for name in needed}
    for name, entry in pair_sets.items():
        if name in needed:
            families[entry["family"]][name] = entry
    return families


def _problems(config: Mapping[str, Any], entries: AllEntries, selected: Selected) -> Iterator[str]:
    for section in _PARTS:
        for name in selected[section]:
            yield from _part_problems(section, name, entries)
    known = {
        name: entries["pair_sets"][name]
        for name in needed_pair_sets(selected, entries)
        if _is_whole(entries["pair_sets"].get(name))
    }
    datasets = entries["datasets"]
    for name, entry in known.items():
        files = list(raw_files_of(entry))
        yield from file_problems(f"pair_sets.{name}", entry["dataset"], files, datasets, key="reader")
    yield from _family_problems(known, datasets)
    yield from _baseline_problems(config)
    yield from _geometry_problems(config, selected["pair_sets"], known)


def _is_whole(entry: Any) -> bool:
    """Whether an entry has what is looked at here; the rest is left to the schema."""
    if not isinstance(entry, dict) or not isinstance(entry.get("family"), str):
        return False
    try:
        files = raw_files_of(entry)
        return isinstance(entry.get("dataset"), str) and all(isinstance(file, str) for file in files)
    except (AttributeError, KeyError, TypeError):
        return False


def _part_problems(section: str, name: str, entries: Mapping[str, Entries]) -> Iterator[str]:
    """Pair sets of an alignment or a regression that do not exist, or are of several families."""
    named, pair_sets = pair_sets_of(section, entries[section][name]), entries["pair_sets"]
    for part in named:
        if part not in pair_sets:
            yield unknown(f"{section}.{name}", "pair set", part, pair_sets)
    families = {
        part: pair_sets[part].get("family") for part in named if isinstance(pair_sets.get(part), dict)
    }
    if len(set(families.values())) > 1:
        found = ", ".join(f"{part} is of {family}" for part, family in families.items())
        yield (
            f"{section}.{name}: its pair sets must be of one family, for their sentences are embedded together, but "
            f"{found}. Take pair sets of one family, or give them one."
        )


def _family_problems(pair_sets: Entries, datasets: Entries) -> list[str]:
    """Families whose texts and vectors would be where those of a dataset are."""
    first = {entry["family"]: name for name, entry in reversed(pair_sets.items())}
    return [
        f"pair_sets.{name}.family: {family + ending!r} is the name of a dataset, whose texts and vectors would be in "
        "the same files. Write another name."
        for family, name in first.items()
        for ending in ("", PERMUTED)
        if family + ending in datasets
    ] + [
        f"pair_sets.{name}.family: {family + PERMUTED!r} is also a family, whose texts and vectors would be where "
        "those of the permuted texts of this one are. Write another name."
        for family, name in first.items()
        if family + PERMUTED in first
    ]


def _baseline_problems(config: Mapping[str, Any]) -> list[str]:
    """Encoders with the name of a similarity that needs none: both would write the same files."""
    return [
        f"config.select.models: {name!r} is also one of similarity.baselines. Give the encoder another name."
        for name in config["select"]["models"]
        if name in config["similarity"]["baselines"]
    ]


def _geometry_problems(config: Mapping[str, Any], selected: list[str], pair_sets: Entries) -> list[str]:
    """Families whose geometry is asked for, but of which no pair set is selected."""
    families = config["geometry"]["families"]
    there = sorted({pair_sets[name]["family"] for name in selected if name in pair_sets})
    if families == "all" or not isinstance(families, list):
        return []
    if not there and families:
        return [
            "config.geometry.families: no pair set is selected, so that there are no families. Select pair sets, or "
            "write all."
        ]
    return [
        f"config.geometry.families: no pair set of the family {family!r} is selected. {instead(family, there)}"
        for family in families
        if family not in there
    ]


PAIRS = ConfigPart(
    (
        Section("pair_sets", "pair set", ("select.pair_sets",), derive=derived),
        Section("alignments", "alignment", ("select.alignments",)),
        Section("regressions", "regression", ("select.regressions",)),
    ),
    problems=_problems,
)
