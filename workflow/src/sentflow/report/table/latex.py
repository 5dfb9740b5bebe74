"""One table as LaTeX: booktabs, escaped, no wider than the text of a page. Equal tables give equal bytes."""

import math
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from sentflow.compare.differences import BEST, NOT_WORSE
from sentflow.files.control_characters import visible
from sentflow.report.numbers import MINUS, MISSING
from sentflow.report.table.table import Block, Cell, Column, Matrix, Table

_PACKAGES = r"% needs \usepackage{adjustbox,array,booktabs}"
_LINES = 43  # on a page, beside caption and headings
_SIGNS = 125  # side by side, shrunk to two thirds at most
_NATURAL = 85  # side by side, not shrunk
_PER_CENTIMETRE = 6.5  # signs of a text that is wrapped
_HEADING = 14  # signs of a line of a heading of numbers
# LaTeX keeps 18 floats that found no page yet, and fails with more
_MOST_WAITING = 8

_MARKS = {"": ("", ""), BEST: (r"\textbf{", "}"), NOT_WORSE: (r"\underline{", "}")}
_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "\u202f": r"\,",
    MINUS: "$-$",
    MISSING: "---",
    "–": "--",
    "†": r"\textdagger{}",
    "‡": r"\textdaggerdbl{}",
    "‖": r"\ensuremath{\parallel}",
    "§": r"\S{}",
    "¶": r"\P{}",
    "×": r"$\times$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≈": r"$\approx$",
    "λ": r"$\lambda$",
    "✓": r"$\surd$",
    "✗": r"$\times$",
    "…": r"\ldots{}",
    "·": r"\textperiodcentered{}",
}


def latex_text(table: Table) -> str:
    """A table of booktabs, shrunk to the width of the text where it is wider.

    Intervals stand below scores where they do not fit beside them. What still is too wide or too long for a page is cut
    into parts, each with the columns that name its lines. Notes stand below the last one.
    """
    return _written(table, is_compact=False)


def compact_latex_text(table: Table) -> str:
    """The values of a matrix and their marks, without intervals, letters and sizes.

    Raises ValueError: the table is no matrix.
    """
    if table.matrix is None:
        raise ValueError(f"table {table.name} is no matrix")
    return _written(_compact(table, table.matrix), is_compact=True)


def latex(text: str) -> str:
    """Text in which nothing is a LaTeX command; characters outside ASCII that need mathematics get it."""
    escaped = "".join(_LATEX.get(character, character) for character in visible(text))
    # a bracket that opens a line would be read as the optional argument of the line break before it
    return "{}" + escaped if escaped.startswith("[") else escaped


def _written(whole: Table, *, is_compact: bool) -> str:
    table = _fitted(whole)
    is_stacked = sum(_widths(table, is_stacked=False)) > _NATURAL
    parts = [
        rows for part in _cut_columns(table, is_stacked=is_stacked) for rows in _cut_lines(part, is_stacked)
    ]
    texts = [_PACKAGES]
    for place, part in enumerate(parts, 1):
        texts += [
            r"\begin{table*}",
            r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
            rf"\caption{{{latex(table.caption + (f' (Part {place} of {len(parts)}.)' if len(parts) > 1 else ''))}}}"
            rf"\label{{tab:{table.name if place == 1 else f'{table.name}-{place}'}}}",
            r"\begin{adjustbox}{max width=\textwidth}",
            *_tabular(part, is_stacked=is_stacked, is_upright=is_compact and len(part.columns) > 6),
            r"\end{adjustbox}",
            r"\end{table*}",
        ]
        if place % _MOST_WAITING == 0:
            texts.append(r"\clearpage")
    if table.notes:
        notes = " ".join(latex(note).removeprefix("{}") for note in table.notes)
        texts.append(rf"{{\scriptsize\noindent Notes on Table~\ref{{tab:{table.name}}}: {notes}\par}}")
    return "\n".join(texts) + "\n"


def _tabular(table: Table, *, is_stacked: bool, is_upright: bool) -> Iterator[str]:
    wraps = [column.width is not None for column in table.columns]
    signs = max(sum(_widths(table, is_stacked=is_stacked)), _NATURAL // 2)
    kinds = (
        rf">{{\raggedright\arraybackslash}}p{{{column.width:.2f}cm}}"
        if wrapped
        else "r"
        if column.is_number
        else "l"
        for column, wrapped in zip(table.columns, wraps, strict=True)
    )
    yield rf"\begin{{tabular}}{{@{{}}{''.join(kinds)}@{{}}}}"
    yield r"\toprule"
    yield _row(
        _heading(column, is_upright=is_upright and place >= table.lead)
        for place, column in enumerate(table.columns)
    )
    yield r"\midrule"
    for place, block in enumerate(table.blocks):
        if place:
            yield r"\addlinespace" if block.title else r"\midrule"
        for title in textwrap.wrap(block.title, signs):
            yield _row([rf"\multicolumn{{{len(table.columns)}}}{{@{{}}l@{{}}}}{{\textit{{{latex(title)}}}}}"])
        for line in block.lines:
            yield _row(
                _cell(cell, is_stacked=is_stacked and not wrapped, is_wrapped=wrapped)
                for cell, wrapped in zip(line, wraps, strict=True)
            )
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _row(cells: Sequence[str] | Iterator[str]) -> str:
    return " & ".join(cells) + r" \\"


def _heading(column: Column, *, is_upright: bool) -> str:
    raised = rf"\textsuperscript{{{column.letter}}}" if column.letter else ""
    if is_upright:
        return rf"\rotatebox{{90}}{{{latex(column.heading)}}}"
    lines = textwrap.wrap(column.heading, _HEADING, break_long_words=False) if column.is_number else []
    if len(lines) < 2:
        return latex(column.heading) + raised
    return r"\shortstack[r]{" + r"\\".join(map(latex, lines)) + raised + "}"


def _cell(cell: Cell, *, is_stacked: bool, is_wrapped: bool) -> str:
    start, end = _MARKS[cell.mark]
    text = start + (_breakable(cell.text) if is_wrapped else latex(cell.text)) + end
    if cell.letters:
        text += rf"\textsuperscript{{{latex(cell.letters)}}}"
    if not cell.detail:
        return text
    detail = rf"{{\scriptsize {latex(cell.detail).removeprefix('{}')}}}"
    stacked = rf"\begin{{tabular}}[t]{{@{{}}r@{{}}}}{text}\\{detail}\end{{tabular}}"
    return stacked if is_stacked else f"{text} {detail}"


def _breakable(text: str) -> str:
    """Names may go on in the next line behind what joins their words."""
    return r"\allowbreak{}".join(map(latex, re.split(r"(?<=[-_/])(?=\w)", text)))


def _fitted(table: Table) -> Table:
    """Texts that are wrapped get the room that other columns leave; none is wrapped where all fit into one line."""
    longest = _widths(table, is_stacked=False, may_wrap=False)
    least = _widths(table, is_stacked=False)
    missing = sum(longest) - sum(least)
    share = min(1.0, max(0.0, (_NATURAL - sum(least)) / missing)) if missing else 1.0

    def fitted(column: Column, low: int, high: int) -> Column:
        signs = low + share * (high - low)
        return replace(column, width=None if signs >= high else signs / _PER_CENTIMETRE)

    columns = zip(table.columns, least, longest, strict=True)
    return replace(table, columns=tuple(fitted(column, low, high) for column, low, high in columns))


def _widths(table: Table, *, is_stacked: bool, may_wrap: bool = True) -> list[int]:
    """Signs of the widest cell of each column, and a blank."""
    widths = []
    for place, column in enumerate(table.columns):
        cells = [line[place] for line in table.lines]
        sizes = [(len(cell.text), len(cell.detail)) for cell in cells]
        signs = max(map(max if is_stacked else sum, sizes), default=_HEADING)
        if column.width is not None and may_wrap:
            signs = min(signs, round(column.width * _PER_CENTIMETRE))
        widths.append(1 + signs)
    return widths


def _cut_columns(table: Table, *, is_stacked: bool) -> list[Table]:
    widths = _widths(table, is_stacked=is_stacked)
    room = max(_SIGNS - sum(widths[: table.lead]), 1)
    others = range(table.lead, len(table.columns))
    n_parts = max(1, math.ceil(sum(widths[table.lead :]) / room))
    size = max(1, math.ceil(len(others) / n_parts))
    if size >= len(others):
        return [table]
    return [
        _with_columns(table, [*range(table.lead), *others[start : start + size]])
        for start in range(0, len(others), size)
    ]


def _with_columns(table: Table, places: Sequence[int]) -> Table:
    columns = tuple(table.columns[place] for place in places)
    return replace(_changed(table, lambda line: tuple(line[place] for place in places)), columns=columns)


def _changed(
    table: Table, change: Callable[[Sequence[Cell]], tuple[Cell, ...]], n: int | None = None
) -> Table:
    """The first `n` blocks with other lines."""
    blocks = (replace(block, lines=tuple(map(change, block.lines))) for block in table.blocks[:n])
    return replace(table, blocks=tuple(blocks))


def _cut_lines(table: Table, is_stacked: bool) -> Iterator[Table]:
    """Parts that fit on a page."""
    pages: list[list[tuple[Block, tuple[Cell, ...]]]] = [[]]
    left = _LINES
    for block in table.blocks:
        left -= 1
        for line in block.lines:
            height = _height(line, table.columns, is_stacked=is_stacked)
            if left < height and pages[-1]:
                pages.append([])
                left = _LINES - 1
            pages[-1].append((block, line))
            left -= height
    for page in pages:
        shown = [[*own] for _, own in groupby(page, key=lambda placed: id(placed[0]))]
        blocks = (replace(own[0][0], lines=tuple(line for _, line in own)) for own in shown)
        yield replace(table, blocks=tuple(blocks))


def _height(line: Sequence[Cell], columns: Sequence[Column], *, is_stacked: bool) -> int:
    texts = (
        math.ceil(len(cell.text + cell.detail) / (column.width * _PER_CENTIMETRE))
        for cell, column in zip(line, columns, strict=True)
        if column.width is not None
    )
    return max(1, *texts, 1) + (is_stacked and any(cell.detail for cell in line))


def _compact(table: Table, matrix: Matrix) -> Table:
    """Cells without details and letters; of the columns that name a line those with texts."""
    columns = enumerate(table.columns)
    kept = [place for place, column in columns if place >= table.lead or not column.is_number]
    bare = _changed(
        table, lambda line: tuple(replace(cell, detail="", letters="") for cell in line), matrix.n_blocks
    )
    bare = replace(
        bare,
        name=f"{table.name}-compact",
        notes=matrix.notes,
        columns=tuple(replace(column, letter="") for column in table.columns),
        lead=sum(place < table.lead for place in kept),
    )
    return _with_columns(bare, kept)
