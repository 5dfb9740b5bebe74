"""Encoders that are trained: what a training needs of other entries, and one encoder per seed."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sentflow.config.entries import AllEntries, Entries, Entry, Selected, as_map, merge
from sentflow.config.experiment import Experiment
from sentflow.config.model import mistakes
from sentflow.config.problems.common import unknown
from sentflow.config.retrievers import further_encoders, models_of
from sentflow.config.trainings import Sweep
from sentflow.encoders.settings import MADE_BY, TRAINED
from sentflow.errors import ConfigError
from sentflow.training.data.entries import (
    SEARCHING,
    held_out_of,
    question_sets_of,
    searchers_of,
    with_relations,
)
from sentflow.training.recipes.settings import RECIPES
from sentflow.training.settings import BEST, VALUE
from sentflow.training.snapshots import development_of
from sentflow.training.sweeps import cells, sweep_problems

# --- other encoders -------------------------------------------------------------------------------------------


def start_of(entry: Mapping[str, Any]) -> dict[str, Any]:
    """``name`` of the encoder that a training starts from; ``configuration`` where its weights are drawn, and
    ``tokenizer`` where its vocabulary is learnt.
    """
    start = entry["start"]
    if isinstance(start, str):
        return {"name": start}
    return {"name": start["like"], **{key: value for key, value in start.items() if key != "like"}}


def start_name(entry: Any) -> str | None:
    """The encoder that an entry is trained from, whatever else is wrong with it; None where it names none."""
    if as_map(entry).get("kind") != TRAINED:
        return None
    start = entry.get("start")
    name = start.get("like") if isinstance(start, Mapping) else start
    return name if isinstance(name, str) else None


def teacher_of(entry: Mapping[str, Any]) -> str | None:
    teacher = as_map(entry.get("settings")).get("teacher")
    return teacher if isinstance(teacher, str) else None


def needed_models(entry: Any, entries: AllEntries) -> list[str]:
    """The encoders that a training reads, or whose vectors its rows are found by."""
    training, known = as_map(entry), entries["training_data"]
    data = training.get("data")
    named = with_relations([data], known) if training.get("kind") == TRAINED and isinstance(data, str) else []
    searchers = [name for part in named for name in searchers_of(as_map(known.get(part)))]
    names = (start_name(entry), teacher_of(training), *models_of(searchers, entries["retrievers"]))
    return list(dict.fromkeys(name for name in names if name))


def further_models(entries: AllEntries, selected: Selected) -> list[str]:
    """The encoders that used ones are trained from or taught by, and what these need; used ones that nobody selects."""
    models = entries["models"]
    found = [name for name in further_encoders(entries, selected) if name in models]
    waiting = [*selected["models"], *found]
    while waiting:
        needed = [
            name
            for name in needed_models(models.get(waiting.pop(0)), entries)
            if name in models and name not in found
        ]
        found += needed
        waiting += needed
    return found


# --- data -----------------------------------------------------------------------------------------------------


def named_data(models: Entries) -> dict[str, str]:
    """Training data that trained encoders name → the first encoder that does."""
    found: dict[str, str] = {}
    for name, entry in models.items():
        if entry.get("kind") == TRAINED and isinstance(entry.get("data"), str):
            found.setdefault(entry["data"], name)
    return found


def selected_data(experiment: Experiment) -> Entries:
    """The entries of the training data that the selected trained encoders name, and of those that these consist of."""
    known = experiment.entries["training_data"]
    return {name: known[name] for name in with_relations(named_data(experiment.trained_models), known)}


def data_of(entries: AllEntries, selected: Selected) -> dict[str, Entry]:
    """The same while a configuration is read, as far as the data exist and are maps."""
    models, known = entries["models"], entries["training_data"]
    needed = {
        name: as_map(models[name]) for name in [*selected["models"], *further_models(entries, selected)]
    }
    there = [name for name in named_data(needed) if name in known]
    return {name: as_map(known[name]) for name in with_relations(there, known)}


def held_out_tasks(experiment: Experiment) -> Entries:
    """The tasks whose texts are in no row of the training data that an experiment needs, selected or not."""
    held_out = [one for entry in selected_data(experiment).values() for one in held_out_of(entry)]
    return {name: experiment.entries["tasks"][name] for section, name in held_out if section == "tasks"}


def miners(entries: AllEntries, selected: Selected) -> dict[str, list[str]]:
    """Retriever that makes rows for a selected encoder, or for one that it needs → the question sets it searches."""
    found: dict[str, list[str]] = {}
    for entry in data_of(entries, selected).values():
        for retriever in searchers_of(entry):
            found.setdefault(retriever, []).extend(question_sets_of(entry))
    return found


def chosen_by_tests(experiment: Experiment) -> dict[str, list[str]]:
    """Selected sets by whose scores snapshots are chosen, so that results on them are no tests, → the encoders."""
    reported = {*experiment.selected["pair_sets"], *experiment.selected["question_sets"]}
    found: dict[str, list[str]] = {}
    for name, entry in experiment.trained_models.items():
        selection = entry.get("selection", {})
        chooses = selection.get("rule", BEST) == BEST or selection.get("patience") is not None
        if chooses and (chosen_on := development_of(entry)) in reported:
            found.setdefault(chosen_on, []).append(entry.get("seed_of", name))
    return {chosen_on: list(dict.fromkeys(models)) for chosen_on, models in found.items()}


# --- read-out -------------------------------------------------------------------------------------------------


def write_out_pooling(models: Entries) -> None:
    """Let trained encoders that say no pooling have the one that they must have, in place."""
    for name, entry in models.items():
        if as_map(entry).get("kind") == TRAINED and (deciding := _deciding_recipe(name, models)):
            entry.setdefault("pooling", deciding[1])


def pooling_problems(name: str, entry: Entry, models: Entries) -> Iterator[str]:
    deciding = _deciding_recipe(name, models)
    if not deciding:
        return
    stage, pooling = deciding
    recipe = models[stage]["recipe"]
    before = "" if stage == name else f", by which {stage} was trained before,"
    for key in ("pooling", "training_pooling"):
        if key in entry and entry[key] != pooling:
            yield (
                f"{key}: the recipe {recipe}{before} gathers a text in its first token, and {entry[key]} reads out "
                f"others. Write {pooling}, or leave {key} out."
            )


def _deciding_recipe(name: str, models: Entries) -> tuple[str, str] | None:
    """The encoder on the way to this one, itself included, whose recipe asks for a read-out; and that.

    None for encoders of another kind than that of dense vectors.
    """
    if as_map(models.get(name)).get("recipe") in MADE_BY:
        return None
    seen: set[str] = set()
    while name in models and name not in seen:
        seen.add(name)
        entry: dict[str, Any] = as_map(models[name])
        recipe = RECIPES.get(str(entry.get("recipe")))
        if entry.get("kind") == TRAINED and recipe and recipe.read_out:
            return name, recipe.read_out
        if not isinstance(entry.get("start"), str):  # random weights have learnt nothing
            return None
        name = start_name(entry) or ""
    return None


_OF_PRESET = ("recipe", "settings", "training", "training_pooling", "pooling", "selection")


def write_out_models(entries: AllEntries) -> list[str]:
    """Add the encoders of sweeps, and replace those with a preset or several seeds, in place; problems of these."""
    found: list[str] = []
    models = entries["models"]
    for name, sweep in entries["sweeps"].items():
        if mistakes(Sweep, sweep, where="") or any(sweep_problems(name, sweep)):
            continue  # reported with all entries
        for cell in cells(name, sweep):
            if cell.state == VALUE:
                models[cell.model] = {**cell.entry, "cell": {"sweep": name, **cell.axes}}
            if cell.state == VALUE and cell.former != cell.group:  # for who names it, and has trained it
                former = f"{cell.former}{cell.model.removeprefix(cell.group)}"
                models.setdefault(former, {**cell.entry, "seed_of": cell.former})
    for name, entry in list(models.items()):
        if not isinstance(entry, dict) or entry.get("kind") != TRAINED:
            continue
        whole, problems = _with_preset(name, entry, entries["presets"])
        seeds = whole.get("seeds")
        if seeds is not None and ("seed" in whole or not _are_names(seeds)):
            problems.append(
                f"models.{name}.seeds: write a list of different whole numbers, and no seed beside it."
            )
        if problems:
            # One encoder, of which everything else that is wrong is told
            whole = {"seed": 0} | {key: value for key, value in whole.items() if key != "seeds"}
        models[name] = whole
        found += problems
    found += write_out_seeds(entries)
    write_out_pooling(models)
    return found


def _are_names(seeds: object) -> bool:
    return isinstance(seeds, list) and bool(seeds) and len(set(map(str, seeds))) == len(seeds)


def _with_preset(name: str, entry: Entry, presets: Entries) -> tuple[Entry, list[str]]:
    preset = entry.get("preset")
    if preset is None:
        return entry, []
    if not isinstance(preset, str) or preset not in presets:
        return entry, [unknown(f"models.{name}.preset", "preset", str(preset), presets)]
    base = {key: value for key, value in as_map(presets[preset]).items() if key in _OF_PRESET}
    return merge(base, {key: value for key, value in entry.items() if key != "preset"}), []


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
    places = [(section, name) for section in (MODELS, RETRIEVERS, DATA) for name in entries[section]]
    seeds = {place: known[place] for place in places if known[place]}
    if sum(map(len, seeds.values())) > MOST_OF_SEEDS:
        section, name = max(seeds, key=lambda place: len(seeds[place]))
        raise ConfigError(
            f"{section}.{name}: entries with seeds stand for more than {MOST_OF_SEEDS} entries. Write fewer seeds."
        )
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
