"""One table as CSV, Markdown or LaTeX text. Equal tables give equal bytes."""

import csv
import io
import math
import re
from collections.abc import Sequence
from dataclasses import replace

from sentflow.compare.marks import BEST, NOT_WORSE
from sentflow.files.control_characters import visible
from sentflow.report.numbers import MINUS, MISSING
from sentflow.report.table.cells import Cell, Table

# beyond this many intervals side by side a line does not fit a page: they go below their scores
_MAX_INTERVALS_PER_LINE = 3
# beyond this many columns of scores a table is cut into several; letters take room
MAX_SCORE_COLUMNS, MAX_LETTERED_COLUMNS = 6, 5
# beyond this many lines a table does not fit a page: it may break
_MAX_LINES_PER_PAGE = 45

# beyond this many columns the gaps between them shrink
_MAX_LOOSE_COLUMNS = 7
_NARROW_GAPS = r"\setlength{\tabcolsep}{3pt}"

# Markdown has no underline of its own; this element is one, and is shown where pipe tables are
_MARKDOWN_MARKS = {"": ("", ""), BEST: ("**", "**"), NOT_WORSE: ("<ins>", "</ins>")}
_LATEX_MARKS = {"": ("", ""), BEST: (r"\textbf{", "}"), NOT_WORSE: (r"\underline{", "}")}

# a spreadsheet runs what begins so; names of this project never do, titles of others may
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")

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
    "×": r"$\times$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "…": r"\ldots{}",
    "·": r"\textperiodcentered{}",
}


def csv_text(table: Table) -> str:
    """The tidy records; shortest digits that give the same number back, empty where nothing is known.

    A text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.tidy_header)
    writer.writerows([_csv_value(value) for value in record] for record in table.tidy_rows)
    return stream.getvalue()


def markdown_text(table: Table) -> str:
    """Caption, a pipe table, and the notes as a list."""
    rules = {"l": ":--", "w": ":--", "r": "--:", "c": ":-:"}
    lines = [f"**{markdown(table.caption)}**", "", _pipes(_markdown_header(table))]
    lines.append(_pipes([rules[kind[0]] for kind in table.alignment]))
    for group in table.groups:
        if group.title:
            blank = [""] * (len(table.header) - 1)
            lines.append(_pipes([f"*{markdown(group.title)}*", *blank]))
        lines += [_pipes([_markdown_cell(cell) for cell in row]) for row in group.rows]
    lines += ["", *(f"- {markdown(note)}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def latex_text(table: Table) -> str:
    """A booktabs table; long ones break over pages (longtable), wide ones have intervals below scores.

    A table with more than `MAX_SCORE_COLUMNS` columns of scores becomes several, each with the columns that name the
    rows.
    """
    parts = _parts(table)
    return "\n".join(
        _latex_table(part, _latex_head(part, place, len(parts))) for place, part in enumerate(parts, 1)
    )


def _latex_head(table: Table, place: int, n_parts: int) -> str:
    of = f" (Part {place} of {n_parts}.)" if n_parts > 1 else ""
    # notes once are enough: the parts stand one after the other
    caption = " ".join([table.caption + of, *(table.notes if place == 1 else ["Notes with part 1."])])
    label = table.name if place == 1 else f"{table.name}-{place}"
    return r"\caption{" + latex(caption) + r"}\label{tab:" + label + "}"


def _parts(table: Table) -> list[Table]:
    """The table, or tables that fit a page side by side no more than it can."""
    scores = [index for index, kind in enumerate(table.alignment) if kind == "c"]
    limit = MAX_LETTERED_COLUMNS if any(table.header_letters) else MAX_SCORE_COLUMNS
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


def _latex_table(table: Table, head: str) -> str:
    n_lines = sum(len(group.rows) + bool(group.title) for group in table.groups)
    body = _latex_body(table)
    heading = _latex_heading(table)
    columns = "@{}" + "".join(_latex_column(kind) for kind in table.alignment) + "@{}"
    size = r"\footnotesize" + (_NARROW_GAPS if len(table.header) > _MAX_LOOSE_COLUMNS else "")
    if n_lines > _MAX_LINES_PER_PAGE:
        lines = [
            "% needs \\usepackage{array,booktabs,longtable}",
            "{" + size,
            r"\begin{longtable}{" + columns + "}",
            head + r"\\",
            r"\toprule",
            heading,
            r"\midrule",
            r"\endfirsthead",
            r"\toprule",
            heading,
            r"\midrule",
            r"\endhead",
            r"\bottomrule",
            r"\endlastfoot",
            *body,
            r"\end{longtable}",
            "}",
        ]
    else:
        lines = [
            "% needs \\usepackage{array,booktabs}",
            r"\begin{table*}",
            r"\centering",
            head,
            size,
            r"\begin{tabular}{" + columns + "}",
            r"\toprule",
            heading,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table*}",
        ]
    return "\n".join(lines) + "\n"


def latex(text: str) -> str:
    """Text in which nothing is a LaTeX command; signs outside ASCII that need mathematics get it."""
    escaped = "".join(_LATEX.get(sign, sign) for sign in visible(text))
    # a bracket that opens a line would be read as the optional argument of the line break before it
    return "{}" + escaped if escaped.startswith("[") else escaped


def _csv_value(value: str | int | float | bool | None) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return f"'{visible(value)}"
    return repr(value) if isinstance(value, float) else visible(str(value))


def _pipes(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def markdown(text: str) -> str:
    """Text in which nothing is Markdown."""
    text = visible(text)
    for sign in ("\\", "|", "*", "_", "`", "<", ">"):
        text = text.replace(sign, "\\" + sign)
    # brackets alone are those of an interval; with an address behind them they would be a link
    return " ".join(text.replace("](", "]\\(").split("\n"))


def _markdown_header(table: Table) -> list[str]:
    own = table.header_letters or ("",) * len(table.header)
    return [markdown(name) + _raised(letter) for name, letter in zip(table.header, own, strict=True)]


def _markdown_cell(cell: Cell) -> str:
    # the brackets of an interval are no link, for no address follows them
    start, end = _MARKDOWN_MARKS[cell.mark]
    text = start + markdown(cell.text) + end + _raised(cell.letters)
    return f"{text} {markdown(cell.detail)}".strip()


def _raised(letters: str) -> str:
    return f"<sup>{letters}</sup>" if letters else ""


def _latex_column(kind: str) -> str:
    return rf">{{\raggedright\arraybackslash}}p{{{kind[1:]}cm}}" if kind.startswith("w") else kind


def _is_stacked(table: Table) -> bool:
    rows = [row for group in table.groups for row in group.rows]
    most = max((sum(bool(cell.detail) for cell in row) for row in rows), default=0)
    return most > _MAX_INTERVALS_PER_LINE


def _latex_heading(table: Table) -> str:
    width = "1.75cm" if _is_stacked(table) else "2.6cm"
    own = table.header_letters or ("",) * len(table.header)
    cells = [
        rf"\parbox[b]{{{width}}}{{\centering {_breakable(name)}{_raised_latex(letter)}\strut}}"
        if kind == "c"
        else latex(name)
        for name, kind, letter in zip(table.header, table.alignment, own, strict=True)
    ]
    return " & ".join(cells) + r" \\"


def _latex_body(table: Table) -> list[str]:
    stacked = _is_stacked(table)
    lines: list[str] = []
    for index, group in enumerate(table.groups):
        if index:
            lines.append(r"\addlinespace" if group.title else r"\midrule")
        if group.title:
            width = len(table.header)
            lines.append(rf"\multicolumn{{{width}}}{{@{{}}l}}{{\textit{{{latex(group.title)}}}}} \\")
        for row in group.rows:
            lines += _stacked_line(row) if stacked else [_latex_line(row, table.alignment)]
    return lines


def _latex_line(row: Sequence[Cell], alignment: Sequence[str]) -> str:
    cells = [
        _breakable(cell.text) + _raised_latex(cell.letters) if kind.startswith("w") else _with_detail(cell)
        for cell, kind in zip(row, alignment, strict=True)
    ]
    return " & ".join(cells) + r" \\"


def _with_detail(cell: Cell) -> str:
    return f"{_latex_cell(cell)} {_small(cell.detail)}" if cell.detail else _latex_cell(cell)


def _latex_cell(cell: Cell) -> str:
    start, end = _LATEX_MARKS[cell.mark]
    return start + latex(cell.text) + end + _raised_latex(cell.letters)


def _raised_latex(letters: str) -> str:
    return rf"\textsuperscript{{{latex(letters)}}}" if letters else ""


def _breakable(name: str) -> str:
    """A name that may go on in the next line after any sign that joins words, however long it is."""
    return r"\allowbreak{}".join(latex(part) for part in re.split(r"(?<=[-_./])(?=\w)", name))


def _stacked_line(row: Sequence[Cell]) -> list[str]:
    lines = [" & ".join(_latex_cell(cell) for cell in row) + r" \\"]
    if any(cell.detail for cell in row):
        lines.append(" & ".join(_small(cell.detail) if cell.detail else "" for cell in row) + r" \\[2pt]")
    return lines


def _small(text: str) -> str:
    return r"{\scriptsize " + latex(text).removeprefix("{}") + "}"
