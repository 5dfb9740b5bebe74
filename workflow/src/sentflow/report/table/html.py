"""One table as HTML of the page: sortable, its blocks as a first column. Every text is escaped."""

from collections.abc import Sequence

from markupsafe import Markup, escape

from sentflow.compare.differences import BEST, NOT_WORSE
from sentflow.files.control_characters import visible
from sentflow.report.table.table import Cell, Table

_MARKS = {
    "": ("", ""),
    BEST: ("<strong>", '</strong><span class="vh"> highest</span>'),
    NOT_WORSE: ("<u>", '</u><span class="vh"> not significantly worse than the highest</span>'),
}


def html_text(table: Table, most_lines: int) -> Markup:
    """A table in a region that scrolls, up to so many lines. Its notes stand in the file of the table."""
    has_blocks = any(block.title for block in table.blocks)
    lines = [(block.name, line) for block in table.blocks for line in block.lines]
    rows = [_row(table, line, block if has_blocks else None) for block, line in lines[:most_lines]]
    heads = f"<th scope=col>{_text(table.block_heading)}</th>" if has_blocks else ""
    for column in table.columns:
        heads += f"<th scope=col{'' if column.is_number else ' class=left'}>{_text(column.heading)}</th>"
    cut = len(lines) - most_lines
    more = f'<p class="note">{cut:,} more lines are in tables/{table.name}.csv.</p>' if cut > 0 else ""
    return Markup(
        f'<div class="scroll" role="region" aria-label="Table of {table.name}" tabindex="0">'
        f'<table class="sortable data"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>{more}"
    )


def _row(table: Table, line: Sequence[Cell], block: str | None) -> str:
    """A row; its head is the name of its block, else its first cell."""
    cells = [] if block is None else [f"<th scope=row>{_text(block)}</th>"]
    for cell, column in zip(line, table.columns, strict=True):
        before, behind = _MARKS[cell.mark]
        shown = f"{before}{_text(cell.text)}{behind}"
        shown += f"<sup>{_text(cell.letters)}</sup>" if cell.letters else ""
        shown += f" <small>{_text(cell.detail)}</small>" if cell.detail else ""
        if not cells:
            cells.append(f"<th scope=row>{shown}</th>")
            continue
        value = f' data-v="{cell.value}"' if cell.value is not None and cell.value == cell.value else ""
        cells.append(f"<td{'' if column.is_number else ' class=left'}{value}>{shown}</td>")
    return f"<tr>{''.join(cells)}</tr>"


def _text(text: str) -> str:
    return str(escape(visible(text)))
