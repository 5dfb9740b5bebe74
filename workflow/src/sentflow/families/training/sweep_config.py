"""Sweeps in catalog and configuration, and what may be wrong with them."""

from collections.abc import Iterator

from sentflow.families.training.sweeps import sweep_problems
from sentflow.graph.config.family import AllEntries, Section
from sentflow.graph.config.messages import as_map

SWEEPS = Section("sweeps", "sweep", ("select.sweeps",), alone=False)


def entry_problems(entries: AllEntries) -> Iterator[str]:
    """What is wrong with sweeps, selected or not, beyond their schema."""
    for name, sweep in entries["sweeps"].items():
        grid = as_map(as_map(sweep).get("grid"))
        # the schema reports any other form
        if {"method", "seed"} <= grid.keys() and all(isinstance(axis, list | dict) for axis in grid.values()):
            yield from sweep_problems(name, sweep)
