"""How tables look in a terminal, and without one: into a pipe or file go whole lines and no colour codes."""

import io
import logging
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sentflow.compare.differences import BEST, NOT_WORSE
from sentflow.files.control_characters import visible
from sentflow.report.table.table import Block as Lines
from sentflow.report.table.table import Cell, Column, Table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

# Without a terminal there is no width to keep to: a row is a line, whatever its length.
_NO_TERMINAL_WIDTH = 100_000
_PADDING = 3  # blanks of a column and behind it
_MARGIN = 2  # blanks at both ends of a table
# A terminal may have no styles, and a pipe has none, so marks are written.
_MARKS = {BEST: "**", NOT_WORSE: "_", "": ""}
_MARKS_NOTE = "In this terminal: **bold**, _underlined_, ^letters."
_CHARACTERS = 200  # of a text that is shown by its beginning

Block = Table | str


def listing(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    alignment: str = "",
    caption: str = "",
    notes: Sequence[str] = (),
    lead: int = 0,
) -> Table:
    """A table of texts; a row of a single cell is a heading of the rows below it.

    `alignment`: per column ``l`` or ``r``, all to the left without. `lead`: columns that stand in every part where the
    table is too wide for the terminal and is cut into parts; 0 wraps the cells instead.
    """
    columns = tuple(
        Column(heading, Cell, is_number=place == "r")
        for heading, place in zip(header, alignment or "l" * len(header), strict=True)
    )
    blocks: list[tuple[str, list[tuple[Cell, ...]]]] = [("", [])]
    for row in rows:
        if len(row) == 1 and len(header) > 1:
            blocks.append((row[0], []))
        else:
            blocks[-1][1].append(tuple(map(Cell, row)))
    lines = tuple(Lines("", title, tuple(one)) for title, one in blocks if title or one)
    return Table(caption, tuple(filter(None, notes)), columns, lines, (), (), lead=lead)


def facts(title: str, items: Iterable[tuple[str, str]]) -> Table:
    return listing(("", ""), items, caption=title)


def more(n: int, rows: int) -> tuple[str, ...]:
    """A note under a table of which only the first rows are shown."""
    return (f"{rows} of {n:,} rows; --rows shows more.",) if n > rows else ()


def beginning(text: str, characters: int = _CHARACTERS) -> str:
    line = " ".join(text.split())
    return line if len(line) <= characters else f"{line[:characters].rstrip()} …"


@contextmanager
def quiet() -> Iterator[None]:
    """Without log and warnings: those that loading a model gives, and those that every step would repeat."""
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)


def show_blocks(*blocks: Block) -> None:
    """Print blocks one below the other; a string is printed as it is, but for signs that steer a terminal."""
    from rich.console import Console

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a question mark is better than no table
    console = Console(highlight=False)
    if console.is_terminal:
        _show_each(console, blocks)
        return
    console.width = _NO_TERMINAL_WIDTH
    with console.capture() as captured:
        _show_each(console, blocks)
    # rich pads every line to the width of its table, which is of use on a screen only
    sys.stdout.write("".join(line.rstrip() + "\n" for line in captured.get().removesuffix("\n").split("\n")))


def _show_each(console: "Console", blocks: Iterable[Block]) -> None:
    for index, block in enumerate(blocks):
        if index and (isinstance(block, str) or block.caption):  # a table begins with a blank line of its own
            console.print()
        if isinstance(block, str):
            console.print(visible(block), markup=False, soft_wrap=True)
        else:
            _show_table(console, block)


def _show_table(console: "Console", table: Table) -> None:
    if table.caption:
        console.print(visible(table.caption), markup=False, style="bold")
    for part in _parts(table, console.width - _MARGIN):
        console.print(_grid(table, part))
    has_marks = any(cell.mark or cell.letters for line in table.lines for cell in line)
    for note in (*table.notes, *([_MARKS_NOTE] if has_marks else [])):
        console.print(visible(note), markup=False, style="dim")


def _parts(table: Table, available: int) -> list[list[int]]:
    """Columns of each part of a table, so that a part is no wider than the terminal where that is possible."""
    if not table.lead:
        return [list(range(len(table.columns)))]
    from rich.cells import cell_len

    widths = [
        _PADDING
        + max(
            cell_len(visible(text))
            for text in (_heading(column), *(_written(line[place]) for line in table.lines))
        )
        for place, column in enumerate(table.columns)
    ]
    first = list(range(table.lead))
    parts: list[list[int]] = [[]]
    for column in range(table.lead, len(widths)):
        if parts[-1] and sum(widths[index] for index in [*first, *parts[-1], column]) > available:
            parts.append([])
        parts[-1].append(column)
    return [[*first, *part] for part in parts]


def _grid(table: Table, places: Sequence[int]) -> "Grid":
    from rich import box
    from rich.table import Table as Grid

    if any(table.headings):
        grid = Grid(box=box.SIMPLE_HEAD, pad_edge=True)
    else:
        grid = Grid(box=None, show_header=False, pad_edge=True)
    for place in places:
        column = table.columns[place]
        grid.add_column(
            _plain(_heading(column)), justify="right" if column.is_number else "left", overflow="fold"
        )
    for block in table.blocks:
        if block.title:
            grid.add_row(_plain(block.title))
        for line in block.lines:
            grid.add_row(*(_plain(_written(line[place])) for place in places))
    return grid


def _heading(column: Column) -> str:
    return f"{column.heading} ^{column.letter}" if column.letter else column.heading


def _written(cell: Cell) -> str:
    mark = _MARKS[cell.mark]
    letters = f"^{cell.letters}" if cell.letters else ""
    return f"{mark}{cell.text}{mark}{letters} {cell.detail}".strip()


def _plain(text: str) -> "Text":
    """Never as markup: "[0.1, 0.2]" is an interval. Texts of others are shown, and must not steer the terminal."""
    from rich.text import Text

    return Text(visible(text))
