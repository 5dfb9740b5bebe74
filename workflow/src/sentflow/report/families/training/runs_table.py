"""The table of trainings: what was trained from what, and which snapshot was chosen."""

from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.report.families.training.trained_rows import TrainedRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, count, decimal
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table

_DIGITS = 4  # as tables of sweeps print correlations


def runs_table(rows: Sequence[TrainedRow], title: str) -> Table:
    """A block per group of trainings that differ in their seed alone, a line per training."""
    return table_of_cells(
        name="training-runs",
        caption=f"{title}: what was trained.",
        notes=(
            data_note(rows),
            "Chosen: the steps after which the snapshot became the encoder, by the rule and the development set beside "
            "it. The score there is the best of several and too high an estimate.",
        ),
        header=(
            "Encoder",
            "Recipe",
            "Start",
            "Data",
            "Rows",
            "Seed",
            "Steps",
            "Tokens",
            "Rule",
            "Chosen",
            "Score there",
        ),
        alignment=("w4", "l", "l", "l", "r", "r", "r", "r", "l", "r", "r"),
        groups=tuple(
            Group(name, tuple(_line(row) for row in rows if row.group == name))
            for name in unique(row.group for row in rows)
        ),
        tidy_header=names_of(TrainedRow),
        tidy_rows=records_of(rows),
    )


def _line(row: TrainedRow) -> tuple[Cell, ...]:
    return (
        Cell(row.model),
        Cell(row.recipe),
        Cell(row.start),
        Cell(f"{row.data} (control)" if row.is_control else row.data),
        Cell(count(row.rows)),
        Cell(str(row.seed)),
        Cell(count(row.steps)),
        Cell(count(row.tokens)),
        Cell(f"{row.rule}, {row.pairs}" if row.pairs else MISSING),
        Cell(count(row.chosen)),
        Cell(decimal(row.score, _DIGITS)),
    )


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`runs_table` of the files of an experiment."""
    return runs_table(inputs.rows(TrainedRow), settings["caption"])
