"""Tables of families that do not declare their columns yet; goes with the last of them."""

import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields, replace
from typing import Any

from sentflow.report.numbers import MINUS, MISSING
from sentflow.report.rows import SAMPLE_NOTE
from sentflow.report.table.table import Block, Cell, Column, Matrix, Table, Value

_NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?")
_UNITS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "MiB": 1.0, "GiB": 1024.0}
_DURATION = re.compile(r"(?<![\d.,])([\d.,]+) (ms|s|min|h|MiB|GiB)\b")


@dataclass(frozen=True)
class Group:
    """Lines under a common title."""

    title: str
    rows: tuple[tuple[Cell, ...], ...]


def table_of_cells(
    *,
    name: str,
    caption: str,
    notes: tuple[str, ...],
    header: tuple[str, ...],
    alignment: tuple[str, ...],
    groups: tuple[Group, ...],
    tidy_header: tuple[str, ...],
    tidy_rows: tuple[tuple[Value, ...], ...],
    header_letters: tuple[str, ...] = (),
    lead: int = 1,
    matrix: Matrix | None = None,
    block_heading: str = "Task",
) -> Table:
    """A table of cells."""
    letters = header_letters or ("",) * len(header)
    columns = tuple(
        Column(heading, Cell, kind in "rc", float(kind[1:]) if kind[1:] else None, letter)
        for heading, kind, letter in zip(header, alignment, letters, strict=True)
    )
    blocks = tuple(
        Block(group.title.split(":")[0], group.title, tuple(_sorted(row, columns) for row in group.rows))
        for group in groups
    )
    is_sample = SAMPLE_NOTE in notes
    return Table(
        name, caption, notes, columns, blocks, tidy_header, tidy_rows, is_sample, block_heading, lead, matrix
    )


def _sorted(row: Sequence[Cell], columns: Sequence[Column]) -> tuple[Cell, ...]:
    return tuple(
        replace(cell, value=_value(cell.text)) if column.is_number else cell
        for cell, column in zip(row, columns, strict=True)
    )


def names_of(kind: type[Any]) -> tuple[str, ...]:
    """Headings of the tidy records of a kind of row."""
    return tuple(field.name for field in fields(kind))


def records_of(rows: Sequence[Any]) -> tuple[tuple[Value, ...], ...]:
    """Rows as tidy records."""
    return tuple(astuple(row) for row in rows)


def _value(text: str) -> float | None:
    plain = text.replace(MINUS, "-").replace("\u202f", " ").strip()
    if plain == MISSING:
        return None
    measured = _DURATION.findall(plain)
    if measured:
        return sum(float(number.replace(",", "")) * _UNITS[unit] for number, unit in measured)
    if plain.startswith("<"):
        match = _NUMBER.match(plain[1:].strip())
        return float(match[0]) / 2 if match else None
    match = _NUMBER.match(plain)
    return float(match[0].replace(",", "")) if match else None
