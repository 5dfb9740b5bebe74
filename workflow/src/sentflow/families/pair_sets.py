"""What the families that measure pair sets share: which sets are needed, their tables, how intervals are drawn.

The sentences of the pair sets with one ``family`` in their entries are one collection: they are embedded together.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sentflow.config.entries import AllEntries, Entries
from sentflow.config.experiment import Experiment
from sentflow.config.problems.messages import unknown
from sentflow.graph.job_settings import described_models, pick, pick_known
from sentflow.texts.pair_files import raw_files_of

PERMUTED = "-permuted"
_TITLE_KEYS = ("title", "family", "scale", "data_version", "language", "group")
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


def embedded_sets(experiment: Experiment) -> dict[str, Entries]:
    """Collection → the pair sets whose sentences are embedded together; see `families_of`."""
    selected = {section: list(experiment.selected[section]) for section in ("pair_sets", *_PARTS)}
    needed = needed_pair_sets(selected, experiment.entries)
    return families_of(needed, experiment.entries["pair_sets"])


def development_sets(experiment: Experiment) -> Entries:
    """The pair sets on which snapshots of trained encoders are scored, by name."""
    named = (entry.get("selection", {}).get("pairs") for entry in experiment.trained_models.values())
    return {name: experiment.entries["pair_sets"][name] for name in named if name}


def files_of(pattern: str, pair_sets: Iterable[str]) -> list[str]:
    """A file of each pair set, in their order."""
    return [pattern.format(pairs=name) for name in pair_sets]


def measured(experiment: Experiment) -> dict[str, Any]:
    """The similarity and the correlation that tables show."""
    return pick(experiment.config.similarity, "measure", "correlation")


def resampling(experiment: Experiment) -> dict[str, Any]:
    """How intervals over pairs are drawn."""
    statistics = experiment.config.statistics
    return {
        "level": statistics.level,
        "n_resamples": statistics.n_item_resamples,
        "seed": experiment.config.similarity.seed,
    }


def titles_of(experiment: Experiment, pair_sets: Entries) -> dict[str, Any]:
    """What summaries of pair sets read: titles of sets and encoders, what tables show, the level of intervals."""
    return {
        "pairs": {name: pick_known(entry, *_TITLE_KEYS) for name, entry in pair_sets.items()},
        "models": pick(described_models(experiment.models), *experiment.fixed_models),
        **measured(experiment),
        "level": experiment.config.statistics.level,
    }


def whole_sets(selected: Mapping[str, Iterable[str]], entries: AllEntries) -> Entries:
    """The needed pair sets that have what is looked at here; of the others the schema says what is wrong."""
    sets = {name: entries["pair_sets"].get(name) for name in needed_pair_sets(selected, entries)}
    return {name: entry for name, entry in sets.items() if entry is not None and _is_whole(entry)}


def _is_whole(entry: Any) -> bool:
    if not isinstance(entry, dict) or not isinstance(entry.get("family"), str):
        return False
    try:
        files = raw_files_of(entry)
        return isinstance(entry.get("dataset"), str) and all(isinstance(file, str) for file in files)
    except (AttributeError, KeyError, TypeError):
        return False


def part_problems(section: str, name: str, entries: Mapping[str, Entries]) -> Iterator[str]:
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
            f"{section}.{name}: its pair sets must be of one family, because their sentences are "
            "embedded together, but "
            f"{found}. Take pair sets of one family, or give them one."
        )


def family_problems(pair_sets: Entries, datasets: Entries) -> list[str]:
    """Families whose texts and vectors would be where those of a dataset are."""
    first = {entry["family"]: name for name, entry in reversed(pair_sets.items())}
    return [
        f"pair_sets.{name}.family: {family + ending!r} is the name of a dataset, whose texts and "
        "vectors would be in "
        "the same files. Write another name."
        for family, name in first.items()
        for ending in ("", PERMUTED)
        if family + ending in datasets
    ] + [
        f"pair_sets.{name}.family: {family + PERMUTED!r} is also a family, whose texts and vectors "
        "would be where "
        "those of the permuted texts of this one are. Write another name."
        for family, name in first.items()
        if family + PERMUTED in first
    ]
