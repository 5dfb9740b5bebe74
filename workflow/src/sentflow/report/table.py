"""A table as rows of cells that any format can print."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

from sentflow.report.rows import CostRow, EffectRow, ScoreRow


@dataclass(frozen=True)
class Cell:
    """A text, and a detail that may be printed smaller or below it."""

    text: str
    detail: str = ""


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


def names_of(kind: type[ScoreRow] | type[CostRow] | type[EffectRow]) -> tuple[str, ...]:
    """Headings of the tidy records."""
    return tuple(field.name for field in fields(kind))


def records_of(
    rows: Sequence[ScoreRow] | Sequence[CostRow] | Sequence[EffectRow],
) -> tuple[tuple[str | int | float | bool | None, ...], ...]:
    """Rows as tidy records."""
    return tuple(astuple(row) for row in rows)
