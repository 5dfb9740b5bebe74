"""Sweeps: one entry of the catalog stands for a grid of trainings, each of them an encoder of its own.

Standard library only: the Snakefile reads it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from sentflow.config.entries import merge
from sentflow.config.problems.common import MAX_LENGTH
from sentflow.encoders.settings import MADE_BY
from sentflow.errors import ConfigError, instead
from sentflow.training.settings import NOT_APPLICABLE, NOT_RUN, VALUE

ALL, NONE = "all", "none"
ONLY, RUN, _NOT_APPLICABLE = "only", "run", "not_applicable"
FILTERS = (ONLY, RUN, _NOT_APPLICABLE)

METHOD, START, DATA, SEED = "method", "start", "data", "seed"
# The axes that stand first in a name, in this order; then those of the training; the seed is last.
_FIRST, _LAST = (METHOD, DATA, START), (SEED,)
_COLUMNS = ("max_tokens", "learning_rate")  # of the tables of sweeps, beside the first
_SHORT = {"learning_rate": "lr", "max_tokens": "length", "batch_size": "batch"}
# Keys of a sweep that go into the entry of each of its encoders
_SHARED = (
    *("preset", "recipe", START, DATA, "settings", "training"),
    *("training_pooling", "pooling", "selection"),
)


@dataclass(frozen=True)
class Cell:
    """One training of a sweep."""

    model: str  # name of its encoder, and of its folder in the results
    group: str  # `model` without the seed: what is trained several times
    former: str  # `group` as versions before 2027 named it, where 1e-4 was 0.0001
    axes: Mapping[str, Any]  # axis of the grid → value here
    state: str  # `VALUE` if it is to be run, else `NOT_RUN` or `NOT_APPLICABLE`
    entry: Mapping[str, Any]  # of ``models:``, of kind trained


def cells(name: str, sweep: Mapping[str, Any]) -> list[Cell]:
    """The trainings of an entry of ``sweeps:``, the first axis of `axes_of` slowest and the seed fastest."""
    axes = axes_of(sweep)
    wanted = sweep.get(ONLY, [{}])
    grid = (dict(zip(axes, values, strict=True)) for values in product(*axes.values()))
    return [_cell(name, sweep, place) for place in grid if _matches(place, wanted)]


def axes_of(sweep: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Axis → its values: method, data and start, then keys of the training by their names, then the seed."""
    grid = sweep["grid"]
    others = sorted(set(grid) - {*_FIRST, *_LAST})
    return {axis: list(grid[axis]) for axis in (*_FIRST, *others, *_LAST) if axis in grid}


def number_word(value: float, digits: int = 6) -> str:
    """A number as papers write it, of so many digits at most: ``3e-5``, ``1e-4``, ``0.05``."""
    if not 0 < abs(value) < 0.01:
        return f"{value:.{digits}g}"
    factor, _, power = f"{value:.{digits - 1}e}".partition("e")
    return f"{float(factor):.{digits}g}e{int(power)}"


def shown_value(value: Any) -> str:
    """A place on an axis as names and messages have it."""
    return number_word(value) if isinstance(value, float) else str(value)


def development_of(sweep: Mapping[str, Any]) -> str:
    """The pair set of development scores: that of the selection unless the sweep names one; empty without either."""
    return str(sweep.get("development", sweep.get("selection", {}).get("pairs", "")))


def shown_method(cell: Cell) -> str:
    """Its method, and its place on axes that tables have no column for: two cells would be one line there."""
    others = (axis for axis in cell.axes if axis not in (*_FIRST, *_LAST, *_COLUMNS))
    return ", ".join([cell.axes[METHOD], *(_word(axis, cell.axes[axis]) for axis in others)])


def shown_sweep(name: str, sweep: Mapping[str, Any], published: Mapping[str, Any]) -> dict[str, Any]:
    """A sweep as `sentflow.report.families.training.sweeps.sweep_cells` reads it, beside published ones, given by name.

    There is one line per cell, whatever its seeds. Raises ConfigError: it names no published sweep.
    """

    def line(cell: Cell) -> list[Any]:
        """Group, state, start, data, method, number of tokens, learning rate."""
        training = cell.entry.get("training", {})
        numbers = training.get("max_tokens"), training.get("learning_rate")
        return [cell.group, cell.state, cell.entry["start"], cell.entry["data"], shown_method(cell), *numbers]

    found = {
        "name": name,
        "title": sweep.get("title", name),
        "development": development_of(sweep),
        "test": sweep.get("test", ""),
        "cells": list({cell.group: line(cell) for cell in cells(name, sweep)}.values()),
    }
    if "published" not in sweep:
        return found
    wanted = sweep["published"]
    if wanted["name"] not in published:
        raise ConfigError(
            f"sweeps.{name}.published.name: there is no published sweep {wanted['name']!r}. "
            f"{instead(wanted['name'], published)}"
        )
    entry = published[wanted["name"]]
    section = entry["columns"].index("section")
    # a command has little room, so the rest is left out
    rows = [row for row in entry["rows"] if row[section] == wanted.get("section", row[section])]
    return {**found, "published": {**entry, "rows": rows}}


def sweep_problems(name: str, sweep: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with a sweep beyond its schema, one sentence each."""
    axes = axes_of(sweep)
    for key in FILTERS:
        filters = sweep.get(key, [])
        for place, one in enumerate(filters if isinstance(filters, list) else []):
            yield from _filter_problems(f"sweeps.{name}.{key}.{place}", one, axes)
    for axis in (METHOD, START, DATA):
        if axis in axes and axis in sweep:
            yield f"sweeps.{name}.{axis}: it is an axis of the grid, too. Write it in one of the two places."
    missing = [axis for axis in (START, DATA) if axis not in axes and axis not in sweep]
    for axis in missing:
        yield f"sweeps.{name}: there is no {axis}. Write it in the sweep, or its values in grid.{axis}."
    if missing:
        return
    found = cells(name, sweep)
    if not found:
        yield f"sweeps.{name}.only: no combination of the grid fits it. Leave it out for the whole grid."
    for recipe in sorted({str(cell.entry.get("recipe")) for cell in found} & MADE_BY.keys()):
        yield (
            f"sweeps.{name}: cells are compared by similarities of pairs, and {recipe} makes no dense vectors. Write "
            "entries of models with the settings instead, and retrievers that search by them."
        )
    names = Counter(cell.model for cell in found)
    for model in sorted(one for one, n in names.items() if n > 1):
        yield f"sweeps.{name}.grid: two cells would be called {model}. Give the values of an axis other names."
    longest = max(names, key=len, default="")
    if len(longest) > MAX_LENGTH:
        yield (
            f"sweeps.{name}: {longest} is the name of a folder and has at most {MAX_LENGTH} characters, not "
            f"{len(longest)}. Write a shorter name of the sweep or of its methods."
        )


def _filter_problems(where: str, one: Mapping[str, Any], axes: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """A filter that names nothing of the grid would silently choose nothing."""
    for axis, values in one.items():
        if axis not in axes:
            yield f"{where}.{axis}: the grid has no such axis. Write one of: {', '.join(axes)}."
            continue
        for value in _listed(values):
            if value not in axes[axis]:
                known = ", ".join(map(shown_value, axes[axis]))
                yield f"{where}.{axis}: {shown_value(value)} is no value of this axis. Write one of: {known}."


def _cell(name: str, sweep: Mapping[str, Any], place: dict[str, Any]) -> Cell:
    """The entry is what the sweep says, over it what its method says, over that its place in the grid."""
    words = {axis: _word(axis, value) for axis, value in place.items()}
    others = {axis: value for axis, value in place.items() if axis != SEED}
    group = ".".join([name, *(words[axis] for axis in others)])
    former = ".".join([name, *(_word(axis, value, former=True) for axis, value in others.items())])
    run = sweep.get(RUN, ALL)
    state = VALUE if run == ALL or (run != NONE and _matches(place, run)) else NOT_RUN
    if _matches(place, sweep.get(_NOT_APPLICABLE, [])):
        state = NOT_APPLICABLE
    shared = {key: sweep[key] for key in _SHARED if key in sweep}
    method = sweep["grid"][METHOD][place[METHOD]] if METHOD in place else {}
    of_training = {axis: value for axis, value in place.items() if axis not in (*_FIRST, *_LAST)}
    own = {axis: place[axis] for axis in (START, DATA, SEED) if axis in place}
    title = f"{sweep.get('title', name)}: {', '.join(words.values())}"
    entry: dict[str, Any] = merge(merge(shared, method), {**own, "training": of_training})
    return Cell(
        model=f"{group}.{words[SEED]}",
        group=group,
        former=former,
        axes=place,
        state=state,
        entry={"title": title, "kind": "trained", **entry, "seed_of": group},
    )


def _matches(place: Mapping[str, Any], filters: Sequence[Mapping[str, Any]]) -> bool:
    """Whether any of the filters lets a place of the grid through: each of its axes has one of its values there."""
    return any(all(place.get(axis) in _listed(values) for axis, values in one.items()) for one in filters)


def _listed(values: Any) -> list[Any]:
    return values if isinstance(values, list) else [values]


def _word(axis: str, value: Any, *, former: bool = False) -> str:
    """A part of a name: ``simcse``, ``lr-3e-5``, ``seed-1``."""
    if axis in _FIRST:
        return str(value).lower()
    is_former = former and isinstance(value, float)
    number = f"{value:g}".replace("e-0", "e-") if is_former else shown_value(value)
    return f"{_SHORT.get(axis, axis.replace('_', '-'))}-{number}"
