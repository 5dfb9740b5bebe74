"""The table of what trainings cost: time, memory, and energy where the machine tells."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.report.families.training.trained_rows import TrainedRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, count, duration, memory
from sentflow.report.rows import unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table


def costs_table(rows: Sequence[TrainedRow], title: str) -> Table:
    """A block per group of trainings, a line per training; columns that no machine tells are left out."""
    told = {
        "Device memory": any(math.isfinite(row.device_memory_mb) for row in rows),
        "Energy": any(math.isfinite(row.energy_joules) for row in rows),
    }
    further = [name for name, there in told.items() if there]
    notes = [
        "Time of the training itself, snapshots and saving included, without their scores. It depends on what else the "
        "machine did, so lines are compared with care. Tokens: read in all views, padding left out. Memory: peak of "
        "the process; of the last run, where a training was resumed."
    ]
    if told["Energy"]:
        notes.append(
            "Energy: of all processors of the machine, whatever else ran there; of the last run, where a training was "
            "resumed."
        )
    return table_of_cells(
        name="training-costs",
        caption=f"{title}: what trainings cost.",
        notes=tuple(notes),
        header=(
            "Encoder",
            "Device",
            "Precision",
            "Threads",
            "Time",
            "Tokens/s",
            "Memory",
            *further,
            "Resumed",
        ),
        alignment=("w4", "l", "l", "r", "r", "r", "r", *("r" for _ in further), "r"),
        groups=tuple(
            Group(name, tuple(_line(row, further) for row in rows if row.group == name))
            for name in unique(row.group for row in rows)
        ),
        tidy_header=names_of(TrainedRow),
        tidy_rows=records_of(rows),
    )


def _line(row: TrainedRow, further: Sequence[str]) -> tuple[Cell, ...]:
    more = {"Device memory": Cell(memory(row.device_memory_mb)), "Energy": Cell(_energy(row.energy_joules))}
    return (
        Cell(row.model),
        Cell(row.device),
        Cell(row.precision),
        Cell(str(row.threads)),
        Cell(duration(row.seconds)),
        Cell(count(round(row.tokens_per_second))),
        Cell(memory(row.memory_mb)),
        *(more[name] for name in further),
        Cell(f"{row.n_resumed} ×" if row.n_resumed else "no"),
    )


def _energy(joules: float) -> str:
    if math.isnan(joules):
        return MISSING
    return f"{joules:.0f} J" if joules < 10_000 else f"{joules / 3.6e6:.3g} kWh"


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`costs_table` of the files of an experiment."""
    return costs_table(inputs.rows(TrainedRow), settings["caption"])
