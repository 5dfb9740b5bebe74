"""The table of reductions: of each group of cells the learning rate with the best development score."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sentflow.compare.best_of_groups import best_of_groups
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
from sentflow.report.rows import data_note
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table
from sentflow.training.cell_states import NOT_RUN

_PLACES = 4  # columns that name a group, before those of the published winner
_PUBLISHED = ("Rate, published", "Dev", "Test", "of")


@dataclass(frozen=True)
class ReducedRow:
    """The best of the learning rates of a group, published and ours; undefined numbers NaN.

    Attributes
    ----------
    published_learning_rate, published_dev, published_test, published_n
        Of the published cell with the best development score, and of how many it is the best.
    learning_rate, dev, test, n, n_seeds, winner
        Of ours, means over seeds; our encoder without its seed.
    """

    sweep: str
    section: str
    start: str
    data: str
    method: str
    max_tokens: int
    published_learning_rate: float
    published_dev: float
    published_test: float
    published_n: int
    learning_rate: float
    dev: float
    test: float
    n: int
    n_seeds: int
    winner: str


def reduced(cells: Sequence[SweepCell]) -> list[ReducedRow]:
    """One row per group of cells, in order; a group of which nothing was run has a row without values."""
    theirs = {
        one.row: one for one in best_of_groups(cells, group=_row, score=lambda cell: cell.published_dev)
    }
    ours = {one.row: one for one in best_of_groups(cells, group=_row, score=lambda cell: cell.dev)}
    rows = []
    for key in dict.fromkeys(map(_row, cells)):
        members = [cell for cell in cells if cell.row == key]
        first, published, own = members[0], theirs.get(key), ours.get(key)
        rows.append(
            ReducedRow(
                sweep=first.sweep,
                section=first.section,
                start=first.start,
                data=first.data,
                method=first.method,
                max_tokens=first.max_tokens,
                published_learning_rate=published.learning_rate if published else math.nan,
                published_dev=published.published_dev if published else math.nan,
                published_test=published.published_test if published else math.nan,
                published_n=sum(not math.isnan(cell.published_dev) for cell in members),
                learning_rate=own.learning_rate if own else math.nan,
                dev=own.dev if own else math.nan,
                test=own.test if own else math.nan,
                n=sum(not math.isnan(cell.dev) for cell in members),
                n_seeds=own.n_seeds if own else 0,
                winner=own.group if own else "",
            )
        )
    return rows


def reduced_table(rows: Sequence[TrainingRow], title: str, sweeps: Sequence[Mapping[str, Any]]) -> Table:
    """A block per sweep, a line per group; see `sweep_cells` for the parameters."""
    found = {sweep["name"]: reduced(sweep_cells(sweep, rows)) for sweep in sweeps}
    groups = [
        Group(sweep.get("title", sweep["name"]), tuple(_line(row) for row in found[sweep["name"]]))
        for sweep in sweeps
    ]
    notes = [
        *([data_note(rows)] if rows else []),
        STATES_NOTE,
        "Of each line the learning rate with the best development score (of: how many were compared); the test score "
        "is that of the same training. The best of several is too high an estimate of its own development score, and "
        "with one seed per cell the choice itself is partly chance: train the winners again with fresh seeds "
        "(sentflow sweep winners) before a method is said to be better.",
        *sources(sweeps),
    ]
    published = is_published(sweeps)
    table = table_of_cells(
        name="training-reduced",
        caption=f"{title}: the best learning rate by development score{', published and ours' if published else ''} "
        "(Spearman).",
        notes=tuple(notes),
        header=(
            *("Start", "Data", "Method", "Tokens"),
            *_PUBLISHED,
            *("Rate, ours", "Dev", "Test", "of", "Seeds"),
        ),
        alignment=("l", "l", "w2.9", "r", *("r" for _ in range(9))),
        groups=tuple(groups),
        tidy_header=names_of(ReducedRow),
        tidy_rows=records_of([row for rows_of_sweep in found.values() for row in rows_of_sweep]),
        lead=_PLACES,
    )
    return table if published else without_columns(table, range(_PLACES, _PLACES + len(_PUBLISHED)))


def _row(cell: SweepCell) -> tuple[Any, ...]:
    return cell.row


def _line(row: ReducedRow) -> tuple[Cell, ...]:
    return (
        *place_cells(row),
        learning_rate(row.published_learning_rate) if row.published_n else Cell(NOT_RUN),
        state_or(row.published_dev, NOT_RUN),
        state_or(row.published_test, NOT_RUN),
        Cell(str(row.published_n)),
        learning_rate(row.learning_rate) if row.n else Cell(NOT_RUN),
        state_or(row.dev, NOT_RUN),
        state_or(row.test, NOT_RUN),
        Cell(str(row.n)),
        Cell(str(row.n_seeds)),
    )


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`reduced_table` of the files of an experiment."""
    rows = inputs.rows(TrainingRow, may_be_empty=True)
    return reduced_table(rows, settings["caption"], settings.get("published", ()))
