"""The task table: what every reader makes and every later stage reads."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sentflow.errors import DataError
from sentflow.files.arrow import table_of
from sentflow.files.io import atomic, parse_json, refuse_changed

LAYOUTS = ("single", "pair", "alternatives")
SEPARATOR = " [SEP] "
_METADATA_KEY = b"sentflow"


@dataclass(frozen=True)
class TaskInfo:
    """What a task table says about itself.

    Attributes
    ----------
    task
        Name of the task, e.g. ``"T1A-open"``.
    layout
        ``"single"``, ``"pair"``, or ``"alternatives"`` (text b holds a fixed number of alternatives joined
        by `SEPARATOR`).
    classes
        Original labels in sorted order; the label k of a row means ``classes[k]``.
    n_alternatives
        Alternatives per row under ``"alternatives"``, else 0.
    data_version
        What the texts are, for captions: ``"sample data"``, ``"HateBR 2.0"``, ``"official"``.
    """

    task: str
    layout: str
    classes: list[str]
    n_alternatives: int
    data_version: str


@dataclass(frozen=True)
class TaskTable:
    """The rows of a task, in the order of their file.

    Attributes
    ----------
    info
        See `TaskInfo`.
    text_a
        n texts, none empty.
    text_b
        n texts, or empty when the layout is ``"single"``.
    labels
        (n,) int64 in [0, number of classes).
    groups
        n names of the documents that rows come from (None where unknown).
    """

    info: TaskInfo
    text_a: list[str]
    text_b: list[str]
    labels: np.ndarray
    groups: list[str | None]

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


def texts_to_embed(table: TaskTable) -> list[str]:
    """Every text whose embedding the probes of a task need, row after row, repeats included.

    Text a; then text b of a pair, or each alternative by itself.
    """
    return [text for row, first in enumerate(table.text_a) for text in (first, *table.second_texts(row))]


def n_contradicting(table: TaskTable) -> int:
    """Rows whose text, or pair of texts, stands in the table with another label too."""
    contents = list(zip(table.text_a, table.text_b or table.text_a, strict=True))
    labels_of: dict[tuple[str, str], set[int]] = {}
    for content, label in zip(contents, table.labels.tolist(), strict=True):
        labels_of.setdefault(content, set()).add(label)
    return sum(len(labels_of[content]) > 1 for content in contents)


def write_task(path: Path | str, table: TaskTable) -> None:
    """Write a task table as Parquet: columns row, text_a, text_b (null for single), label, group."""
    n = len(table)
    columns: dict[str, np.ndarray | Sequence[str | None]] = {
        "row": np.arange(n),
        "text_a": table.text_a,
        "text_b": table.text_b or [None] * n,
        "label": table.labels,
        "group": table.groups,
    }
    info = json.dumps(asdict(table.info), sort_keys=True, ensure_ascii=False).encode()
    with atomic(path) as part:
        pq.write_table(table_of(columns, {_METADATA_KEY: info}), part)


def read_task(path: Path | str) -> TaskTable:
    """Read a task table.

    Raises
    ------
    DataError
        The file is not a task table, it is damaged, or it is not that of the digest beside it.
    """
    try:
        refuse_changed(Path(path))
        stored = pq.ParquetFile(path).read()
        info = TaskInfo(**parse_json(stored.schema.metadata[_METADATA_KEY]))
        columns: dict[str, list[Any]] = stored.to_pydict()
        return TaskTable(
            info=info,
            text_a=columns["text_a"],
            text_b=[] if info.layout == "single" else columns["text_b"],
            labels=np.asarray(columns["label"], dtype=np.int64),
            groups=columns["group"],
        )
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"{path} is not a readable task table ({error}). Delete it and run snakemake again."
        ) from error
