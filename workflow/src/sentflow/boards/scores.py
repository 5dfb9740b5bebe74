"""What a published board says, whatever its format: one table of scores, and how readers of formats are found."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

COLUMNS = ("model", "task", "group", "metric", "higher_is_better", "item", "seed", "score", "unit")
"""Columns of `Scores.rows`.

model, task: str, as the file names them. group: str, what makes tasks depend on each other (source, language family),
empty where the file does not say. metric: str, empty where the file names none. higher_is_better: bool.
item, seed: str, empty where a row is over all items or seeds. score: float64, NaN where the board has none.
unit: ``"fraction"``, ``"percent"`` or empty where neither is said.
"""


@dataclass(frozen=True)
class Options:
    """What a file cannot say, or says several times: the options of `sentflow leaderboard`."""

    metric: str = ""  # the metric that counts where tasks have several; ``task=metric`` pairs in `metric_of`
    metric_of: Mapping[str, str] = field(default_factory=dict)
    lower: frozenset[str] = frozenset()  # tasks or metrics of which lower is better
    duplicates: str = ""  # ``first``, ``last``, ``best`` or ``mean`` of several scores of one cell; empty: refused
    groups: Mapping[str, str] = field(default_factory=dict)  # task → its group


@dataclass(frozen=True)
class Scores:
    """The scores of one or several files."""

    rows: pd.DataFrame  # with the columns `COLUMNS`
    notes: tuple[str, ...] = ()  # what was dropped, merged or taken for what: one sentence each


@dataclass(frozen=True)
class Reader:
    """A format."""

    name: str
    recognises: Callable[[Path], bool]  # by names and a look inside; cheap, and never an error
    # Raises DataError: what is wrong, where, which option or file settles it
    read: Callable[[Path, Options], Scores]


READERS: dict[str, Reader] = {}
"""By name, in the order in which they are asked. Every module of `sentflow.boards.readers` adds its own."""


def reader(
    name: str, recognises: Callable[[Path], bool]
) -> Callable[[Callable[[Path, Options], Scores]], Callable[[Path, Options], Scores]]:
    """Register a function as the reader of a format."""

    def register(read: Callable[[Path, Options], Scores]) -> Callable[[Path, Options], Scores]:
        READERS[name] = Reader(name, recognises, read)
        return read

    return register
