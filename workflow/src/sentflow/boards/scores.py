"""What a published board says, whatever its format: one table of scores, and how readers of formats are found."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import pandas as pd

from sentflow.boards.cells import name_of
from sentflow.errors import DataError, listed

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


Told = tuple[pd.DataFrame, list[str]]
"""Rows as in `Scores`, and notes on them."""

ReadOne = Callable[[Path, Options], Scores]
ReadAll = Callable[[Sequence[Path], Options], Scores]
Files = TypeVar("Files", Path, Sequence[Path])
P = ParamSpec("P")
T = TypeVar("T")


def reader(name: str, recognises: Callable[[Path], bool]) -> Callable[[ReadOne], ReadOne]:
    """Register a function as the reader of a format of which each file is read for itself.

    It gives all metrics, duplicates and missing cells as they are: `sentflow.boards.files.read_files` chooses, merges,
    decides units and directions, and drops what is named like an aggregate. It drops itself what only the format can
    tell to be one, such as groups of tasks, and says so in a note.
    """

    def register(read: ReadOne) -> ReadOne:
        def each(paths: Sequence[Path], options: Options) -> Scores:
            found = {path: of_form(read)(path, options) for path in paths}
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
        READERS[name] = Reader(name, recognises, of_form(read))
        return read

    return register


def of_form(read: Callable[Concatenate[Files, P], T]) -> Callable[Concatenate[Files, P], T]:
    """A function of files that refuses those without a part which all files of their format have."""

    @wraps(read)
    def guarded(files: Files, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return read(files, *args, **kwargs)
        except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
            shown = files if isinstance(files, Path) else listed(map(str, files), 3)
            raise DataError(
                f"{shown} is not of the form of its format ({error!r}). Download it again."
            ) from error

    return guarded


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
