"""Tables of the report in the terminal."""

from sentflow.cli.terminal import Listing
from sentflow.report.table import Table

# Columns of the scores table that name the task; the others are encoders.
_LABEL_COLUMNS = 3


def table_listing(table: Table) -> Listing:
    """A table of the report for the terminal."""
    rows: list[tuple[str, ...]] = []
    for group in table.groups:
        rows += [(group.title,)] if group.title else []
        rows += [tuple(f"{cell.text} {cell.detail}".strip() for cell in row) for row in group.rows]
    alignment = "".join("l" if place.startswith("w") else place for place in table.alignment)
    fixed = _LABEL_COLUMNS if table.name == "scores" else 0
    return Listing(table.header, rows, alignment, caption=table.caption, notes=table.notes, fixed=fixed)
