"""What may be wrong with sweeps in catalog and configuration."""

from collections.abc import Iterator
from typing import Any

from sentflow.families.training.sweeps import sweep_problems
from sentflow.graph.config.family import AllEntries
from sentflow.graph.config.messages import as_map


def is_whole(sweep: Any) -> bool:
    """Whether an entry has what is looked at; of others the schema says what is wrong."""
    grid = as_map(as_map(sweep).get("grid"))
    return {"method", "seed"} <= grid.keys() and all(isinstance(axis, list | dict) for axis in grid.values())


def sweep_entry_problems(entries: AllEntries) -> Iterator[str]:
    """What is wrong with sweeps, selected or not, beyond their schema."""
    for name, sweep in entries["sweeps"].items():
        if is_whole(sweep):
            yield from sweep_problems(name, sweep)
