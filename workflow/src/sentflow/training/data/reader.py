"""Raw files of training data into rows of texts, as written: of files with columns, or of pair sets."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from sentflow.errors import ConfigError
from sentflow.texts.formats.records import Column
from sentflow.texts.pair_readers import PairReader, read_pair_rows
from sentflow.texts.record_readers import RecordReader
from sentflow.training.data.forms import COLUMNS

FORMATS = ("lines", "csv", "tsv", "jsonl", "json", "parquet")
_TEXTS = COLUMNS[:3]


@dataclass(frozen=True)
class Rows:
    """Rows in the order of their files, before anything is left out.

    Attributes
    ----------
    names
        What to call each row in a message: its file and number.
    columns
        Of `COLUMNS` → cells, as long as `names`; an empty cell is one that is missing.
    """

    names: list[str]
    columns: Mapping[str, list[str]]

    def __len__(self) -> int:
        return len(self.names)

    def texts(self) -> Iterator[tuple[str, ...]]:
        """The texts of each row, labels left out."""
        return zip(*(self.columns[key] for key in _TEXTS if key in self.columns), strict=True)

    def taken(self, places: Sequence[int]) -> "Rows":
        """Some of the rows, in this order."""
        columns = {key: [cells[place] for place in places] for key, cells in self.columns.items()}
        return Rows([self.names[place] for place in places], columns)

    def with_whole_lines(self) -> "Rows":
        """Texts without empty lines, and without white space around lines."""
        cells = [
            "\n".join(line for raw in text.split("\n") if (line := raw.strip()))
            for text in self.columns["text"]
        ]
        return replace(self, columns={**self.columns, "text": cells})

    def one_text_each(self) -> "Rows":
        """Every text as a row of its own, row after row."""
        width = sum(key in self.columns for key in _TEXTS)
        names = [name for name in self.names for _ in range(width)]
        return Rows(names, {"text": list(chain.from_iterable(self.texts()))})


@dataclass(frozen=True)
class TrainingReader:
    """How to read rows of training data: the ``reader`` of a catalog entry.

    Attributes
    ----------
    records
        How the files are written; one of `FORMATS`.
    columns
        Of `COLUMNS` → column of the files: a name, in JSON also a path, or a number from 1 where there is no header.
    labels
        Label as written → class; empty where labels are classes already. In the catalog it may be a list of labels,
        the first of which is class 0.
    missing
        Cells that stand for nothing, e.g. ``"N/A"``.
    lists
        Whether ``other`` holds a list of texts (JSON), each of which makes a row. A ``text`` that is a list has a line
        for each of its texts.
    """

    records: RecordReader
    columns: Mapping[str, Column]
    labels: Mapping[str, int]
    missing: frozenset[str] = frozenset()
    lists: bool = False

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, where: str) -> "TrainingReader":
        """The reader of a catalog entry.

        Raises
        ------
        ConfigError
            Unknown or missing keys, or an unknown format.
        """
        own = (*COLUMNS, "labels", "missing", "lists")
        if settings.get("format") not in FORMATS:
            raise ConfigError(
                f"{where}.format: {settings.get('format')!r} is not a format. Write one of: {', '.join(FORMATS)}."
            )
        of_file = {key: value for key, value in settings.items() if key not in own}
        labels = settings.get("labels", {})
        return cls(
            RecordReader.from_settings(of_file, where=where),
            {"text": "text"} | {key: settings[key] for key in COLUMNS if key in settings},
            labels if isinstance(labels, Mapping) else {name: place for place, name in enumerate(labels)},
            frozenset(settings.get("missing", ())),
            settings.get("lists", False),
        )

    def batches(self, paths: Mapping[str, Path], *, where: str, rows: int) -> Iterator[Rows]:
        """The rows of all files, see `RecordReader.batches`.

        Parameters
        ----------
        paths
            Name → file.
        where
            Place of the reader, for messages.
        rows
            Records of a batch, where the format can be read so.

        Raises
        ------
        ConfigError, DataError
            See `RecordReader.batches`; or a column does not exist.
        """
        for records in self.records.batches(paths, list(self.columns.values()), where=where, rows=rows):
            names = [f"{records.file}, row {name}" for name in records.names]
            yield self._as_meant(Rows(names, records.pick(self.columns)))

    def _as_meant(self, rows: Rows) -> Rows:
        """Rows with missing cells empty, and a row for each text of a list."""
        if self.missing:
            columns = {
                key: ["" if cell in self.missing else cell for cell in cells]
                for key, cells in rows.columns.items()
            }
            rows = replace(rows, columns=columns)
        if not self.lists:
            return rows
        others = [cell.split("\n") for cell in rows.columns["other"]]
        repeated = rows.taken([place for place, found in enumerate(others) for _ in found])
        return replace(repeated, columns={**repeated.columns, "other": list(chain.from_iterable(others))})


def read_pairs_as_rows(paths: Mapping[str, Path], reader: PairReader, *, unscored: bool) -> Rows:
    """The pairs of a pair set without their scores; see `read_pair_rows`."""
    parts = read_pair_rows(paths, reader, unscored=unscored)
    return joined(
        Rows(
            [f"{part.file}, row {name}" for name in part.names],
            {"text": part.text_a, "other": part.text_b},
        )
        for part in parts
    )


def joined(parts: Iterable[Rows]) -> Rows:
    """Rows one after the other, with the columns of the first."""
    parts = list(parts)
    names = list(chain.from_iterable(part.names for part in parts))
    columns = {
        key: list(chain.from_iterable(part.columns[key] for part in parts)) for key in parts[0].columns
    }
    return Rows(names, columns)


def in_parts(batches: Iterable[Rows], least: int) -> Iterator[Rows]:
    """The rows of batches in parts of at least so many rows, apart from the last."""
    held: list[Rows] = []
    for rows in batches:
        held.append(rows)
        if sum(map(len, held)) >= least:
            yield joined(held)
            held = []
    if any(map(len, held)):
        yield joined(held)
