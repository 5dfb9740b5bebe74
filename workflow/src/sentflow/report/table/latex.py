"""One table as LaTeX: booktabs, escaped, in parts that fit a page. Equal tables give equal bytes."""

from dataclasses import replace
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from sentflow.compare.marks import BEST, NOT_WORSE
from sentflow.files.control_characters import visible
from sentflow.report.numbers import MINUS, MISSING
from sentflow.report.table.cells import Cell, Table
from sentflow.report.table.tex_layout import APART, GAP, HEADING_HEIGHT, LINE, NEARER
from sentflow.report.table.tex_parts import parts_of
from sentflow.report.table.tex_widths import SMALL, TEXT, pieces

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
    """A table of booktabs, as wide as the text of a page at most: texts are wrapped, then intervals stand below scores.

    What still is too wide or too long for a page is cut into parts, each with the columns that name its rows. Notes
    stand below the last one.
    """
    return _written(table, is_compact=False)


def compact_latex_text(table: Table) -> str:
    """The values of a matrix and their marks: no intervals, letters and sizes. It fits a column, if need be a page.

    Raises
    ------
    ValueError
        The table is no matrix.
    """
    if table.matrix is None:
        raise ValueError(f"table {table.name} is no matrix")
    return _written(_compact(table), is_compact=True)


def _written(table: Table, *, is_compact: bool) -> str:
    parts = parts_of(table, compact=is_compact)
    return "\n".join(
        _template().render(
            table=part.table,
            layout=part.layout,
            of=f" (Part {place} of {len(parts)}.)" if len(parts) > 1 else "",
            label=table.name if place == 1 else f"{table.name}-{place}",
            notes=table.notes if place == len(parts) else [],
            notes_are_text=not part.has_room_for_notes,
            notes_are_elsewhere=place < len(parts),
            letters=part.table.header_letters or ("",) * len(part.table.header),
            waits=place % _MOST_WAITING == 0,
            float="table" if part.in_column else "table*",
        )
        for place, part in enumerate(parts, 1)
    )


def _compact(table: Table) -> Table:
    """Cells without details and letters; of the columns that name a row those with texts."""
    assert table.matrix is not None
    kept = [
        place
        for place, kind in enumerate(table.alignment)
        if place >= table.lead or kind.startswith(("l", "w"))
    ]
    groups = tuple(
        replace(group, rows=tuple(tuple(_bare(row[place]) for place in kept) for row in group.rows))
        for group in table.groups
    )
    return replace(
        table,
        name=f"{table.name}-compact",
        notes=table.matrix.notes,
        header=tuple(table.header[place] for place in kept),
        alignment=tuple(table.alignment[place] for place in kept),
        header_letters=(),
        groups=groups,
        lead=sum(place < table.lead for place in kept),
    )


def _bare(cell: Cell) -> Cell:
    return replace(cell, detail="", letters="")


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
        "small": lambda text: (
            rf"{{\fontsize{{{SMALL:g}}}{{{LINE:g}}}\selectfont " + latex(text).removeprefix("{}") + "}"
        ),
        "pt": lambda points: f"{points:.1f}pt",
    }
    environment.globals |= {
        "marks": _MARKS,
        "gap": GAP,
        "line": LINE,
        "nearer": NEARER,
        "apart": APART,
        "text": TEXT,
        "small": SMALL,
        "upright": HEADING_HEIGHT,
    }
    return environment.get_template("latex.tex.j2")


def _breakable(text: str) -> str:
    """A text whose words may go on in the next line, see `pieces`."""
    return " ".join(r"\allowbreak{}".join(latex(piece) for piece in pieces(word)) for word in text.split(" "))
