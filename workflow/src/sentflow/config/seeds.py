"""Entries that stand for one encoder per seed, and everything that names one: a chain of trainings seed by seed.

The Snakefile imports this package in every job: standard library and pydantic only.
"""

from collections.abc import Callable
from typing import Any

from sentflow.config.entries import AllEntries, Entry, as_map
from sentflow.encoders.settings import TRAINED
from sentflow.errors import ConfigError
from sentflow.training.data.entries import SEARCHING

Name = tuple[str, str]
"""Section and name of an entry."""
MODELS, RETRIEVERS, DATA = "models", "retrievers", "training_data"
MOST_OF_SEEDS = 2000  # the graph of more takes longer than anyone waits

_PLACES: dict[str, tuple[tuple[tuple[str, ...], str], ...]] = {
    MODELS: (
        (("start",), MODELS),
        (("start", "like"), MODELS),
        (("settings", "teacher"), MODELS),
        (("data",), DATA),
    ),
    RETRIEVERS: ((("model",), MODELS), (("of",), RETRIEVERS), (("times",), RETRIEVERS)),
    DATA: tuple(((key, "retriever"), RETRIEVERS) for key in SEARCHING),
}
"""Section → where its entries name others, and in which section those are."""


def of_seed(name: str, seed: Any) -> str:
    """Name of what an entry stands for with one of its seeds."""
    return f"{name}-seed-{seed}"


def seed_in(name: str, family: str) -> str:
    """The seed in a name that `of_seed` made; the name itself, which pairs with nothing, where somebody else did."""
    return name.removeprefix(of_seed(family, ""))


def write_out_seeds(entries: AllEntries) -> list[str]:
    """Replace entries with several seeds, and those that name such entries, by one for each seed, in place.

    A trained encoder says its seeds, and starts from the encoder, or reads the data, of the same seed where these have
    seeds, too. A retriever, and training data with negatives, have those of what they name. What is wrong with seeds
    is returned; such an entry stays, with its first seed. Raises ConfigError: they would be more than `MOST_OF_SEEDS`.
    """
    known, problems = _known_seeds(entries)
    seeds = _several(entries, known)
    for (section, name), own in list(seeds.items()):
        entry = entries[section][name]
        named = _named(section, entry)
        wrong = [
            f"models.{name}.seeds: {other[1]} has no seed {', '.join(missing)}. Write seeds that it has: "
            f"{', '.join(map(str, theirs))}."
            for other in named
            if section == MODELS and (theirs := known[other])
            if (missing := [str(seed) for seed in own if seed not in theirs])
        ]
        wrong += [
            f"{section}.{of_seed(name, seed)}: this is the name of {name} with that seed. Write another name."
            for seed in own
            if of_seed(name, seed) in entries[section]
        ]
        if wrong or (section, name) in named:
            # One encoder, of which everything else that is wrong is told, a circle for instance
            problems += wrong
            del seeds[section, name]
            single = {"seed": own[0]} if section == MODELS else {}
            entries[section][name] = _without_seeds(_renamed(section, entry, _renaming(seeds))) | single
            continue
        del entries[section][name]
        entries[section] |= {
            of_seed(name, seed): _with_seed(
                section, name, _renamed(section, entry, _renaming(seeds, seed)), seed
            )
            for seed in own
        }
    for decision in entries["decisions"].values():
        if isinstance(retrievers := as_map(decision).get("retrievers"), list):
            decision["retrievers"] = [
                of_seed(name, seed) if seed is not None else name
                for name in retrievers
                for seed in seeds.get((RETRIEVERS, str(name)), [None])
            ]
    return problems


def _known_seeds(entries: AllEntries) -> tuple[dict[Name, list[Any]], list[str]]:
    """Entry → its seeds, of none where it stands for itself alone; and what is wrong with them."""
    known: dict[Name, list[Any]] = {}
    problems: list[str] = []

    def seeds_of(place: Name) -> list[Any]:
        if place in known:
            return known[place]
        known[place] = []  # what names itself through others has none
        section, name = place
        entry = as_map(entries[section].get(name))
        if section == MODELS:
            own = entry.get("seeds") if entry.get("kind") == TRAINED else None
            known[place] = list(own) if isinstance(own, list) else []
        else:
            several = {other: seeds for other in _named(section, entry) if (seeds := seeds_of(other))}
            first = next(iter(several.values()), [])
            known[place] = [seed for seed in first if all(seed in seeds for seeds in several.values())]
            if several and not known[place]:
                names = ", ".join(other for _, other in several)
                problems.append(
                    f"{section}.{name}: {names} have no seed in common. Write the same seeds for all."
                )
        return known[place]

    for section in (MODELS, RETRIEVERS, DATA):
        for name, entry in entries[section].items():
            for place in [(section, name), *_named(section, entry)]:
                seeds_of(place)
    return known, problems


def _several(entries: AllEntries, known: dict[Name, list[Any]]) -> dict[Name, list[Any]]:
    places = [(section, name) for section in (MODELS, RETRIEVERS, DATA) for name in entries[section]]
    total = 0
    for place in places:
        total += len(known[place])
        if known[place] and total > MOST_OF_SEEDS:
            raise ConfigError(
                f"{'.'.join(place)}: with it, entries with seeds stand for more than {MOST_OF_SEEDS} entries. "
                "Write fewer seeds."
            )
    return {place: known[place] for place in places if known[place]}


def _named(section: str, entry: Entry) -> list[Name]:
    """The entries that an entry names and that may stand for several."""
    names: list[Name] = []

    def note(kind: str, name: str) -> str:
        names.append((kind, name))
        return name

    _renamed(section, entry, note)
    return names


def _renamed(section: str, entry: Entry, rename: Callable[[str, str], str]) -> Entry:
    """An entry with other names of what it names: given the section and the name, the new one."""

    def at(keys: tuple[str, ...], kind: str, value: Any) -> Any:
        if keys:
            key, *rest = keys
            inner = as_map(value).get(key)
            return value if inner is None else {**value, key: at(tuple(rest), kind, inner)}
        if isinstance(value, list):
            return [at((), kind, one) for one in value]
        return rename(kind, value) if isinstance(value, str) else value

    for keys, kind in _PLACES[section]:
        entry = at(keys, kind, entry)
    return entry


def _renaming(seeds: dict[Name, list[Any]], seed: Any = None) -> Callable[[str, str], str]:
    """To the names with a seed, or with the first of each."""

    def rename(section: str, name: str) -> str:
        own = seeds.get((section, name))
        return of_seed(name, own[0] if seed is None else seed) if own else name

    return rename


def _with_seed(section: str, name: str, entry: Entry, seed: Any) -> Entry:
    title = {"title": f"{entry.get('title', name)} (seed {seed})"}
    if section == MODELS:
        return {**_without_seeds(entry), "seed": seed, "seed_of": name, **title}
    return {**entry, **title, **({"seed_of": name} if section == RETRIEVERS else {})}


def _without_seeds(entry: Entry) -> Entry:
    return {key: value for key, value in entry.items() if key != "seeds"}
