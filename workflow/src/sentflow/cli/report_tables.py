"""Tables of the report in the terminal."""

from sentflow.cli.terminal import Listing
from sentflow.compare.marks import BEST, NOT_WORSE
from sentflow.report.table.table import Cell, Table

# A terminal may have no styles, and a pipe has none, so marks are written.
_MARKS = {BEST: ("**", "**"), NOT_WORSE: ("_", "_"), "": ("", "")}
_MARKS_NOTE = "In this terminal: **bold**, _underlined_, ^letters."


def table_listing(table: Table) -> Listing:
    """A table of the report for the terminal."""
    rows: list[tuple[str, ...]] = []
    for block in table.blocks:
        rows += [(block.title,)] if block.title else []
        rows += [tuple(_written(cell) for cell in line) for line in block.lines]
    alignment = "".join("r" if column.is_number else "l" for column in table.columns)
    has_marks = any(cell.mark or cell.letters for line in table.lines for cell in line)
    header = tuple(
        f"{column.heading} ^{column.letter}" if column.letter else column.heading for column in table.columns
    )
    return Listing(
        header,
        rows,
        alignment,
        caption=table.caption,
        notes=(*table.notes, *((_MARKS_NOTE,) if has_marks else ())),
        fixed=table.lead if table.name == "scores" else 0,
    )


def _written(cell: Cell) -> str:
    before, after = _MARKS[cell.mark]
    letters = f"^{cell.letters}" if cell.letters else ""
    return f"{before}{cell.text}{after}{letters} {cell.detail}".strip()
