"""One table as LaTeX: booktabs, escaped, cut to the width of a page. Equal tables give equal bytes."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from sentflow.compare.marks import BEST, NOT_WORSE
from sentflow.files.control_characters import visible
from sentflow.report.numbers import MINUS, MISSING
from sentflow.report.table.cells import Table

# beyond this many intervals side by side a line does not fit a page: they go below their scores
_MAX_INTERVALS_PER_LINE = 3
# beyond this many columns of scores a table is cut into several; letters take room
MAX_SCORE_COLUMNS, MAX_LETTERED_COLUMNS = 6, 5
# beyond this many lines a table does not fit a page: it may break
_MAX_LINES_PER_PAGE = 45
# beyond this many columns the gaps between them shrink
_MAX_LOOSE_COLUMNS = 7

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
    "§": r"\S{}",
    "¶": r"\P{}",
    "×": r"$\times$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "…": r"\ldots{}",
    "·": r"\textperiodcentered{}",
}


def latex_text(table: Table) -> str:
    """A booktabs table; long ones break over pages (longtable), wide ones have intervals below scores.

    A table with more than `MAX_SCORE_COLUMNS` columns of scores becomes several, each with the columns that name the
    rows.
    """
    parts = _parts(table)
    return "\n".join(
        _template().render(
            table=part,
            of=f" (Part {place} of {len(parts)}.)" if len(parts) > 1 else "",
            label=table.name if place == 1 else f"{table.name}-{place}",
            # notes once are enough: the parts stand one after the other
            notes=part.notes if place == 1 else ["Notes with part 1."],
            letters=part.header_letters or ("",) * len(part.header),
            is_long=sum(len(group.rows) + bool(group.title) for group in part.groups) > _MAX_LINES_PER_PAGE,
            is_wide=len(part.header) > _MAX_LOOSE_COLUMNS,
            is_stacked=_is_stacked(part),
        )
        for place, part in enumerate(parts, 1)
    )


def latex(text: str) -> str:
    """Text in which nothing is a LaTeX command; characters outside ASCII that need mathematics get it."""
    escaped = "".join(_LATEX.get(character, character) for character in visible(text))
    # a bracket that opens a line would be read as the optional argument of the line break before it
    return "{}" + escaped if escaped.startswith("[") else escaped


@cache
def _template() -> Template:
    # braces and percent signs are LaTeX's own
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=False,  # the filter `latex` is the escape here
        undefined=StrictUndefined,
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "latex": latex,
        "breakable": _breakable,
        "small": lambda text: r"{\scriptsize " + latex(text).removeprefix("{}") + "}",
        "column": lambda kind: (
            rf">{{\raggedright\arraybackslash}}p{{{kind[1:]}cm}}" if kind.startswith("w") else kind
        ),
    }
    environment.globals["marks"] = _MARKS
    return environment.get_template("latex.tex.j2")


def _parts(table: Table) -> list[Table]:
    """The table, or tables that fit a page side by side no more than it can."""
    scores = [index for index, kind in enumerate(table.alignment) if kind == "c"]
    raised = [cell.letters for group in table.groups for row in group.rows for cell in row]
    limit = MAX_LETTERED_COLUMNS if any((*table.header_letters, *raised)) else MAX_SCORE_COLUMNS
    n_parts = math.ceil(len(scores) / limit)
    if n_parts < 2 or scores[0] != table.lead:
        return [table]
    size = math.ceil(len(scores) / n_parts)
    chosen = [[*range(table.lead), *scores[start : start + size]] for start in range(0, len(scores), size)]
    return [_columns(table, columns) for columns in chosen]


def _columns(table: Table, columns: Sequence[int]) -> Table:
    groups = tuple(
        replace(group, rows=tuple(tuple(row[column] for column in columns) for row in group.rows))
        for group in table.groups
    )
    return replace(
        table,
        header=tuple(table.header[column] for column in columns),
        alignment=tuple(table.alignment[column] for column in columns),
        header_letters=tuple(table.header_letters[column] for column in columns)
        if table.header_letters
        else (),
        groups=groups,
    )


def _is_stacked(table: Table) -> bool:
    rows = [row for group in table.groups for row in group.rows]
    most = max((sum(bool(cell.detail) for cell in row) for row in rows), default=0)
    return most > _MAX_INTERVALS_PER_LINE


def _breakable(name: str) -> str:
    """A name that may go on in the next line after any character that joins words, but not within a number."""
    return r"\allowbreak{}".join(
        latex(part) for part in re.split(r"(?<=[-_/])(?=\w)|(?<=\.)(?=[^\W\d])", name)
    )
