"""What may be wrong with the part of a configuration that speaks of pair sets, and which pair sets it needs.

Standard library only, like `sentflow.graph.config.experiment`, whose entries it looks at.
"""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from sentflow.texts.pair_files import raw_files_of

Entry = dict[str, Any]
Entries = dict[str, Entry]

SECTIONS = ("pair_sets", "alignments", "regressions")
PERMUTED = "-permuted"
_NOUNS = {"pair_sets": "pair set", "alignments": "alignment", "regressions": "regression"}
# The keys of an entry that name pair sets.
_PARTS = {"alignments": ("pairs", "positives"), "regressions": ("train", "dev", "test")}


def selected_names(config: Mapping[str, Any]) -> dict[str, list[str]]:
    """Section → selected names; none where the configuration says nothing."""
    return {section: list(config["select"].get(section, [])) for section in SECTIONS}


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
            needed += pair_sets_of(section, entries[section].get(name, {}))
    return list(dict.fromkeys(needed))


def families_of(needed: Iterable[str], pair_sets: Entries) -> dict[str, Entries]:
    """Family → its needed pair sets, in the order of the catalog, whatever the order of the selection."""
    needed = list(needed)
    families: dict[str, Entries] = {pair_sets[name]["family"]: {} for name in needed}
    for name, entry in pair_sets.items():
        if name in needed:
            families[entry["family"]][name] = entry
    return families


def selection_problems(config: Mapping[str, Any], entries: Mapping[str, Entries]) -> list[str]:
    """What is wrong with the selected pair sets, alignments and regressions.

    Parameters
    ----------
    config
        The validated configuration.
    entries
        All entries by section; those that the schemas refuse are not looked at any further.
    """
    selected = selected_names(config)
    problems = [
        f"config.select.{section}: there is no {_NOUNS[section]} {name!r}. {instead(name, entries[section])}"
        for section, names in selected.items()
        for name in names
        if name not in entries[section]
    ]
    for section in _PARTS:
        for name in selected[section]:
            problems += _part_problems(section, name, entries)
    known = {
        name: entries["pair_sets"][name]
        for name in needed_pair_sets(selected, entries)
        if _is_whole(entries["pair_sets"].get(name))
    }
    for name, entry in known.items():
        problems += _source_problems(name, entry, entries["datasets"])
    problems += _family_problems(known, entries["datasets"])
    problems += _nothing_to_do(config, selected)
    problems += _baseline_problems(config)
    return problems + _geometry_problems(config, selected["pair_sets"], known)


def instead(name: str, known: Iterable[str]) -> str:
    """What to write instead of a name that does not exist: the nearest, and all."""
    names = list(known)
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    guess = f"Did you mean {near[0]}? " if near else ""
    return f"{guess}Write one of: {', '.join(sorted(names))}."


def _is_whole(entry: Any) -> bool:
    """Whether an entry has what is looked at here; what has not is the schema's to tell."""
    if not isinstance(entry, dict) or not isinstance(entry.get("family"), str):
        return False
    try:
        return isinstance(entry.get("dataset"), str) and bool(raw_files_of(entry))
    except (AttributeError, KeyError, TypeError):
        return False


def _part_problems(section: str, name: str, entries: Mapping[str, Entries]) -> Iterator[str]:
    """Pair sets of an alignment or a regression that do not exist, or are of several families."""
    entry = entries[section].get(name)
    if not isinstance(entry, dict):
        return
    named, pair_sets = pair_sets_of(section, entry), entries["pair_sets"]
    for part in named:
        if part not in pair_sets:
            yield f"{section}.{name}: there is no pair set {part!r}. {instead(part, pair_sets)}"
    families = {
        part: pair_sets[part].get("family") for part in named if isinstance(pair_sets.get(part), dict)
    }
    if len(set(families.values())) > 1:
        told = ", ".join(f"{part} is of {family}" for part, family in families.items())
        yield (
            f"{section}.{name}: its pair sets must be of one family, for their sentences are embedded together, but "
            f"{told}. Take pair sets of one family, or give them one."
        )


def _source_problems(name: str, entry: Entry, datasets: Entries) -> list[str]:
    """Whether a pair set's dataset and files exist."""
    dataset = entry["dataset"]
    if dataset not in datasets:
        return [f"pair_sets.{name}.dataset: there is no dataset {dataset!r}. {instead(dataset, datasets)}"]
    files = datasets[dataset].get("files")
    if not isinstance(files, dict):
        return []
    return [
        f"pair_sets.{name}.reader: the dataset {dataset} has no file {file!r}. {instead(file, files)}"
        for file in raw_files_of(entry)
        if file not in files
    ]


def _family_problems(pair_sets: Entries, datasets: Entries) -> list[str]:
    """Families that would lie where the texts and vectors of a dataset lie."""
    first = {entry["family"]: name for name, entry in reversed(pair_sets.items())}
    return [
        f"pair_sets.{name}.family: {family + ending!r} is the name of a dataset, whose texts and vectors would lie in "
        "the same files. Write another name."
        for family, name in first.items()
        for ending in ("", PERMUTED)
        if family + ending in datasets
    ] + [
        f"pair_sets.{name}.family: {family + PERMUTED!r} is a family too, whose texts and vectors would lie where the "
        "permuted texts of this one lie. Write another name."
        for family, name in first.items()
        if family + PERMUTED in first
    ]


def _nothing_to_do(config: Mapping[str, Any], selected: Mapping[str, list[str]]) -> list[str]:
    if config["select"]["tasks"]:
        return []
    if not any(selected.values()):
        return ["config.select: nothing is selected. Write names of tasks, or of pair_sets."]
    if config["study"]["protocols"]:
        return [
            "config.study.protocols: protocols are compared on tasks, but select.tasks is empty. Select tasks, or "
            "write []."
        ]
    return []


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
