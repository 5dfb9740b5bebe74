"""Entries of kind trained: presets and seeds written out, and what may be wrong with them.

Standard library only: the Snakefile imports this package in every job.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sentflow.encoders.kinds.table import DENSE, KINDS, TRAINABLE, TRAINED
from sentflow.errors import ConfigError, instead
from sentflow.families.training.models import teacher_of
from sentflow.families.training.sweep_config import is_whole
from sentflow.families.training.sweeps import Cell, cells, sweep_problems
from sentflow.graph.config.entries import laid_over
from sentflow.graph.config.family import AllEntries, Entries, Entry, Selected
from sentflow.graph.config.messages import as_map, unknown
from sentflow.training.cell_states import VALUE
from sentflow.training.recipes.table import RECIPES
from sentflow.training.settings import TrainingSettings
from sentflow.training.snapshots import SNAPSHOT

_OF_PRESET = ("recipe", "settings", "training", "training_pooling", "pooling", "selection")


def write_out_models(entries: AllEntries) -> dict[str, list[str]]:
    """Add the encoders of sweeps, and replace those with a preset or several seeds; problems by name, in place."""
    refused: dict[str, list[str]] = {}
    models = entries["models"]
    for name, sweep in entries["sweeps"].items():
        if is_whole(sweep) and not any(sweep_problems(name, sweep)):
            models |= {
                cell.model: _of_sweep(name, cell) for cell in cells(name, sweep) if cell.state == VALUE
            }
    for name, entry in list(models.items()):
        if not isinstance(entry, dict) or entry.get("kind") != TRAINED:
            continue
        whole, problems = _with_preset(name, entry, entries.get("presets", {}))
        seeds = whole.get("seeds")
        if problems:
            refused[name] = problems
        elif seeds is None:
            models[name] = whole
        elif not isinstance(seeds, list) or "seed" in whole or len(set(map(str, seeds))) != len(seeds):
            refused[name] = [
                f"models.{name}.seeds: write a list of different whole numbers, and no seed beside it."
            ]
        else:
            del models[name]
            for seed in seeds:
                models[f"{name}-seed-{seed}"] = _with_seed(name, whole, seed)
    return refused


def trained_problems(entries: AllEntries) -> Iterator[str]:
    """What is wrong with trained encoders, selected or not, beyond their schema."""
    for name, entry in entries["models"].items():
        if isinstance(entry, dict) and entry.get("kind") == TRAINED:
            yield from (f"models.{name}.{problem}" for problem in _problems(entry, entries))
    yield from circle_problems(entries["models"])


def further_models(entries: AllEntries, selected: Selected) -> list[str]:
    """The encoders that selected ones are trained from or taught by, and what these need."""
    models = entries["models"]
    found: list[str] = []
    waiting = list(selected["models"])
    while waiting:
        needed = [
            name for name in _needed(models.get(waiting.pop(0))) if name in models and name not in found
        ]
        found += needed
        waiting += needed
    return found


def circle_problems(models: Entries) -> Iterator[str]:
    """Encoders that are trained from themselves, by way of others."""
    told: set[str] = set()
    for first in models:
        chain = _way_back(first, models)
        if chain and not told & set(chain):
            told.update(chain)
            circle = " → ".join((*chain, first))
            yield (
                f"models.{first}: {circle} is circular. Start one of them from another encoder, or write another "
                "teacher."
            )


def _way_back(first: str, models: Entries) -> list[str]:
    """The shortest chain of encoders that ends with one that needs its first; empty if there is none."""
    ways, seen = [[first]], {first}
    while ways:
        way = ways.pop(0)
        needed = _needed(models.get(way[-1]))
        if first in needed:
            return way
        ways += [[*way, name] for name in needed if name not in seen]
        seen.update(needed)
    return []


def _needed(entry: Any) -> list[str]:
    """The encoders that a training reads: its start, and the teacher of a distillation."""
    names = (_start_name(entry), teacher_of(as_map(entry)))
    return list(dict.fromkeys(name for name in names if name))


def _start_name(entry: Any) -> str | None:
    if as_map(entry).get("kind") != TRAINED:
        return None
    start = entry.get("start")
    name = start.get("like") if isinstance(start, Mapping) else start
    return name if isinstance(name, str) else None


def _with_preset(name: str, entry: Entry, presets: Entries) -> tuple[Entry, list[str]]:
    preset = entry.get("preset")
    if preset is None:
        return entry, []
    if preset not in presets:
        return entry, [unknown(f"models.{name}.preset", "preset", str(preset), presets)]
    base = {key: presets[preset][key] for key in _OF_PRESET if key in presets[preset]}
    own = {key: value for key, value in entry.items() if key != "preset"}
    return laid_over(base, own), []


def _of_sweep(name: str, cell: Cell) -> Entry:
    return {**cell.entry, "cell": {"sweep": name, **cell.axes}}


def _with_seed(name: str, entry: Entry, seed: Any) -> Entry:
    rest = {key: value for key, value in entry.items() if key != "seeds"}
    return {**rest, "seed": seed, "seed_of": name, "title": f"{entry.get('title', name)} (seed {seed})"}


def _problems(entry: Entry, entries: AllEntries) -> Iterator[str]:
    recipe = RECIPES.get(str(entry.get("recipe")))
    if recipe is None:
        named = str(entry.get("recipe"))
        yield f"recipe: there is no recipe {named!r}. {instead(named, sorted(RECIPES))}"
        return
    yield from _start_problems(entry, entries["models"])
    data = as_map(entries["training_data"].get(str(entry.get("data"))))
    forms = recipe.forms(as_map(entry.get("settings")))
    if not data:
        yield unknown("data", "training data", str(entry.get("data")), entries["training_data"])
    elif data.get("form") not in forms:
        yield (
            f"data: the recipe {recipe.name} with these settings reads {_or(forms)}, but {entry['data']} has "
            f"{data.get('form')}. Write other data, other settings, or another recipe."
        )
    teacher = teacher_of(entry)
    if teacher and teacher not in entries["models"]:
        yield unknown("settings.teacher", "model", teacher, entries["models"])
    elif teacher and KINDS[entries["models"][teacher]["kind"]].gives != DENSE:
        yield f"settings.teacher: {teacher} gives a text no vector of its own. Write an encoder that does."
    try:
        training = TrainingSettings.of(as_map(entry.get("training")))
    except (ConfigError, TypeError) as error:
        yield str(error)
        return
    selection = as_map(entry.get("selection"))
    if selection and training.steps is None:
        yield (
            "training.steps: with a selection, write steps instead of epochs: rows / batch_size × epochs. The "
            "snapshots are planned before the rows are counted."
        )
    if selection.get("rule", "best") == "best" and selection and not training.snapshots:
        yield "training.snapshots: the best of one snapshot is no choice. Write every how many steps one is scored."
    if selection and selection.get("pairs") not in entries["pair_sets"]:
        yield unknown("selection.pairs", "pair set", str(selection.get("pairs")), entries["pair_sets"])


def _start_problems(entry: Entry, models: Entries) -> Iterator[str]:
    name = _start_name(entry)
    if name is None or name not in models:
        yield unknown("start", "model", str(name), models)
        return
    kind = as_map(models[name]).get("kind")
    if kind not in TRAINABLE:
        yield (
            f"start: {name} is of kind {kind}, which has no weights that could be trained on. Write an encoder of kind "
            f"{_or(TRAINABLE)}."
        )
    if SNAPSHOT in name:
        yield f"start: {name} names a snapshot. Write the encoder itself; its selection says which snapshot it is."


def _or(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last
