"""A table of the report as rows for the page: headings, cells, and what each cell is sorted by."""

import re
from dataclasses import dataclass

from sentflow.report.captions import SAMPLE_NOTE
from sentflow.report.numbers import MINUS, MISSING
from sentflow.report.table.cells import Cell, Table

_NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?")
_UNITS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "MiB": 1.0, "GiB": 1024.0}
_DURATION = re.compile(r"(?<![\d.,])([\d.,]+) (ms|s|min|h|MiB|GiB)\b")


@dataclass(frozen=True)
class HtmlCell:
    """A cell; `value` is what it is sorted by, None for text or where nothing is known."""

    text: str
    detail: str
    mark: str
    letters: str
    value: float | None


@dataclass(frozen=True)
class HtmlTable:
    """A table for the page.

    Attributes
    ----------
    numeric
        Per column whether it holds numbers, to the right and sorted as such.
    is_sample
        Whether all data are sample data, which the page says by a stamp, once, instead of in the notes of every table.
    rows
        Without headings between them: these are a column of their own, so that rows can be sorted.
    """

    name: str
    caption: str
    notes: tuple[str, ...]
    header: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[HtmlCell, ...], ...]
    is_sample: bool = False


def html_table(table: Table, *, group_heading: str = "Task") -> HtmlTable:
    """The same table with the titles of groups as a first column."""
    grouped = any(group.title for group in table.groups)
    numeric = tuple(kind == "r" for kind in table.alignment)
    rows = []
    for group in table.groups:
        lead = (HtmlCell(group.title.split(":")[0], "", "", "", None),) if grouped else ()
        for row in group.rows:
            cells = tuple(
                _cell(cell, is_number=is_number) for cell, is_number in zip(row, numeric, strict=True)
            )
            rows.append(lead + cells)
    return HtmlTable(
        name=table.name,
        caption=table.caption,
        notes=tuple(note for note in table.notes if note != SAMPLE_NOTE),
        header=((group_heading,) if grouped else ()) + table.header,
        numeric=((False,) if grouped else ()) + numeric,
        rows=tuple(rows),
        is_sample=SAMPLE_NOTE in table.notes,
    )


def sort_value(text: str) -> float | None:
    """The number that a cell begins with, times and sizes in one unit each; None if it does not begin with one."""
    plain = text.replace(MINUS, "-").replace("\u202f", " ").strip()
    if plain == MISSING:
        return None
    measured = _DURATION.findall(plain)
    if measured:
        return sum(float(number.replace(",", "")) * _UNITS[unit] for number, unit in measured)
    if plain.startswith("<"):
        found = _NUMBER.match(plain[1:].strip())
        return float(found[0]) / 2 if found else None
    found = _NUMBER.match(plain)
    return float(found[0].replace(",", "")) if found else None


def _cell(cell: Cell, *, is_number: bool) -> HtmlCell:
    value = sort_value(cell.text) if is_number else None
    return HtmlCell(cell.text, cell.detail, cell.mark, cell.letters, value)
