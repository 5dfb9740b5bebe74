"""What a published board says, whatever its format: one table of scores, and how readers of formats are found."""

import html
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any

import pandas as pd

from sentflow.errors import DataError, listed
from sentflow.files.io import parse_json
from sentflow.files.limits import BOARD_JSON_BYTES
from sentflow.files.parquet_columns import column_names

FRACTION, PERCENT = "fraction", "percent"

COLUMNS = ("model", "task", "group", "metric", "higher_is_better", "item", "seed", "score", "unit")
"""Columns of `Scores.rows`.

model, task: str, as the file names them. group: str, what makes tasks depend on each other (source, language family),
empty where the file does not say. metric: str, empty where the file names none. higher_is_better: bool; a reader
leaves None where the file does not say. item, seed: str, empty where a row is over all items or seeds. score: float64,
NaN where the board has none. unit: `FRACTION`, `PERCENT` or empty where neither is said.
"""


@dataclass(frozen=True)
class Options:
    """What a file cannot say, or says several times, and what is asked: the options of `sentflow leaderboard`."""

    metric: str = ""  # the metric that counts where tasks have several; ``task=metric`` pairs in `metric_of`
    metric_of: Mapping[str, str] = field(default_factory=dict)
    lower: frozenset[str] = frozenset()  # tasks or metrics of which lower is better
    duplicates: str = (
        ""  # ``first``, ``last``, ``best`` or ``mean`` of several scores of one cell; empty: refused
    )
    groups: Mapping[str, str] = field(default_factory=dict)  # task → its group
    tasks: frozenset[str] = frozenset()  # tasks that count, also those that seem to be averages; empty: all
    without: frozenset[str] = frozenset()  # tasks and models that are left out
    unit: str = ""  # ``fraction`` or ``percent``, of scores of which the file does not say it
    models: str = ""  # ``rows`` or ``columns``: where a wide table has its models, if it does not say so
    # what tests hold for, of `sentflow.boards.standing.POPULATIONS`; empty for all that the data allow
    population: str = ""
    common: bool = False  # rank models with gaps too, each pair by the tasks that both have
    # models of which is told how many units would separate the two
    separate: tuple[tuple[str, str], ...] = ()
    title: str = "Leaderboard"
    files: tuple[Path, ...] = ()  # all that are read together; set by `read_files`


@dataclass(frozen=True)
class Scores:
    """The scores of one or several files."""

    rows: pd.DataFrame  # with the columns `COLUMNS`
    notes: tuple[str, ...] = ()  # what was dropped, merged or taken for what: one sentence each


@dataclass(frozen=True)
class Reader:
    """A format."""

    name: str
    # A file or a folder, by names and a look inside; cheap, and never an error
    recognises: Callable[[Path], bool]
    # All files and folders of the format that are read together, at once. `Scores.rows` has the column ``file`` beside
    # `COLUMNS`, for messages. Raises DataError: what is wrong, where, which option or file settles it
    read: Callable[[Sequence[Path], Options], Scores]


READERS: dict[str, Reader] = {}
"""By name, in the order in which they are asked: that of the imports in `sentflow.boards.readers`."""


ReadOne = Callable[[Path, Options], Scores]
ReadAll = Callable[[Sequence[Path], Options], Scores]


def reader(name: str, recognises: Callable[[Path], bool]) -> Callable[[ReadOne], ReadOne]:
    """Register a function as the reader of a format of which each file is read for itself.

    It gives all metrics, duplicates and missing cells as they are: `sentflow.boards.files.read_files` chooses, merges,
    decides units and directions, and drops what is named like an aggregate. It drops itself what only the format can
    tell to be one, such as groups of tasks, and says so in a note.
    """

    def register(read: ReadOne) -> ReadOne:
        def each(paths: Sequence[Path], options: Options) -> Scores:
            found = {path: _guarded(name, read, path, options) for path in paths}
            rows = [scores.rows.assign(file=str(path)) for path, scores in found.items()]
            notes = [note for scores in found.values() for note in scores.notes]
            return Scores(pd.concat(rows, ignore_index=True), tuple(notes))

        READERS[name] = Reader(name, recognises, each)
        return read

    return register


def board_reader(name: str, recognises: Callable[[Path], bool]) -> Callable[[ReadAll], ReadAll]:
    """Register a function as the reader of a format of which files explain or complete each other.

    As for `reader`; its rows name their ``file``.
    """

    def register(read: ReadAll) -> ReadAll:
        READERS[name] = Reader(name, recognises, partial(_guarded, name, read))
        return read

    return register


def _guarded(
    name: str, read: Callable[[Any, Options], Scores], files: Path | Sequence[Path], options: Options
) -> Scores:
    """What a reader gives; that a file lacks a part which all files of its format have is a fault of the file."""
    try:
        return read(files, options)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        shown = files if isinstance(files, Path) else listed(map(str, files), 3)
        raise DataError(
            f"{shown} looks like a file of {name}, but is not of its form ({error!r}). Download it again."
        ) from error


def scores_of(rows: Iterable[Mapping[str, Any]] | pd.DataFrame, notes: Iterable[str] = ()) -> Scores:
    """`Scores` of rows that hold at least model, task and score; what other columns lack is not said.

    `rows`: values of any types; score is a number, or None where there is none; ``file`` is kept.
    """
    given = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(list(rows), dtype=object)
    table = pd.DataFrame(index=given.index)
    for column in (*COLUMNS, *(["file"] if "file" in given else [])):
        values = given[column] if column in given else pd.Series(None, given.index, object)
        if column == "score":
            table[column] = pd.to_numeric(values).astype("float64")
        elif column == "higher_is_better":
            table[column] = values.astype(object).where(values.notna(), None)
        else:
            known = {value: name_of(value) for value in values.unique()}
            table[column] = values.map(known, na_action=None).astype(object)
    return Scores(table, tuple(notes))


def name_of(value: Any) -> str:
    """A name, whatever the type that a file gave it: 3.0 is ``3``, and what is absent is empty."""
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


# Rows and columns over the others, by their whole names
_AGGREGATE = re.compile(
    r"((naive|weighted|simple|macro|micro|grand|total|overall|geometric)[ _-]*)*(avg|average|mean|overall|total)s?"
    r"(?![ _-]*(reciprocal|absolute|squared?|precision|error))\b.*"
    r"|.*[ _-](avg|average|mean|overall)\.?|all|#"
    r"|(mean[ _-]*)?rank(ing)?( ?\(.*\))?|borda.*|(mean[ _-]*)?win[ _-]?rates?",
    re.IGNORECASE,
)


def is_aggregate(name: str) -> bool:
    """Whether a task (or column) is named like an average, a rank or a win rate over others."""
    return _AGGREGATE.fullmatch(name) is not None


_MISSING = frozenset({"", "-", "–", "—", "−", "--", "---", "n/a", "na", "nan", "null", "none", "<na>"})


def is_missing(value: Any) -> bool:
    """Whether a cell says that there is no score: absent, null, NaN, empty, a dash or N/A."""
    if value is None or value is pd.NA:
        return True
    return math.isnan(value) if isinstance(value, float) else str(value).strip().lower() in _MISSING


_VALUE = re.compile(
    r"(?P<value>[+-]?(?:\d+(?:,\d{3})+(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(?P<percent>%?)"
    # what may stand behind it: marks, errors, and ranks or errors in brackets
    r"\s*(?:[*†‡§¶♣♠♦∗]|[↑↓▲▼△▽]\s*[\d.]*|(?:±|\+/-|\+-)\s*[\d.]+\s*%?"
    r"|\(\s*(?:±|\+/-|[+-])?\s*[\d.]+\s*%?\s*\)|\[[^\[\]]*\]|\s)*"
)


_TOO_LARGE = 1e100  # of which squares and their sums are still finite


def number(value: Any, where: str, *, decimal_comma: bool = False) -> float:
    """The score of a cell, without its error and marks; NaN where it is missing.

    `where`: file, row and column, for the message. Raises DataError: it is no finite number.
    """
    if isinstance(value, Real) and not is_missing(value):
        found = float(value)
    elif is_missing(value):
        return math.nan
    else:
        text = plain(str(value)).replace("−", "-")  # the sign of a minus
        if is_missing(text):
            return math.nan
        parsed = _VALUE.fullmatch(_with_point(text) if decimal_comma else text)
        found = float(parsed["value"].replace(",", "")) if parsed else math.inf
    if not abs(found) < _TOO_LARGE:
        raise DataError(
            f"{where}: {str(value)[:60]!r} is no number. Write a number, or leave the cell empty."
        )
    return found


def _with_point(text: str) -> str:
    """A number with a decimal comma in the usual form; as no number where a point may be one for thousands."""
    if re.match(r"[+-]?[1-9]\d{0,2}\.\d{3}(?![\d.,])", text):
        return "?"
    return re.sub(r"(\d),(\d)", r"\1.\2", re.sub(r"(\d)\.(?=\d{3}(\.\d{3})*,)", r"\1", text))


_LATEX_DROPPED = re.compile(
    r"\\footnotemark(?:\[\d*\])?|\\(?:cite\w*|footnote(?:text)?|tnote|label|ref|cellcolor|rowcolor|color|textcolor|vspace|hspace)\*?"
    r"(?:\[[^\]]*\])*\{[^{}]*\}|\^\{[^{}]*\}|\^(?:\\[A-Za-z]+|.)|_\{\s*(?:\\pm\s*)?[\d.]+\s*\}"
)
_LATEX_SIGNS = {
    r"\pm": "±",
    r"\uparrow": "↑",
    r"\downarrow": "↓",
    r"\dagger": "†",
    r"\ddagger": "‡",
    r"\times": "×",
    r"\ast": "*",
    r"\star": "*",
}
_LATEX_COMMAND = re.compile(r"\\(?:[A-Za-z]+\*?|[,;:! ])\s*")
_MARKDOWN_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\([^()]*\)[^()]*)?\)")


def plain(text: str) -> str:
    """A name or number without the markup of HTML, Markdown or LaTeX: bold, links, citations, footnotes."""
    if "<" in text or "&" in text:
        text = html.unescape(re.sub(r"<sup>.*?</sup>|</?[A-Za-z][^<>]*>", "", text))
    if "](" in text:
        text = _MARKDOWN_LINK.sub(r"\1", text)
    text = re.sub(r"\[\^[^\]]*\]", "", text)  # a footnote
    if any(sign in text for sign in "\\${"):
        text = re.sub(r"\\multi(?:row|column)\*?(?:\[[^\]]*\])?\{[^{}]*\}(?:\{[^{}]*\})?", "", text)
        text = _LATEX_DROPPED.sub("", text)
        text = re.sub(r"\\[A-Za-z]+", lambda found: _LATEX_SIGNS.get(found[0], found[0]), text)
        text = re.sub(r"\\([%&_#$])", lambda found: {"_": "\0"}.get(found[1], found[1]), text)
        text = re.sub(r"[{}$]", "", _LATEX_COMMAND.sub("", text)).replace("~", " ").replace("\0", "_")
    text = re.sub(r"(\*\*|__|`|~~)(.+?)\1", r"\2", text.strip())
    text = re.sub(r"^\*([^*]+)\*$|^_([^_]+)_$", lambda found: found[1] or found[2], text)
    return re.sub(r"\s+", " ", text).strip()


def beginning(path: Path, size: int = 4096) -> str:
    """The first bytes of a file as text, for a look inside; empty for folders and what cannot be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(size).decode("utf-8", errors="replace")
    except OSError:
        return ""


def has_columns(path: Path, names: Iterable[str]) -> bool:
    """Whether a file is Parquet with these columns."""
    try:
        return path.suffix == ".parquet" and path.is_file() and {*names} <= {*column_names(path)}
    except DataError:
        return False


def json_of(path: Path) -> Any:
    """What a JSON file holds, NaN as float. Raises DataError: it is no JSON, too large, or cannot be read."""
    try:
        if path.stat().st_size > BOARD_JSON_BYTES:
            raise DataError(f"{path} has more than {BOARD_JSON_BYTES} bytes. Name files with scores only.")
        return parse_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise DataError(f"{path} is not readable as JSON: {error}. Download it again.") from error


def json_lines_of(path: Path) -> Iterator[Any]:
    """The values of a file with one JSON value a line. Raises DataError: names the line that is none."""
    n = 0
    try:
        with path.open("rb") as stream:
            while line := stream.readline(BOARD_JSON_BYTES):
                n += 1
                if text := line.decode("utf-8-sig" if n == 1 else "utf-8").strip():
                    yield json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path}, line {n} is not readable as JSON: {error}. Download it again.") from error
