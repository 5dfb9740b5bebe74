"""What a training needs of other entries: its start, a teacher, its data and what finds these, and its read-out.

The Snakefile imports this package in every job: standard library and pydantic only.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sentflow.config.entries import AllEntries, Entries, Entry, Selected, as_map, merge
from sentflow.config.experiment import Experiment
from sentflow.config.model import mistakes
from sentflow.config.problems.common import unknown
from sentflow.config.retrievers import further_encoders, models_of
from sentflow.config.seeds import write_out_seeds
from sentflow.config.trainings import Sweep
from sentflow.encoders.settings import MADE_BY, TRAINED
from sentflow.training.data.entries import held_out_of, question_sets_of, searchers_of, with_relations
from sentflow.training.recipes.settings import RECIPES
from sentflow.training.settings import BEST, VALUE
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
    """Selected pair sets by whose scores snapshots are chosen, so that results on them are no tests, → the encoders."""
    found: dict[str, list[str]] = {}
    for name, entry in experiment.trained_models.items():
        selection = entry.get("selection", {})
        chooses = selection.get("rule", BEST) == BEST or selection.get("patience") is not None
        if chooses and selection.get("pairs") in experiment.selected["pair_sets"]:
            found.setdefault(selection["pairs"], []).append(entry.get("seed_of", name))
    return {pairs: list(dict.fromkeys(models)) for pairs, models in found.items()}


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


# --- presets, sweeps and seeds written out


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
