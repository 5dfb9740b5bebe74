"""The table of what trainings reach on rows that they held out: before training, and with the chosen weights."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sentflow.report.families.training.figure_rows import TrainingHeldOutRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, count, decimal
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table

_DIGITS = 3


def held_out_table(rows: Sequence[TrainingHeldOutRow], title: str) -> Table:
    """A block per group of trainings that differ in their seed alone, a line per measure: the mean over seeds."""
    return table_of_cells(
        name="training-held-out",
        caption=f"{title}: what trainings reach on rows that were held out from them.",
        notes=(
            data_note(rows),
            "Means over seeds, each of which draws held-out rows of its own; n: hidden tokens, spans, rows or batches "
            "of one seed. They speak for further rows of the same data. Losses of different recipes are different sums."
            if rows
            else "No training held rows out.",
        ),
        header=("Measure", "Before training", "Chosen", "Seeds", "n"),
        alignment=("w3", "r", "r", "r", "r"),
        groups=tuple(
            Group(name, tuple(_lines([row for row in rows if row.group == name])))
            for name in unique(row.group for row in rows)
        ),
        tidy_header=names_of(TrainingHeldOutRow),
        tidy_rows=records_of(rows),
    )


def _lines(rows: Sequence[TrainingHeldOutRow]) -> Iterator[tuple[Cell, ...]]:
    for measure in unique(row.measure for row in rows):
        own = [row for row in rows if row.measure == measure]
        yield (
            Cell(measure.replace("_", " ")),
            Cell(_mean([row for row in own if row.step == 0])),
            Cell(_mean([row for row in own if row.chosen])),
            Cell(str(len(unique(str(row.seed) for row in own)))),
            Cell(count(round(statistics.fmean(row.n for row in own)))),
        )


def _mean(rows: Sequence[TrainingHeldOutRow]) -> str:
    return decimal(statistics.fmean(row.value for row in rows), _DIGITS) if rows else MISSING


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`held_out_table` of the files of an experiment."""
    return held_out_table(inputs.rows(TrainingHeldOutRow, may_be_empty=True), settings["caption"])
