"""One table as HTML of the page: sortable, its blocks as a first column. Every text is escaped."""

from markupsafe import Markup, escape

from sentflow.compare.marks import BEST, NOT_WORSE
from sentflow.files.control_characters import visible
from sentflow.report.rows import SAMPLE_NOTE
from sentflow.report.table.table import Cell, Column, Table

_MARKS = {
    "": Markup("{}"),
    BEST: Markup('<strong>{}</strong><span class="spoken"> highest</span>'),
    NOT_WORSE: Markup(
        '<span class="not-worse">{}</span><span class="spoken"> not significantly worse than the highest</span>'
    ),
}
_STAMP = Markup(' <span class="stamp">sample data</span>')


def html_text(table: Table, filter_label: str = "", *, is_prose: bool = False) -> Markup:
    """A table in a region that scrolls, and its notes folded below.

    `filter_label`: what stands beside the field by which lines are filtered; empty for no field. `is_prose`: whether
    its cells are sentences.
    """
    has_blocks = any(block.title for block in table.blocks)
    heads = [Markup('<th scope="col">{}</th>').format(table.block_heading)] if has_blocks else []
    heads += [
        Markup('<th scope="col"{}>{}</th>').format(_class(column), visible(column.heading))
        for column in table.columns
    ]
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
    return Markup(
        '<div class="scroll" role="region" aria-label="Table of {name}" tabindex="0">\n'
        '<table class="data{prose}" data-sortable{filter}>\n'
        "<caption><span>{caption}{stamp}</span></caption>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{lines}\n</tbody>\n</table>\n</div>\n{notes}"
    ).format(
        name=table.name,
        prose=" prose" if is_prose else "",
        filter=Markup(' data-filter="{}"').format(filter_label) if filter_label else "",
        caption=visible(table.caption),
        stamp=_STAMP if table.is_sample else "",
        heads=Markup("").join(heads),
        lines=Markup("\n").join(lines),
        notes=_notes([note for note in table.notes if note != SAMPLE_NOTE]),
    )


def _notes(notes: list[str]) -> Markup:
    if not notes:
        return Markup("")
    items = Markup("").join(Markup("<li>{}</li>").format(visible(note)) for note in notes)
    return Markup('<details class="notes">\n<summary>Notes</summary>\n<ul>{}</ul>\n</details>').format(items)


def _class(column: Column) -> Markup:
    return Markup(' class="number"') if column.is_number else Markup("")


def _cell(cell: Cell, column: Column, *, is_head: bool) -> Markup:
    shown = _MARKS[cell.mark].format(visible(cell.text))
    if cell.letters:
        shown += Markup('<sup class="letters">{}</sup>').format(cell.letters)
    if cell.detail:
        shown += Markup(' <span class="range">{}</span>').format(visible(cell.detail))
    if is_head:
        return Markup('<th scope="row">{}</th>').format(shown)
    value = Markup(' data-value="{}"').format(escape(cell.value)) if cell.value is not None else ""
    return Markup("<td{}{}>{}</td>").format(_class(column), value, shown)
