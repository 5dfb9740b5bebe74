"""What may be wrong with sweeps in catalog and configuration."""

from collections.abc import Iterator
from typing import Any

from sentflow.config.entries import AllEntries, as_map
from sentflow.config.problems.messages import unknown
from sentflow.families.training.sweeps import ALL, FILTERS, METHOD, NONE, RUN, SEED, sweep_problems


def is_whole(sweep: Any) -> bool:
    """Whether an entry has what is looked at, in its form; of others the schema says what is wrong."""
    found = as_map(sweep)
    grid = as_map(found.get("grid"))
    methods = grid.get(METHOD)
    axes = [values for axis, values in grid.items() if axis != METHOD]
    filters = [found[key] for key in FILTERS if key in found]
    if found.get(RUN) in (ALL, NONE):
        filters.remove(found[RUN])
    return (
        SEED in grid
        and all(isinstance(values, list) for values in axes)
        and isinstance(methods, dict)
        and all(isinstance(own, dict) for own in methods.values())
        and all(isinstance(one, list) and all(isinstance(part, dict) for part in one) for one in filters)
    )


def sweep_entry_problems(entries: AllEntries) -> Iterator[str]:
    """What is wrong with sweeps, selected or not, beyond their schema."""
    for name, sweep in entries["sweeps"].items():
        if is_whole(sweep):
            yield from sweep_problems(name, sweep)
        for key in ("development", "test"):
            if isinstance(pairs := as_map(sweep).get(key), str) and pairs not in entries["pair_sets"]:
                yield unknown(f"sweeps.{name}.{key}", "pair set", pairs, entries["pair_sets"])
