"""One table as CSV or Markdown text. Equal tables give equal bytes."""

import csv
import io
import math
from collections.abc import Iterable, Sequence

from sentflow.compare.differences import BEST, NOT_WORSE
from sentflow.files.control_characters import visible
from sentflow.report.table.table import Cell, Table, Value

# Markdown has no underline of its own; this element is one, and is shown where pipe tables are
_MARKDOWN_MARKS = {"": ("", ""), BEST: ("**", "**"), NOT_WORSE: ("<ins>", "</ins>")}

# a spreadsheet runs what begins so; names of this project never do, titles of others may
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv_text(table: Table) -> str:
    """The tidy records; shortest digits that give the same number back, empty where nothing is known.

    A text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    return csv_records(table.header, table.records)


def wide_csv_text(table: Table) -> str:
    """A matrix as it stands in a paper, in full precision: a record per line of the table, a field per column.

    Raises ValueError: the table is no matrix.
    """
    if table.matrix is None:
        raise ValueError(f"table {table.name} is no matrix")
    return csv_records(table.matrix.header, table.matrix.rows)


def markdown_text(table: Table) -> str:
    """Caption, a pipe table, and the notes as a list."""
    lines = [f"**{markdown(table.caption)}**", ""]
    lines.append(_pipes([markdown(column.heading) + _raised(column.letter) for column in table.columns]))
    lines.append(_pipes(["--:" if column.is_number else ":--" for column in table.columns]))
    for block in table.blocks:
        if block.title:
            lines.append(_pipes([f"*{markdown(block.title)}*", *[""] * (len(table.columns) - 1)]))
        lines += [_pipes([_markdown_cell(cell) for cell in line]) for line in block.lines]
    lines += ["", *(f"- {markdown(note)}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def csv_records(header: Sequence[str], records: Iterable[Sequence[Value]]) -> str:
    """A header and records, their values as in `csv_text`."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([_csv_value(value) for value in record] for record in (header, *records))
    return stream.getvalue()


def _csv_value(value: Value) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return f"'{visible(value)}"
    return repr(value) if isinstance(value, float) else visible(str(value))


def _pipes(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def markdown(text: str) -> str:
    """Text in which nothing is Markdown."""
    text = visible(text)
    for character in ("\\", "|", "*", "_", "`", "<", ">"):
        text = text.replace(character, "\\" + character)
    # brackets alone are those of an interval; with an address behind them they would be a link
    return " ".join(text.replace("](", "]\\(").split("\n"))


def _markdown_cell(cell: Cell) -> str:
    # the brackets of an interval are no link, for no address follows them
    start, end = _MARKDOWN_MARKS[cell.mark]
    text = start + markdown(cell.text) + end + _raised(cell.letters)
    return f"{text} {markdown(cell.detail)}".strip()


def _raised(letters: str) -> str:
    return f"<sup>{letters}</sup>" if letters else ""
