"""A table as rows of cells that any format can print."""

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Cell:
    """A text, and a detail that may be printed smaller or below it.

    Attributes
    ----------
    mark
        `BEST` (bold) or `NOT_WORSE` (underlined): what a test says, never how a number looks.
    letters
        Raised behind the text: the columns that this one is significantly better than; in a heading its own letter.
    """

    text: str
    detail: str = ""
    mark: str = ""
    letters: str = ""


@dataclass(frozen=True)
class Group:
    """Rows under a common heading (empty for none)."""

    title: str
    rows: tuple[tuple[Cell, ...], ...]


Value = str | int | float | bool | None


@dataclass(frozen=True)
class Matrix:
    """The values of a table that has one by each of its lines and columns, as its wide CSV and compact LaTeX show them.

    Attributes
    ----------
    header, rows
        Names of lines and columns as programs know them; values in full precision, None where there is none.
    notes
        Of the compact form: it has neither intervals nor letters, so that it has fewer notes.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table for people, and the same facts as tidy records for programs.

    Attributes
    ----------
    name
        Label, e.g. ``"scores"``.
    caption
        One sentence: what is shown.
    notes
        Further sentences: on what data, made how, how to read it.
    header
        One heading per column.
    header_letters
        The letter of each column, empty for none; no letters at all where nothing was tested.
    lead
        Columns that name a row: they stand again where a table is cut into several because it is too wide.
    matrix
        Only of products that are one (`sentflow.graph.products.Product.is_matrix`).
    alignment
        Per column ``l``, ``r``, ``c``, or ``w3.6``: text that is wrapped at 3.6 cm where a format can do so.
    tidy_header, tidy_rows
        For CSV: full precision, None where nothing is known.
    """

    name: str
    caption: str
    notes: tuple[str, ...]
    header: tuple[str, ...]
    alignment: tuple[str, ...]
    groups: tuple[Group, ...]
    tidy_header: tuple[str, ...]
    tidy_rows: tuple[tuple[Value, ...], ...]
    header_letters: tuple[str, ...] = ()
    lead: int = 1
    matrix: Matrix | None = None


def names_of(kind: type[Any]) -> tuple[str, ...]:
    """Headings of the tidy records of a kind of row."""
    return tuple(field.name for field in fields(kind))


def records_of(rows: Sequence[Any]) -> tuple[tuple[Value, ...], ...]:
    """Rows as tidy records."""
    return tuple(astuple(row) for row in rows)


def crossed(rows: Iterable[Any], by: Sequence[str], across: str, value: str, notes: Sequence[str]) -> Matrix:
    """The matrix of rows: a line for each value of the attributes `by`, a column for each of `across`."""
    cells = {
        (tuple(getattr(row, key) for key in by), getattr(row, across)): getattr(row, value) for row in rows
    }
    lines, columns = (list(dict.fromkeys(keys)) for keys in zip(*cells, strict=True)) if cells else ([], [])
    return Matrix(
        header=(*by, *columns),
        rows=tuple((*line, *(cells.get((line, column)) for column in columns)) for line in lines),
        notes=tuple(notes),
    )
