"""Cells and sentences that the tables of trainings share."""

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from sentflow.report.numbers import decimal
from sentflow.report.rows import unique
from sentflow.report.table.table import Cell, Table
from sentflow.training.cell_states import NOT_APPLICABLE, NOT_RUN, VALUE

STATES_NOTE = (
    f"{NOT_RUN}: not run. {NOT_APPLICABLE}: not applicable. No cell is filled in from its neighbours."
)
_Found = TypeVar("_Found")
_DIGITS = 4  # as papers print correlations of sweeps


class Placed(Protocol):
    """What stands somewhere in a grid."""

    @property
    def start(self) -> str: ...
    @property
    def data(self) -> str: ...
    @property
    def method(self) -> str: ...
    @property
    def max_tokens(self) -> int: ...


def place_cells(cell: Placed) -> tuple[Cell, ...]:
    """Start, data, method and number of tokens."""
    return (
        Cell(cell.start),
        Cell(cell.data or NOT_APPLICABLE),
        Cell(cell.method),
        Cell(str(cell.max_tokens)),
    )


def learning_rate(value: float) -> Cell:
    """``3e-5``; not applicable where there is none."""
    return Cell(NOT_APPLICABLE if math.isnan(value) else f"{value:g}".replace("e-0", "e-"))


def state_or(value: float, state: str) -> Cell:
    """A value, or the state that says why there is none."""
    if math.isnan(value):
        return Cell(NOT_RUN if state == VALUE else state)
    return Cell(decimal(value, _DIGITS))


def is_published(sweeps: Sequence[Mapping[str, Any]]) -> bool:
    """Whether any of the sweeps stands beside a published one."""
    return any(sweep.get("published") for sweep in sweeps)


def without_columns(table: Table, left_out: Container[int]) -> Table:
    """A table without some of its columns; the tidy records keep all."""

    def kept(row: tuple[_Found, ...]) -> tuple[_Found, ...]:
        return tuple(one for place, one in enumerate(row) if place not in left_out)

    return replace(
        table,
        columns=kept(table.columns),
        blocks=tuple(
            replace(block, lines=tuple(kept(line) for line in block.lines)) for block in table.blocks
        ),
    )


def sources(sweeps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Where published values are printed."""
    found = unique(
        f"{one['source']} ({one['reference']})" for sweep in sweeps if (one := sweep.get("published"))
    )
    if found:
        yield f"Published: {'; '.join(found)}."
