"""One table as CSV, Markdown or LaTeX text. Equal tables give equal bytes."""

import csv
import io
import math
from collections.abc import Sequence

from sentflow.report.numbers import MINUS, MISSING
from sentflow.report.table import Cell, Table

# beyond this many intervals side by side a line does not fit a page: they go below their scores
_MAX_INTERVALS_PER_LINE = 4
# beyond this many lines a table does not fit a page: it may break
_MAX_LINES_PER_PAGE = 45

# beyond this many columns the gaps between them shrink
_MAX_LOOSE_COLUMNS = 7
_NARROW_GAPS = r"\setlength{\tabcolsep}{3pt}"

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
    """The tidy records; shortest digits that give the same number back, empty where nothing is known."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.tidy_header)
    writer.writerows([_csv_value(value) for value in record] for record in table.tidy_rows)
    return stream.getvalue()


def markdown_text(table: Table) -> str:
    """Caption, a pipe table, and the notes as a list."""
    rules = {"l": ":--", "w": ":--", "r": "--:", "c": ":-:"}
    lines = [f"**{_markdown(table.caption)}**", "", _pipes([_markdown(name) for name in table.header])]
    lines.append(_pipes([rules[kind[0]] for kind in table.alignment]))
    for group in table.groups:
        if group.title:
            blank = [""] * (len(table.header) - 1)
            lines.append(_pipes([f"*{_markdown(group.title)}*", *blank]))
        lines += [_pipes([_markdown_cell(cell) for cell in row]) for row in group.rows]
    lines += ["", *(f"- {_markdown(note)}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def latex_text(table: Table) -> str:
    """A booktabs table; long ones break over pages (longtable), wide ones have intervals below scores."""
    caption = " ".join([table.caption, *table.notes])
    head = r"\caption{" + latex(caption) + r"}\label{tab:" + table.name + "}"
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
    escaped = "".join(_LATEX.get(sign, sign) for sign in text)
    # a bracket that opens a line would be read as the optional argument of the line break before it
    return "{}" + escaped if escaped.startswith("[") else escaped


def _csv_value(value: str | int | float | bool | None) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, float) else str(value)


def _pipes(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown(text: str) -> str:
    for sign in ("\\", "|", "*", "_", "`", "<", ">"):
        text = text.replace(sign, "\\" + sign)
    return " ".join(text.split("\n"))


def _markdown_cell(cell: Cell) -> str:
    # the brackets of an interval are no link, for no address follows them
    return _markdown(f"{cell.text} {cell.detail}".strip())


def _latex_column(kind: str) -> str:
    return rf">{{\raggedright\arraybackslash}}p{{{kind[1:]}cm}}" if kind.startswith("w") else kind


def _is_stacked(table: Table) -> bool:
    rows = [row for group in table.groups for row in group.rows]
    return max(sum(bool(cell.detail) for cell in row) for row in rows) > _MAX_INTERVALS_PER_LINE


def _latex_heading(table: Table) -> str:
    width = "1.75cm" if _is_stacked(table) else "2.6cm"
    cells = [
        rf"\parbox[b]{{{width}}}{{\centering {latex(name)}\strut}}" if kind == "c" else latex(name)
        for name, kind in zip(table.header, table.alignment, strict=True)
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
            lines += _stacked_line(row) if stacked else [_latex_line(row)]
    return lines


def _latex_line(row: Sequence[Cell]) -> str:
    return " & ".join(_with_detail(cell) for cell in row) + r" \\"


def _with_detail(cell: Cell) -> str:
    return f"{latex(cell.text)} {_small(cell.detail)}" if cell.detail else latex(cell.text)


def _stacked_line(row: Sequence[Cell]) -> list[str]:
    lines = [" & ".join(latex(cell.text) for cell in row) + r" \\"]
    if any(cell.detail for cell in row):
        lines.append(" & ".join(_small(cell.detail) if cell.detail else "" for cell in row) + r" \\[2pt]")
    return lines


def _small(text: str) -> str:
    return r"{\scriptsize " + latex(text).removeprefix("{}") + "}"
