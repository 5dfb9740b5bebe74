"""One table as HTML of the page: sortable, its blocks as a first column. Every text is escaped."""

from markupsafe import Markup, escape

from sentflow.compare.marks import BEST, NOT_WORSE
from sentflow.files.control_characters import visible
from sentflow.report.table.table import Cell, Column, Table

_MARKS = {
    "": Markup("{}"),
    BEST: Markup('<strong>{}</strong><span class="vh"> highest</span>'),
    NOT_WORSE: Markup('<u>{}</u><span class="vh"> not significantly worse than the highest</span>'),
}


def html_text(table: Table, most_lines: int) -> Markup:
    """A table in a region that scrolls, up to so many lines. Its notes stand in the file of the table."""
    has_blocks = any(block.title for block in table.blocks)
    heads = [Markup('<th scope="col">{}</th>').format(table.block_heading)] if has_blocks else []
    heads += [Markup('<th scope="col">{}</th>').format(visible(column.heading)) for column in table.columns]
    lines = [
        Markup("<tr>{}</tr>").format(
            Markup("").join(
                [
                    *([Markup('<th scope="row">{}</th>').format(visible(block.name))] if has_blocks else []),
                    *(
                        _cell(cell, column, is_head=not has_blocks and place == 0)
                        for place, (cell, column) in enumerate(zip(line, table.columns, strict=True))
                    ),
                ]
            )
        )
        for block in table.blocks
        for line in block.lines
    ]
    cut = len(lines) - most_lines
    more = (
        Markup('<p class="note">{} more lines are in tables/{}.csv.</p>').format(f"{cut:,}", table.name)
        if cut > 0
        else ""
    )
    return Markup(
        '<div class="scroll" role="region" aria-label="Table of {}" tabindex="0"><table class="sortable data">'
        "<thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>{}"
    ).format(table.name, Markup("").join(heads), Markup("\n").join(lines[:most_lines]), more)


def _cell(cell: Cell, column: Column, *, is_head: bool) -> Markup:
    shown = _MARKS[cell.mark].format(visible(cell.text))
    if cell.letters:
        shown += Markup("<sup>{}</sup>").format(cell.letters)
    if cell.detail:
        shown += Markup(" <small>{}</small>").format(visible(cell.detail))
    if is_head:
        return Markup('<th scope="row">{}</th>').format(shown)
    value = Markup(' data-v="{}"').format(escape(cell.value)) if cell.value is not None else ""
    kind = Markup("") if column.is_number else Markup(' class="left"')
    return Markup("<td{}{}>{}</td>").format(kind, value, shown)
