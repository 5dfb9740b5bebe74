"""Entries that stand for one encoder per seed, and everything that names one: a chain of trainings seed by seed.

Standard library only: the Snakefile imports this package in every job.
"""

from collections.abc import Callable, Iterator
from typing import Any

from sentflow.config.entries import AllEntries, Entry, as_map
from sentflow.encoders.kinds.table import TRAINED
from sentflow.errors import ConfigError
from sentflow.training.data.collected import SEARCHING

Name = tuple[str, str]
"""Section and name of an entry."""
MODELS, RETRIEVERS, DATA = "models", "retrievers", "training_data"
MOST_OF_SEEDS = 2000  # the graph of more takes longer than anyone waits


def of_seed(name: str, seed: Any) -> str:
    """Name of what an entry stands for with one of its seeds."""
    return f"{name}-seed-{seed}"


def seed_in(name: str, family: str) -> str:
    """The seed in a name that `of_seed` made; the name itself, which pairs with nothing, where somebody else did."""
    return name.removeprefix(of_seed(family, ""))


def write_out_seeds(entries: AllEntries) -> dict[str, list[str]]:
    """Replace entries with several seeds, and those that name such entries, by one for each seed, in place.

    A trained encoder says its seeds, and starts from the encoder, or reads the data, of the same seed where these have
    seeds, too. A retriever, and training data with negatives, have those of what they name.

    Returns
    -------
    dict
        Model → what is wrong with its seeds; it stays, with its first seed.

    Raises
    ------
    ConfigError
        They would be more than `MOST_OF_SEEDS`.
    """
    seeds = _Seeds(entries)
    names = [(section, name) for section in (MODELS, RETRIEVERS, DATA) for name in entries[section]]
    found: dict[Name, list[Any]] = {}
    for place in names:
        if of_entry := seeds.of(place):
            found[place] = of_entry
            if sum(map(len, found.values())) > MOST_OF_SEEDS:
                raise ConfigError(
                    f"{'.'.join(place)}: with it, entries with seeds stand for more than {MOST_OF_SEEDS} entries. "
                    "Write fewer seeds."
                )
    refused: dict[str, list[str]] = {"": seeds.apart} if seeds.apart else {}
    for (section, name), of_entry in list(found.items()):
        problems = list(seeds.problems(name, of_entry)) if section == MODELS else []
        taken = [of_seed(name, seed) for seed in of_entry if of_seed(name, seed) in entries[section]]
        problems += [
            f"{section}.{one}: this is the name of {name} with that seed. Write another name."
            for one in taken
        ]
        if problems or (section, name) in _named(section, entries[section][name]):
            # One encoder, of which everything else that is wrong is told, a circle for instance
            refused |= {name: problems} if problems else {}
            del found[section, name]
            paired = _renamed(section, entries[section][name], _first_of(found))
            single = {"seed": of_entry[0]} if section == MODELS else {}
            entries[section][name] = _without_seeds(paired) | single
            continue
        entry = entries[section].pop(name)
        entries[section] |= {
            of_seed(name, seed): _with_seed(
                section, name, _renamed(section, entry, _renaming(found, seed)), seed
            )
            for seed in of_entry
        }
    for decision in entries["decisions"].values():
        named = as_map(decision).get("retrievers")
        if isinstance(named, list):
            decision["retrievers"] = [
                made for name in named for made in _made_of(name, found.get((RETRIEVERS, str(name)), ()))
            ]
    return refused


class _Seeds:
    """The seeds that entries stand for."""

    def __init__(self, entries: AllEntries) -> None:
        self._entries = entries
        self._known: dict[Name, list[Any]] = {}
        self.apart: list[str] = []

    def of(self, name: Name) -> list[Any]:
        """Of an entry; none where it stands for itself alone. What names itself through others has none."""
        if name not in self._known:
            self._known[name] = []
            self._known[name] = self._found(name)
        return self._known[name]

    def problems(self, model: str, own: list[Any]) -> Iterator[str]:
        """What is named that has seeds, and lacks one of a trained encoder."""
        for section, name in _named(MODELS, self._entries[MODELS][model]):
            theirs = self.of((section, name))
            if theirs and (missing := [str(seed) for seed in own if seed not in theirs]):
                yield (
                    f"models.{model}.seeds: {name} has no seed {', '.join(missing)}. Write seeds that it has: "
                    f"{', '.join(map(str, theirs))}."
                )

    def _found(self, name: Name) -> list[Any]:
        section, key = name
        entry = as_map(self._entries[section].get(key))
        if section == MODELS:
            own = entry.get("seeds") if entry.get("kind") == TRAINED else None
            return list(own) if isinstance(own, list) else []
        several = {one: theirs for one in _named(section, entry) if (theirs := self.of(one))}
        common = [
            seed
            for seed in next(iter(several.values()), [])
            if all(seed in theirs for theirs in several.values())
        ]
        if several and not common:
            names = ", ".join(one for _, one in several)
            self.apart.append(
                f"{section}.{key}: {names} have no seed in common. Write the same seeds for all."
            )
        return common


def _named(section: str, entry: Entry) -> list[Name]:
    """The entries that an entry names and that may stand for several."""
    found: list[Name] = []

    def note(kind: str, name: str) -> str:
        found.append((kind, name))
        return name

    _renamed(section, entry, note)
    return found


def _renamed(section: str, entry: Entry, rename: Callable[[str, str], str]) -> Entry:
    """An entry with other names of what it names: given the section and the name, the new one."""

    def at(keys: tuple[str, ...], kind: str, found: Any) -> Any:
        if keys:
            key, *rest = keys
            inner = as_map(found).get(key)
            return found if inner is None else {**found, key: at(tuple(rest), kind, inner)}
        if isinstance(found, list):
            return [at((), kind, one) for one in found]
        return rename(kind, found) if isinstance(found, str) else found

    for keys, kind in _PLACES[section]:
        entry = at(keys, kind, entry)
    return entry


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


def _renaming(found: dict[Name, list[Any]], seed: Any) -> Callable[[str, str], str]:
    return lambda section, name: of_seed(name, seed) if (section, name) in found else name


def _first_of(found: dict[Name, list[Any]]) -> Callable[[str, str], str]:
    return lambda section, name: of_seed(name, found[section, name][0]) if (section, name) in found else name


def _made_of(name: Any, seeds: Any) -> list[Any]:
    return [of_seed(name, seed) for seed in seeds] if seeds else [name]


def _with_seed(section: str, name: str, entry: Entry, seed: Any) -> Entry:
    title = {"title": f"{entry.get('title', name)} (seed {seed})"}
    if section == MODELS:
        return {**_without_seeds(entry), "seed": seed, "seed_of": name, **title}
    return {**entry, **title, **({"seed_of": name} if section == RETRIEVERS else {})}


def _without_seeds(entry: Entry) -> Entry:
    return {key: value for key, value in entry.items() if key != "seeds"}
