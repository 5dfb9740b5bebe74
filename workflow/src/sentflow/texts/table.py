"""The task table: what every reader makes and every later stage reads."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from sentflow.files.parquet import Columns, read_described, readable, write_described

if TYPE_CHECKING:
    from sentflow.stats.pair_graph import PairGraph

LAYOUTS = ("single", "pair", "alternatives")
SEPARATOR = " [SEP] "


@dataclass(frozen=True)
class TaskInfo:
    """What a task table says about itself."""

    task: str  # name of the task, e.g. ``"T1A-open"``
    # layout: ``"single"``, ``"pair"``, or ``"alternatives"`` (text b holds a fixed number of alternatives joined by
    # `SEPARATOR`)
    layout: str
    classes: list[str]  # original labels in sorted order; the label k of a row means ``classes[k]``
    n_alternatives: int  # alternatives per row under ``"alternatives"``, else 0
    data_version: str  # what the texts are, for captions: ``"sample data"``, ``"HateBR 2.0"``, ``"official"``


@dataclass(frozen=True)
class TaskTable:
    """The rows of a task, in the order of their file."""

    info: TaskInfo
    text_a: list[str]  # n texts, none empty
    text_b: list[str]  # n texts, or empty when the layout is ``"single"``
    labels: np.ndarray  # (n,) int64 in [0, number of classes)
    groups: list[str | None]  # n names of the documents that rows come from (None where unknown)

    def __len__(self) -> int:
        return len(self.text_a)

    def alternatives(self, row: int) -> list[str]:
        """The alternatives of one row of an ``"alternatives"`` task."""
        return self.text_b[row].split(SEPARATOR)

    def second_texts(self, row: int) -> list[str]:
        """What stands beside the first text of a row: nothing, text b, or each alternative."""
        if self.info.layout == "single":
            return []
        return self.alternatives(row) if self.info.layout == "alternatives" else [self.text_b[row]]

    def contents(self) -> list[tuple[str, str]]:
        """Both texts of each row; of a single text, that one twice."""
        return list(zip(self.text_a, self.text_b or self.text_a, strict=True))

    def row_texts(self) -> Iterator[tuple[str, ...]]:
        """The texts of each row: text a; then text b of a pair, or each alternative by itself."""
        return ((first, *self.second_texts(row)) for row, first in enumerate(self.text_a))


def texts_to_embed(table: TaskTable) -> list[str]:
    """Every text whose embedding the probes of a task need, row after row, repeats included."""
    return list(chain.from_iterable(table.row_texts()))


def row_graph(table: TaskTable) -> "PairGraph":
    """Rows as pairs of text a and text b (of a single text, with itself): rows that share a text are connected."""
    from sentflow.stats.pair_graph import PairGraph

    return PairGraph.of_texts(table.text_a, table.text_b or table.text_a)


def contradicting_rows(table: TaskTable) -> list[int]:
    """Rows whose text, or pair of texts, stands in the table with another label too."""
    contents, labels_of = table.contents(), defaultdict[tuple[str, str], set[int]](set)
    for content, label in zip(contents, table.labels.tolist(), strict=True):
        labels_of[content].add(label)
    return [row for row, content in enumerate(contents) if len(labels_of[content]) > 1]


def write_task(path: Path | str, table: TaskTable) -> None:
    """Write a task table as Parquet: columns row, text_a, text_b (null for single), label, group."""
    n = len(table)
    columns: Columns = {
        "row": np.arange(n),
        "text_a": table.text_a,
        "text_b": table.text_b or [None] * n,
        "label": table.labels,
        "group": table.groups,
    }
    write_described(path, columns, asdict(table.info))


def read_task(path: Path | str) -> TaskTable:
    """Read a task table."""
    with readable(path, "task table"):
        return task_of(*read_described(path))


def task_of(about: Mapping[str, Any], stored: pa.Table) -> TaskTable:
    """The task table that `read_described` gave."""
    info = TaskInfo(**about)
    columns: dict[str, list[Any]] = stored.to_pydict()
    return TaskTable(
        info=info,
        text_a=columns["text_a"],
        text_b=[] if info.layout == "single" else columns["text_b"],
        labels=np.asarray(columns["label"], dtype=np.int64),
        groups=columns["group"],
    )
