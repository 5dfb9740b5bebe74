"""A table as rows of cells that any format can print."""

from collections.abc import Sequence
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
    tidy_rows: tuple[tuple[str | int | float | bool | None, ...], ...]
    header_letters: tuple[str, ...] = ()
    lead: int = 1


def names_of(kind: type[Any]) -> tuple[str, ...]:
    """Headings of the tidy records of a kind of row."""
    return tuple(field.name for field in fields(kind))


def records_of(rows: Sequence[Any]) -> tuple[tuple[str | int | float | bool | None, ...], ...]:
    """Rows as tidy records."""
    return tuple(astuple(row) for row in rows)
