"""A table cut into parts that fit a page: side by side where it is too wide, one below another where it is too long."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sentflow.report.table.cells import Group, Table
from sentflow.report.table.tex_layout import COLUMN, LINE, PAGE, Layout, fitted, text_lines
from sentflow.report.table.tex_widths import CAPTION, SMALL

_HEIGHT = 500.0  # of the text of a page, less the distances around caption and table
_CAPTION_LINE, _NOTES_LINE = 13.6, 8.4
_GROUP_GAP = 4.0


@dataclass(frozen=True)
class Part:
    """A table that fits a page.

    Attributes
    ----------
    table, layout
        What is shown, and how it is set.
    in_column
        Whether it stands in one of two columns of a page.
    has_room_for_notes
        Whether its notes fit below it.
    """

    table: Table
    layout: Layout
    in_column: bool = False
    has_room_for_notes: bool = True


def parts_of(table: Table, *, compact: bool = False) -> list[Part]:
    """The table, or its parts: each with the columns that name its rows, and the headings of its groups.

    Parameters
    ----------
    compact
        Whether it should fit one of two columns of a page, with headings that stand upright if need be.
    """
    return [rows for part in _side_by_side(table, compact=compact) for rows in _one_below_another(part)]


def _side_by_side(table: Table, *, compact: bool) -> list[Part]:
    widths = [(COLUMN, False), (COLUMN, True), (PAGE, False), (PAGE, True)] if compact else [(PAGE, False)]
    for width, is_upright in widths:
        for is_stacked in (False, True):
            layout = fitted(table, width, is_stacked=is_stacked, is_upright=is_upright)
            if layout is not None:
                return [Part(table, layout, in_column=width == COLUMN)]
    others = range(table.lead, len(table.header))
    for n_parts in range(2, len(others) + 1):
        size = math.ceil(len(others) / n_parts)
        cut = [
            _columns(table, [*range(table.lead), *others[start : start + size]])
            for start in range(0, len(others), size)
        ]
        layouts = [fitted(part, PAGE, is_stacked=True, is_upright=compact) for part in cut]
        if None not in layouts:
            return [Part(part, layout) for part, layout in zip(cut, layouts, strict=True) if layout]
    # the columns that name a row fill the page: TeX says so, and nothing is lost
    layout = fitted(table, math.inf, is_stacked=True, is_upright=compact)
    assert layout is not None
    return [Part(table, layout)]


def _columns(table: Table, columns: Sequence[int]) -> Table:
    groups = tuple(
        replace(group, rows=tuple(tuple(row[column] for column in columns) for row in group.rows))
        for group in table.groups
    )
    letters = table.header_letters
    return replace(
        table,
        header=tuple(table.header[column] for column in columns),
        alignment=tuple(table.alignment[column] for column in columns),
        header_letters=tuple(letters[column] for column in columns) if letters else (),
        groups=groups,
    )


def _one_below_another(part: Part) -> Iterator[Part]:
    table, layout = part.table, part.layout
    width = COLUMN if part.in_column else PAGE
    caption = _CAPTION_LINE * text_lines(table.caption, width, CAPTION)
    notes = _NOTES_LINE * (1 + text_lines(" ".join(table.notes), width, SMALL))
    left = room = _HEIGHT - caption - layout.heading_height(table.header)
    groups: list[Group] = []
    for group in table.groups:
        left -= _GROUP_GAP + (LINE if group.title else 0.0)
        rows: list[int] = []
        for place, row in enumerate(group.rows):
            if left < layout.height(row) and (groups or rows):
                yield replace(part, table=replace(table, groups=(*groups, *_rows(group, rows))))
                groups, rows, left = [], [], room - LINE
            rows.append(place)
            left -= layout.height(row)
        groups += _rows(group, rows)
    yield replace(part, table=replace(table, groups=tuple(groups)), has_room_for_notes=notes <= left)


def _rows(group: Group, places: Sequence[int]) -> list[Group]:
    return [replace(group, rows=tuple(group.rows[place] for place in places))] if places else []
