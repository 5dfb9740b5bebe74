"""Tables of the report in the terminal."""

from sentflow.cli.terminal import Listing
from sentflow.compare.marks import BEST, NOT_WORSE
from sentflow.report.table.cells import Cell, Table

# A terminal may have no styles, and a pipe has none, so marks are written.
_MARKS = {BEST: ("**", "**"), NOT_WORSE: ("_", "_"), "": ("", "")}
_MARKS_NOTE = "In this terminal: **bold**, _underlined_, ^letters."


def table_listing(table: Table) -> Listing:
    """A table of the report for the terminal."""
    rows: list[tuple[str, ...]] = []
    for group in table.groups:
        rows += [(group.title,)] if group.title else []
        rows += [tuple(_written(cell) for cell in row) for row in group.rows]
    alignment = "".join("l" if place.startswith("w") else place for place in table.alignment)
    cells = [cell for group in table.groups for row in group.rows for cell in row]
    notes = (*table.notes, *((_MARKS_NOTE,) if any(cell.mark or cell.letters for cell in cells) else ()))
    fixed = table.lead if table.name == "scores" else 0
    return Listing(_header(table), rows, alignment, caption=table.caption, notes=notes, fixed=fixed)


def _header(table: Table) -> tuple[str, ...]:
    if not table.header_letters:
        return table.header
    return tuple(
        f"{name} ^{letter}" if letter else name
        for name, letter in zip(table.header, table.header_letters, strict=True)
    )


def _written(cell: Cell) -> str:
    before, after = _MARKS[cell.mark]
    letters = f"^{cell.letters}" if cell.letters else ""
    return f"{before}{cell.text}{after}{letters} {cell.detail}".strip()
