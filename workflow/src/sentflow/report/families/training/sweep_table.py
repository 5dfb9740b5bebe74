"""The table of sweeps: every cell, ours beside the published one, and whether it was run."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sentflow.report.families.training.rows import TrainingRow
from sentflow.report.families.training.sweep_cells import SweepCell, sweep_cells
from sentflow.report.families.training.words import (
    STATES_NOTE,
    is_published,
    learning_rate,
    place_cells,
    sources,
    state_or,
    without_columns,
)
from sentflow.report.inputs import Inputs
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table

_SCORES = ("Dev", "Test", "Unif.", "Align.")
_PLACES = 5  # columns that name a cell, before the published scores


def sweep_table(rows: Sequence[TrainingRow], title: str, sweeps: Sequence[Mapping[str, Any]]) -> Table:
    """A block per sweep, a line per cell.

    Parameters
    ----------
    rows
        The summary of trainings; may be empty.
    title
        How the caption begins.
    sweeps
        See `sweep_cells`.
    """
    found = {sweep["name"]: sweep_cells(sweep, rows) for sweep in sweeps}
    every = [cell for cells in found.values() for cell in cells]
    groups = [
        Group(sweep.get("title", sweep["name"]), tuple(_line(cell) for cell in found[sweep["name"]]))
        for sweep in sweeps
    ]
    published = is_published(sweeps)
    table = table_of_cells(
        name="training-sweep",
        caption=f"{title}: trainings cell by cell{', published values and ours' if published else ''} (Spearman; "
        "uniformity, alignment).",
        notes=(*_data(rows), *_notes(sweeps, every)),
        header=(
            "Start",
            "Data",
            "Method",
            "Tokens",
            "Learning rate",
            *(f"{name}, published" for name in _SCORES),
            *(f"{name}, ours" for name in _SCORES),
            "Seeds",
        ),
        alignment=("l", "l", "w2.9", "r", "r", *("r" for _ in range(2 * len(_SCORES))), "r"),
        groups=tuple(groups),
        tidy_header=names_of(SweepCell),
        tidy_rows=records_of(every),
        lead=_PLACES,
    )
    return table if published else without_columns(table, range(_PLACES, _PLACES + len(_SCORES)))


def _line(cell: SweepCell) -> tuple[Cell, ...]:
    geometry = cell.published_geometry
    return (
        *place_cells(cell),
        learning_rate(cell.learning_rate),
        state_or(cell.published_dev, cell.published_scores),
        state_or(cell.published_test, cell.published_scores),
        state_or(cell.published_uniformity, geometry),
        state_or(cell.published_alignment, geometry),
        *(state_or(value, cell.state) for value in (cell.dev, cell.test, cell.uniformity, cell.alignment)),
        Cell(str(cell.n_seeds)),
    )


def _data(rows: Sequence[TrainingRow]) -> list[str]:
    return [data_note(rows)] if rows else []


def _notes(sweeps: Sequence[Mapping[str, Any]], cells: Sequence[SweepCell]) -> Iterator[str]:
    n_run = sum(cell.n_seeds > 0 for cell in cells)
    yield STATES_NOTE
    yield (
        f"Ours: {n_run} of {len(cells)} cells were run; means over seeds of the snapshots that the development set "
        "chose. Test scores of cells are for reading a grid, not for choosing from it, and no two cells are tested "
        "against each other here."
    )
    yield from sources(sweeps)
    yield from unique(remark for sweep in sweeps for remark in sweep.get("published", {}).get("remarks", ()))


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`sweep_table` of the files of an experiment."""
    rows = inputs.rows(TrainingRow, may_be_empty=True)
    return sweep_table(rows, settings["caption"], settings.get("published", ()))
