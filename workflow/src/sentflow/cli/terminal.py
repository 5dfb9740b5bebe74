"""How tables look in a terminal, and without one: into a pipe or file go whole lines and no colour codes."""

import io
import logging
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sentflow.files.control_characters import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

# Without a terminal there is no width to keep to: a row is a line, whatever its length.
_NO_TERMINAL_WIDTH = 100_000
_JUSTIFY = {"l": "left", "r": "right", "c": "center"}
_PADDING = 3  # blanks of a column and behind it
_MARGIN = 2  # blanks at both ends of a table
_CHARACTERS = 200  # of a text that is shown by its beginning


@dataclass(frozen=True)
class Listing:
    """A table.

    Attributes
    ----------
    header
        One heading per column.
    rows
        Cells; a row of a single cell is a heading of the rows below it.
    alignment
        Per column ``l``, ``r`` or ``c``.
    caption, notes
        Printed above and below.
    fixed
        Columns that stand in every part when the table is too wide for the terminal and is cut into parts;
        0 wraps the cells instead.
    """

    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    alignment: str = ""
    caption: str = ""
    notes: tuple[str, ...] = ()
    fixed: int = 0


@dataclass(frozen=True)
class Facts:
    """Names and values, one pair per line, under a title."""

    title: str
    items: Sequence[tuple[str, str]]


Block = Listing | Facts | str


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


def beginning(text: str) -> str:
    """The first letters of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _CHARACTERS else f"{line[:_CHARACTERS].rstrip()} …"


def more(n: int, rows: int) -> tuple[str, ...]:
    """A note under a table of which only the first rows are shown."""
    return (f"{rows} of {n:,} rows; --rows shows more.",) if n > rows else ()


def show_blocks(blocks: Iterable[Block]) -> None:
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
        bare = isinstance(block, Listing) and not block.caption  # a table begins with a blank line of its own
        if index and not bare:
            console.print()
        if isinstance(block, Listing):
            _show_listing(console, block)
        elif isinstance(block, Facts):
            _show_facts(console, block)
        else:
            console.print(visible(block), markup=False, highlight=False, soft_wrap=True)


def _show_listing(console: "Console", listing: Listing) -> None:
    if listing.caption:
        console.print(visible(listing.caption), markup=False, style="bold")
    for part in _parts(listing, console.width - _MARGIN):
        console.print(_table(listing, part))
    for note in listing.notes:
        console.print(visible(note), markup=False, style="dim")


def _parts(listing: Listing, available: int) -> list[list[int]]:
    """Columns of each part of a table, so that a part is no wider than the terminal where that is possible."""
    if not listing.fixed:
        return [list(range(len(listing.header)))]
    from rich.cells import cell_len

    cells = [listing.header, *(row for row in listing.rows if len(row) == len(listing.header))]
    widths = [
        max(cell_len(visible(text)) for text in column) + _PADDING for column in zip(*cells, strict=True)
    ]
    first = list(range(listing.fixed))
    parts: list[list[int]] = [[]]
    for column in range(listing.fixed, len(widths)):
        if parts[-1] and sum(widths[index] for index in [*first, *parts[-1], column]) > available:
            parts.append([])
        parts[-1].append(column)
    return [[*first, *part] for part in parts]


def _table(listing: Listing, columns: Sequence[int]) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=True)
    for index in columns:
        align = listing.alignment[index] if listing.alignment else "l"
        table.add_column(_plain(listing.header[index]), justify=_JUSTIFY[align], overflow="fold")  # type: ignore[arg-type]
    for row in listing.rows:
        if len(row) == 1 and len(listing.header) > 1:
            table.add_row(_plain(row[0]))
        else:
            table.add_row(*(_plain(row[index]) for index in columns))
    return table


def _plain(text: str) -> "Text":
    """Never as markup: "[0.1, 0.2]" is an interval. Texts of others are shown, and must not steer the terminal."""
    from rich.text import Text

    return Text(visible(text))


def _show_facts(console: "Console", facts: Facts) -> None:
    from rich.table import Table

    console.print(visible(facts.title), markup=False, style="bold")
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="cyan", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in facts.items:
        grid.add_row(_plain(f"  {name}"), _plain(value))
    console.print(grid)
