"""Tables as they stand in files: CSV, Parquet, JSON, and what people paste, Markdown and LaTeX."""

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pandas as pd

from sentflow.boards.cells import name_of, plain
from sentflow.boards.contents import beginning, json_lines_of, json_of
from sentflow.errors import DataError
from sentflow.texts.formats.delimited import read_delimited
from sentflow.texts.formats.raw import RawFile

_DELIMITERS = ("\t", ";", ",", "|")
_OBJECTS = re.compile(r"\s*(\[\s*)?\{")
_SCORES = re.compile(r'"(score|value|result|main_score|correct|resolved|passed)"\s*:', re.IGNORECASE)
_TABULAR = re.compile(r"\\begin\{(tabular[xy]?\*?|longtable|tabu)\}(.*?)\\end\{\1\}", re.DOTALL)
_LINES = re.compile(
    r"\\(top|mid|bottom|h|c|cmid)(rule|line)\*?(\[[^\]]*\])?(\([^)]*\))?(\{[^{}]*\})?|\\addlinespace(\[[^\]]*\])?"
)
_SPAN = re.compile(r"\\multicolumn\s*\{\s*(\d{1,4})\s*\}\s*\{[^{}]*\}\s*(.*)", re.DOTALL)


@dataclass(frozen=True)
class Grid:
    """One table of a file."""

    where: str  # for messages
    # cells: values as they are written, text, or of any type from Parquet and JSON; the index says for messages which
    # row is which. Headings are plain text, each there once; one below another is that one, a line feed and itself,
    # where it is not unique
    cells: pd.DataFrame
    around: str = ""  # the text before the table, its caption
    delimiter: str = ""  # of delimited text


def is_grid(path: Path) -> bool:
    """Whether a file may hold a table: Parquet, JSON objects with scores, or text whose lines have columns."""
    start = beginning(path, 20_000)
    if start.startswith("PAR1") or "\0" in start:
        return start.startswith("PAR1") or _is_utf16(path)
    if _OBJECTS.match(start):
        is_lines = start.lstrip().startswith("[") or start.lstrip().partition("\n")[0].rstrip().endswith("}")
        return is_lines and _SCORES.search(start) is not None
    lines = [line for line in start.splitlines() if line.strip()]
    rows = lines[:2] if len(lines) > 1 else ["", ""]
    delimited = any(mark in rows[0] and mark in rows[1] for mark in _DELIMITERS)
    return delimited or any(map(_is_rule, lines)) or r"\begin{tab" in start or r"\begin{longtable" in start


def grids_of(path: Path) -> list[Grid]:
    """The tables of a file. Raises DataError: it holds none, or one that is not rectangular."""
    start = beginning(path)
    if start.startswith("PAR1"):
        import pyarrow.parquet

        try:
            cells = pyarrow.parquet.read_table(path).to_pandas()
        except (pyarrow.ArrowException, OSError) as error:
            raise DataError(f"{path} is not readable as Parquet: {error}. Download it again.") from error
        return [_grid(str(path), cells.reset_index(drop=cells.index.names == [None]))]
    if _OBJECTS.match(start):
        values = json_of(path) if start.lstrip().startswith("[") else list(json_lines_of(path))
        if odd := [n for n, value in enumerate(values, 1) if not isinstance(value, dict)]:
            raise DataError(f"{path}: value {odd[0]} is no object. Write objects with model, task and score.")
        return [_grid(str(path), pd.DataFrame(values, dtype=object))]
    file = RawFile(path, encoding="utf-16" if _is_utf16(path) else "utf-8")
    try:
        text = file.text()
    except DataError as error:
        raise DataError(f"{path} is no text in UTF-8. Save the table as CSV in UTF-8.") from error
    if _TABULAR.search(text):
        found = list(_of_latex(path, text))
    elif any(map(_is_rule, text.splitlines())):
        found = list(_of_markdown(path, text))
    else:
        heading = next((line for line in text.splitlines() if line.strip()), "")
        delimiter = max(_DELIMITERS, key=heading.count)
        records = read_delimited(file, delimiter)
        rows = zip(*(column or [] for column in records.columns), strict=True)
        found = [_grid(str(path), pd.DataFrame(rows, columns=[*records.header]), delimiter=delimiter)]
    if not found:
        raise DataError(f"{path} holds no table with a heading and a row.")
    return found


def _is_utf16(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def _is_rule(line: str) -> bool:
    """Whether this stands below the heading of a Markdown table."""
    return {"|", "-"} <= {*line} <= {*"|:- \t"}


def _grid(where: str, cells: pd.DataFrame, **more: Any) -> Grid:
    names = [
        "\n".join(filter(None, map(plain, name_of(name).split("\n")))) or f"column {n}"
        for n, name in enumerate(cells.columns, 1)
    ]
    if again := [name for n, name in enumerate(names) if name in names[:n]]:
        raise DataError(f"{where}: several columns are called {again[0]!r}. Give each a name of its own.")
    return Grid(where, cells.set_axis(names, axis=1).set_axis(range(1, len(cells) + 1), axis=0), **more)


def _framed(rows: Sequence[Sequence[str]], heading: Sequence[str], where: str) -> pd.DataFrame:
    """Rows of pasted text, in which cells that are empty at the end may be left out."""
    for n, row in enumerate(rows, 1):
        if any(map(str.strip, row[len(heading) :])):
            raise DataError(
                f"{where}, row {n}: {len(row)} cells, and the heading has {len(heading)}. Write one cell per column."
            )
    filled = [[*row, *[""] * len(heading)][: len(heading)] for row in rows]
    return pd.DataFrame(filled, columns=pd.Index([*heading], dtype=object), dtype=object)


def _of_markdown(path: Path, text: str) -> Iterator[Grid]:
    lines = text.splitlines()
    rules = [n for n, line in enumerate(lines) if n and _is_rule(line) and "|" in lines[n - 1]]
    for place, rule in enumerate(rules):
        end = next((n for n in range(rule + 1, len(lines)) if "|" not in lines[n]), len(lines))
        heading, *rows = [_cells_of(line) for line in (lines[rule - 1], *lines[rule + 1 : end])]
        where = str(path) if len(rules) == 1 else f"{path}, table {place + 1}"
        before = "\n".join(lines[rules[place - 1] if place else 0 : rule - 1])
        yield _grid(where, _framed(rows, heading, where), around=before)


def _cells_of(line: str) -> list[str]:
    """Cells between bars; the space before a name is kept, because it says that a task belongs to the one above."""
    inner = line.strip().removeprefix("|")
    inner = inner.removesuffix("|") if not inner.endswith("\\|") else inner
    return [cell.replace("\\|", "|").rstrip() for cell in re.split(r"(?<!\\)\|", inner)]


def _of_latex(path: Path, text: str) -> Iterator[Grid]:
    text = re.sub(r"(?<!\\)%[^\n]*", "", text)
    found = list(_TABULAR.finditer(text))
    for n, (table, following) in enumerate(zip_longest(found, found[1:])):
        where = str(path) if len(found) == 1 else f"{path}, table {n + 1}"
        inside = _after_arguments(table[2], 2 if table[1][-1] in "*xy" else 1)
        before, rule, after = inside.partition(r"\midrule")
        if not rule:  # the heading may be framed by lines
            parts = re.split(r"\\hline", inside)
            first = next((place for place, part in enumerate(parts) if part.strip()), 0)
            before, after = parts[first], "\n".join(parts[first + 1 :])
        headings, rows = _latex_rows(before, repeated=True), _latex_rows(after)
        if not rule and not rows:
            headings, rows = headings[:1], headings[1:]
        if headings and rows:
            around = text[(found[n - 1].end() if n else 0) : table.start()]
            around += text[table.end() : following.start() if following else len(text)]
            yield _grid(where, _framed(rows, _one_heading(headings), where), around=around)


def _after_arguments(text: str, number: int) -> str:
    """A text without the arguments in braces that it begins with."""
    text = re.sub(r"\A\s*\[[^\]]*\]", "", text)
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        number -= character == "}" and not depth
        if not number:
            return text[place + 1 :]
    return ""


def _latex_rows(text: str, *, repeated: bool = False) -> list[list[str]]:
    """Cells of each row; what spans several columns is the first of these, or each where it is repeated."""
    rows = []
    for line in re.split(r"\\\\(?:\s*\[[^\]]*\])?|\\tabularnewline", _LINES.sub("", text)):
        row: list[str] = []
        for cell in re.split(r"(?<!\\)&", line):
            if span := _SPAN.match(cell.strip()):
                row += [span[2], *[span[2] if repeated else ""] * (int(span[1]) - 1)]
            else:
                row.append(cell.strip())
        if any(row):
            rows.append(row)
    return rows


def _one_heading(rows: Sequence[Sequence[str]]) -> list[str]:
    """The last row of headings; a blank one is that above it, and one that is not unique stands below it."""
    lowest = list(rows[-1])
    upper = [*(rows[-2] if len(rows) > 1 else []), *[""] * len(lowest)]
    lowest = [name or over for name, over in zip(lowest, upper, strict=False)]
    return [
        f"{over}\n{name}" if lowest.count(name) > 1 and over != name else name
        for name, over in zip(lowest, upper, strict=False)
    ]
