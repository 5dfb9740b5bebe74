"""Collections: texts that are embedded together, each once, in a role."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from sentflow.errors import ConfigError, DataError
from sentflow.files.io import parse_json, refuse_changed
from sentflow.files.parquet import read_described, read_parquet, readable, table_of, write_parquet
from sentflow.texts.corpora import corpus_of, passages_of, questions_of
from sentflow.texts.pairs import pairs_of
from sentflow.texts.table import task_of
from sentflow.training.data.table import training_data_of

TEXT = "text"
SIDES = ("query", "document")
ROLES = (TEXT, *SIDES)
_ROLES_KEY = b"roles"
# What a table says of itself → how it is read; passages and questions name their corpus, too
_KINDS: Mapping[str, Callable[[Mapping[str, Any], pa.Table], "TextTable"]] = {
    "pairs": pairs_of,
    "questions": questions_of,
    "passages": passages_of,
    "corpus": corpus_of,
    "training": training_data_of,
}


class TextTable(Protocol):
    """A table whose rows hold texts: of a task, of a pair set, of training data."""

    def row_texts(self) -> Iterator[tuple[str, ...]]:
        """The texts of each row: the first, then what stands beside it."""


@dataclass(frozen=True)
class Collection:
    """Texts that are embedded together."""

    texts: list[str]  # distinct within a role, in order of first occurrence; role after role
    # roles: role → number of its texts, in the order of `texts`. Most collections have one role, `TEXT`.
    roles: Mapping[str, int]

    def by_role(self) -> dict[str, list[str]]:
        """The texts of each role."""
        found, start = {}, 0
        for role, n in self.roles.items():
            found[role] = self.texts[start : start + n]
            start += n
        return found


def collect(tables: Iterable[TextTable], roles: Sequence[str] = (TEXT,)) -> Collection:
    """The distinct texts of tables.

    `tables`: of tasks and pair sets, in order. `roles`: one role that all texts have, or `SIDES`: first texts are
    queries, what stands beside them are documents.
    """
    if len(roles) == 1 and roles[0] in ROLES:
        texts = distinct_texts(tables)
        return Collection(texts, {roles[0]: len(texts)})
    if tuple(roles) != SIDES:
        raise ConfigError(
            f"the roles are {' '.join(roles)}. Write one of: {', '.join(ROLES)}; or both: {' '.join(SIDES)}."
        )
    parts = texts_of_sides(*tables)
    if not parts[1]:
        raise ConfigError(
            "the tables have one text per row, so that there are no queries and documents. Write the name of one "
            "prompt in prompt_names.tasks."
        )
    return Collection([*parts[0], *parts[1]], dict(zip(SIDES, map(len, parts), strict=True)))


def distinct_texts(tables: Iterable[TextTable]) -> list[str]:
    """Texts of all tables, each once, in order of first occurrence: row after row."""
    return list(dict.fromkeys(text for table in tables for text in chain.from_iterable(table.row_texts())))


def texts_of_sides(*tables: TextTable) -> tuple[list[str], list[str]]:
    """The distinct first texts, and the distinct second texts or alternatives, in order of occurrence."""
    rows = [row for table in tables for row in table.row_texts()]
    return (
        list(dict.fromkeys(first for first, *_ in rows)),
        list(dict.fromkeys(text for _, *others in rows for text in others)),
    )


def read_table(path: Path | str) -> TextTable:
    """Read a table of a task, of a pair set, of questions, of passages, of a corpus or of training data."""
    with readable(path, "table of texts"):
        about, stored = read_described(path)
        for key, table_of_kind in _KINDS.items():
            if key in about:
                return table_of_kind(about, stored)
        return task_of(about, stored)


def write_texts(path: Path | str, texts: Sequence[str]) -> None:
    """Write texts that all have the role `TEXT`, see `write_collection`."""
    write_collection(path, Collection([*texts], {TEXT: len(texts)}))


def write_collection(path: Path | str, collection: Collection) -> None:
    """Write a collection as Parquet with the one column text; roles other than `TEXT` stand in its metadata."""
    plain = set(collection.roles) == {TEXT}
    metadata = None if plain else {_ROLES_KEY: json.dumps(dict(collection.roles)).encode()}
    write_parquet(path, table_of({"text": collection.texts}, metadata))


def read_collection(path: Path | str) -> Collection:
    """Read what `write_collection` wrote, or any Parquet file with a column text."""
    with readable(path, "list of texts"):
        refuse_changed(Path(path))
        table = read_parquet(path)
        texts: list[str] = table.column("text").to_pylist()
        stored = (table.schema.metadata or {}).get(_ROLES_KEY)
        return Collection(texts, {TEXT: len(texts)} if stored is None else parse_json(stored))


def read_texts(path: Path | str) -> list[str]:
    """The texts of a collection, see `read_collection`."""
    return read_collection(path).texts


class TextRows(dict[str, int]):
    """Text → its row in an array of vectors. `file`: where the texts are from, if from a file."""

    def __init__(self, rows: Mapping[str, int], *, file: Path | None = None) -> None:
        super().__init__(rows)
        self._file = file

    def of(self, texts: Sequence[str], *, whose: str) -> np.ndarray:
        """(n,) int64 rows of n texts.

        Raises DataError: a text has no row: it was not embedded with the others. The message says `whose` it is.
        """
        unknown = [text for text in texts if text not in self]
        if unknown:
            remedy = (
                f" {self._file} lacks it: delete that file and run snakemake again." if self._file else ""
            )
            raise DataError(
                f"the text {unknown[0][:60]!r} of {whose} has no vector ({len(unknown)} of {len(texts)} have none): "
                f"it is of another family. Texts that are measured together must be embedded together.{remedy}"
            )
        return np.array([self[text] for text in texts], dtype=np.int64)


def rows_of(texts: Sequence[str], *, first: int = 0, file: Path | None = None) -> TextRows:
    """The rows of distinct texts, counted from `first`; `file` is that of the texts, see `TextRows`.

    Raises ValueError: a text occurs twice, so that the rows would not be those of distinct texts.
    """
    rows = TextRows({text: row for row, text in enumerate(texts, start=first)}, file=file)
    if len(rows) != len(texts):
        raise ValueError(f"{len(texts)} texts, but only {len(rows)} distinct ones")
    return rows
