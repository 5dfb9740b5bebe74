"""The columns of a LaTeX table: how wide each is, and what must give way where they do not fit side by side."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sentflow.compare.marks import BEST
from sentflow.report.table.cells import Cell, Table
from sentflow.report.table.tex_widths import RAISED, SMALL, TEXT, pieces, points, widest_piece

PAGE, COLUMN = 345.0, 215.0
"""Width of the text of an article of one column, of a column of one with two: the narrowest of the usual classes."""

GAP = 6.0  # between columns
LINE = 9.5  # from line to line
NEARER, APART = 1.5, 2.0  # a detail stands nearer to its text, and farther from the next line
HEADING_HEIGHT = 110.0  # of a heading that stands upright, at most

_CENTIMETRE = 72.27 / 2.54
_LEAST_TEXT = 48.0  # a column of text is not made narrower, where its cells are wider
_HEADING_LINES = 3  # a heading is not broken into more, where there is room
_SLACK = 1.02  # TeX's widths are rounded differently


@dataclass(frozen=True)
class Layout:
    """How a table is set.

    Attributes
    ----------
    widths
        Points per column.
    wrapped
        Per column whether its texts go on in further lines.
    is_stacked
        Whether details stand below their texts.
    is_upright
        Whether the headings of numbers are turned by 90°.
    """

    widths: tuple[float, ...]
    wrapped: tuple[bool, ...]
    is_stacked: bool
    is_upright: bool

    @property
    def width(self) -> float:
        """Of the table."""
        return sum(self.widths) + GAP * (len(self.widths) - 1)

    def height(self, row: Sequence[Cell]) -> float:
        """Points that a row takes."""
        cells = zip(row, self.widths, self.wrapped, strict=True)
        lines = max(
            _lines(_beside(cell, is_stacked=self.is_stacked), width) if wraps else 1
            for cell, width, wraps in cells
        )
        details = self.is_stacked and any(cell.detail for cell in row)
        return LINE * (lines + details) + (APART - NEARER if details else 0.0)

    def heading_height(self, header: Sequence[str]) -> float:
        """Points that the headings take."""
        if self.is_upright:
            return min(HEADING_HEIGHT, max(points(name) for name in header)) + LINE
        return LINE * max(_lines(name, width) for name, width in zip(header, self.widths, strict=True))


@dataclass(frozen=True)
class _Column:
    """The width of its cells in one line, the one that it should have, and the least with which it is readable."""

    natural: float
    best: float
    least: float
    wraps: bool = False


def fitted(table: Table, width: float, *, is_stacked: bool, is_upright: bool = False) -> Layout | None:
    """The layout of a table within a width; None if its columns do not fit it side by side.

    Parameters
    ----------
    width
        Points.
    is_stacked, is_upright
        See `Layout`.
    """
    columns = [
        _column(table, place, is_stacked=is_stacked, is_upright=is_upright)
        for place in range(len(table.header))
    ]
    least, best = (sum(values) for values in zip(*((c.least, c.best) for c in columns), strict=True))
    room = width - GAP * (len(columns) - 1)
    if least > room:
        return None
    given = 1.0 if best <= room else (room - least) / (best - least)
    widths = tuple(column.least + given * (column.best - column.least) for column in columns)
    wrapped = tuple(
        column.wraps and width < column.natural for column, width in zip(columns, widths, strict=True)
    )
    return Layout(widths, wrapped, is_stacked, is_upright)


def text_lines(text: str, width: float, size: float) -> int:
    """Lines that a paragraph of text takes."""
    # words do not fill lines to their ends
    return max(1, math.ceil(1.06 * points(text, size) / width))


def _column(table: Table, place: int, *, is_stacked: bool, is_upright: bool) -> _Column:
    heading, kind = table.header[place], table.alignment[place]
    natural = _natural(table, place, is_stacked=is_stacked)
    if kind[0] in "lw":
        cells = [_beside(row[place], is_stacked=is_stacked) for group in table.groups for row in group.rows]
        piece = _SLACK * max((widest_piece(text) for text in (heading, *cells)), default=0.0)
        asked = float(kind[1:]) * _CENTIMETRE if kind[1:] else natural
        best = max(piece, min(natural, asked), _heading_width(table, place))
        return _Column(natural, best, max(piece, min(best, _LEAST_TEXT)), wraps=True)
    if is_upright and place >= table.lead:
        lines = _lines(heading, HEADING_HEIGHT)
        width = max(natural, lines * LINE)
        return _Column(natural, width, width)
    least = max(natural, _heading_piece(table, place))
    return _Column(natural, max(least, _heading_width(table, place)), least)


def _heading_piece(table: Table, place: int) -> float:
    return _SLACK * (widest_piece(table.header[place]) + points(_own_letter(table, place), RAISED))


def _heading_width(table: Table, place: int) -> float:
    """The width of a column with which its heading has few lines."""
    return max(_heading_piece(table, place), 1.1 * points(table.header[place]) / _HEADING_LINES)


def _own_letter(table: Table, place: int) -> str:
    return table.header_letters[place] if table.header_letters else ""


def _natural(table: Table, place: int, *, is_stacked: bool) -> float:
    """Width of the widest cell in one line."""
    widths = [_cell_width(row[place], is_stacked=is_stacked) for group in table.groups for row in group.rows]
    return _SLACK * max(widths, default=0.0)


def _cell_width(cell: Cell, *, is_stacked: bool) -> float:
    text = points(cell.text, TEXT, bold=cell.mark == BEST) + points(cell.letters, RAISED)
    detail = points(cell.detail, SMALL)
    if is_stacked:
        return max(text, detail)
    return text + (points(" ") + detail if detail else 0.0)


def _beside(cell: Cell, *, is_stacked: bool) -> str:
    return cell.text if is_stacked else f"{cell.text} {cell.detail}".strip()


def _lines(text: str, width: float) -> int:
    """Lines of a text that breaks between its pieces."""
    n_lines, filled = 1, 0.0
    for word in text.split(" "):
        gap = points(" ") if filled else 0.0
        for piece in pieces(word):
            wide = _SLACK * points(piece)
            if filled and filled + gap + wide > width:
                n_lines, filled, gap = n_lines + 1, 0.0, 0.0
            filled, gap = filled + gap + wide, 0.0
    return n_lines
