"""Raw files of training data into rows of texts, as written: of files with columns, or of pair sets."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from sentflow.config import pairs
from sentflow.config.training_data import Reader
from sentflow.texts.formats.table import record_batches
from sentflow.texts.pair_files import reader_files
from sentflow.texts.pair_readers import read_pair_rows
from sentflow.texts.preparation import verified_files
from sentflow.training.data.forms import COLUMNS
from sentflow.training.data.settings import PreparedRows

_TEXTS = COLUMNS[:3]


@dataclass(frozen=True)
class Rows:
    """Rows in the order of their files, before anything is left out."""

    names: list[str]  # what to call each row in a message: its file and number
    # columns: of `COLUMNS` → cells, as long as `names`; an empty cell is one that is missing
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


def read_sources(
    settings: PreparedRows, raw_files: Sequence[Path], files: Mapping[str, Mapping[str, Any]], *, rows: int
) -> Iterator[Rows]:
    """The rows of all sources, one after the other. `rows`: records of a batch, where the format can be read so."""
    for source in settings.sources:
        where = f"{source.where}.reader"
        own = [path for path in raw_files if path.parent.name == source.dataset]
        known = files.get(source.dataset, {})
        if source.pairs is not None:
            paths = verified_files(reader_files(source.pairs.as_dict()), own, known, where=where)
            yield _pairs_as_rows(paths, source.pairs, unscored=settings.unscored)
        reader = source.rows
        if reader is None:
            continue
        paths = verified_files(reader.files, own, known, where=where)
        columns = {"text": reader.text} | {
            key: column for key in COLUMNS if (column := getattr(reader, key)) is not None
        }
        for file in reader.files:
            for records in record_batches(paths[file], reader, columns.values(), joined="\n", rows=rows):
                names = [f"{records.file}, row {name}" for name in records.names]
                yield _as_meant(Rows(names, records.pick(columns)), reader)


def labels_of(settings: PreparedRows) -> dict[str, int]:
    """Label as written → class, of the first source; empty where labels are classes already."""
    reader = settings.sources[0].rows
    labels = reader.labels if reader else None
    return (
        dict(labels) if isinstance(labels, dict) else {name: place for place, name in enumerate(labels or ())}
    )


def _as_meant(rows: Rows, reader: Reader) -> Rows:
    """Rows with missing cells empty, and a row for each text of a list."""
    if reader.missing:
        columns = {
            key: ["" if cell in reader.missing else cell for cell in cells]
            for key, cells in rows.columns.items()
        }
        rows = replace(rows, columns=columns)
    if not reader.lists:
        return rows
    others = [cell.split("\n") for cell in rows.columns["other"]]
    repeated = rows.taken([place for place, texts in enumerate(others) for _ in texts])
    return replace(repeated, columns={**repeated.columns, "other": list(chain.from_iterable(others))})


def _pairs_as_rows(paths: Mapping[str, Path], reader: pairs.Reader, *, unscored: bool) -> Rows:
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
