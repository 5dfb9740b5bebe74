"""What the tables of trainings are told beside the summary: our cells, and what others published."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sentflow.config.entries import Entry, read_yaml
from sentflow.errors import ConfigError, instead
from sentflow.families.training.sweeps import Cell, cells, development_of, shown_method


def shown_sweep(name: str, sweep: Mapping[str, Any], workflow: Path) -> Entry:
    """A sweep as `sentflow.report.families.training.sweep_cells` reads it; one line per cell, whatever its seeds.

    Raises
    ------
    ConfigError
        It names a published sweep that does not exist.
    """
    found = {
        "name": name,
        "title": sweep.get("title", name),
        "development": development_of(sweep),
        "test": sweep.get("test", ""),
        "cells": list({cell.group: _line(cell) for cell in cells(name, sweep)}.values()),
    }
    if "published" not in sweep:
        return found
    known = read_yaml(workflow / "catalog" / "published_training.yaml")
    wanted = sweep["published"]
    if wanted["name"] not in known:
        raise ConfigError(
            f"sweeps.{name}.published.name: there is no published sweep {wanted['name']!r}. "
            f"{instead(wanted['name'], known)}"
        )
    entry = known[wanted["name"]]
    section = entry["columns"].index("section")
    # a command has little room, so the rest is left out
    rows = [row for row in entry["rows"] if row[section] == wanted.get("section", row[section])]
    return {**found, "published": {**entry, "rows": rows}}


def _line(cell: Cell) -> list[Any]:
    """Group, state, start, data, method, number of tokens, learning rate."""
    training = cell.entry.get("training", {})
    return [
        cell.group,
        cell.state,
        cell.entry["start"],
        cell.entry["data"],
        shown_method(cell),
        training.get("max_tokens"),
        training.get("learning_rate"),
    ]
