"""Parquet files of the pipeline, in which damage is noticed, and a file in the place of another."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sentflow.errors import DataError
from sentflow.files.arrow import Columns, table_of
from sentflow.files.atomic import atomic
from sentflow.files.io import parse_json, refuse_changed
from sentflow.files.result_names import name_in_results

_NAME_KEY = b"sentflow-file"
_ABOUT_KEY = b"sentflow"
_BATCH_ROWS = 1 << 13


def write_parquet(path: Path | str, table: pa.Table) -> None:
    """Write a table with a checksum of every page and, for a file of folds or scores, with its name in the results."""
    if name := name_in_results(str(path)):
        table = table.replace_schema_metadata({**(table.schema.metadata or {}), _NAME_KEY: name.encode()})
    with atomic(path) as part:
        pq.write_table(table, part, write_page_checksum=True)


def read_parquet(path: Path | str, columns: Sequence[str] | None = None) -> pa.Table:
    """Read what `write_parquet` wrote, or any Parquet file.

    Raises
    ------
    DataError
        It is the file of another task, encoder or fold.
    OSError, pyarrow.ArrowException
        It is missing or damaged.
    """
    file = pq.ParquetFile(path, page_checksum_verification=True)
    metadata = dict(file.schema_arrow.metadata or {})
    written, name = metadata.pop(_NAME_KEY, b"").decode(), name_in_results(str(path))
    if written and name and written != name:
        raise DataError(
            f"{path} was written as {written}: another file is in its place. Delete it and run "
            "snakemake again."
        )
    table = file.read().replace_schema_metadata(
        metadata or None
    )  # the whole, or damage elsewhere went unseen
    return table if columns is None else table.select(list(columns))


def write_described(path: Path | str, columns: Columns, about: Mapping[str, Any]) -> None:
    """Write columns with what the table says about itself, as JSON in its metadata."""
    text = json.dumps(about, sort_keys=True, ensure_ascii=False)
    write_parquet(path, table_of(columns, {_ABOUT_KEY: text.encode()}))


def read_described(path: Path | str) -> tuple[dict[str, Any], pa.Table]:
    """What a table says about itself, and its columns; it must be that of the digest beside it, if there is one.

    Raises
    ------
    DataError
        The file has changed since its digest was written.
    OSError, KeyError, ValueError, pyarrow.ArrowException
        It is missing or damaged, or was not written by `write_described`.
    """
    refuse_changed(Path(path))
    table = read_parquet(path)
    about: dict[str, Any] = parse_json((table.schema.metadata or {})[_ABOUT_KEY])
    return about, table


class DescribedParts:
    """What `write_described` wrote, for those who need a part of it and cannot hold the whole.

    Parameters
    ----------
    path
        File; it must be that of the digest beside it, if there is one, which is how damage in other parts is noticed.

    Attributes
    ----------
    about
        What the table says about itself.
    n_rows
        Of all.

    Raises
    ------
    DataError
        The file has changed since its digest was written.
    OSError, KeyError, ValueError, pyarrow.ArrowException
        It is missing or damaged, or was not written by `write_described`.
    """

    def __init__(self, path: Path | str) -> None:
        refuse_changed(Path(path))
        self._file = pq.ParquetFile(path, page_checksum_verification=True)
        self.about: dict[str, Any] = parse_json((self._file.schema_arrow.metadata or {})[_ABOUT_KEY])
        self.n_rows: int = self._file.metadata.num_rows

    def columns(self, *names: str) -> pa.Table:
        """These columns."""
        return self._file.read(columns=list(names))

    def rows(self, start: int, stop: int) -> pa.Table:
        """The rows from `start` to before `stop`; of the others, no more than a small batch is in memory at a time."""
        sizes = [self._file.metadata.row_group(i).num_rows for i in range(self._file.num_row_groups)]
        ends = list(accumulate(sizes))
        needed = [i for i, end in enumerate(ends) if end > start and end - sizes[i] < stop]
        found, first = [], ends[needed[0]] - sizes[needed[0]] if needed else 0
        for batch in self._file.iter_batches(batch_size=_BATCH_ROWS, row_groups=needed):
            found.append(batch.slice(max(0, start - first), max(0, stop - max(start, first))))
            first += len(batch)
        return pa.Table.from_batches(found, self._file.schema_arrow)

    def batches(self, *names: str) -> Iterator[pa.RecordBatch]:
        """These columns, a small batch of rows at a time."""
        yield from self._file.iter_batches(batch_size=_BATCH_ROWS, columns=list(names))


class DescribedWriter:
    """Writes what `write_described` writes, for those who cannot hold the whole: a group of rows with each call.

    Parameters
    ----------
    path
        Where it goes; `sentflow.files.atomic.atomic` gives a temporary name.
    about
        What the table says about itself.
    """

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        self._path = path
        self._metadata = {_ABOUT_KEY: json.dumps(about, sort_keys=True, ensure_ascii=False).encode()}
        self._writer: pq.ParquetWriter | None = None

    def write(self, columns: Columns) -> None:
        """Add rows; the columns are those of the first call."""
        table = table_of(columns, self._metadata)
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._path, table.schema, write_page_checksum=True)
        self._writer.write_table(table)

    def close(self) -> None:
        """Finish the file."""
        if self._writer is not None:
            self._writer.close()


@contextmanager
def readable(path: Path | str, what: str, *, delete: str = "it") -> Iterator[None]:
    """Tell what a file should be, and what to do, where a block cannot read it.

    Raises
    ------
    DataError
        The block met a file that is missing, damaged or of another form.
    """
    try:
        yield
    except (OSError, KeyError, TypeError, ValueError, pa.ArrowException) as error:
        raise DataError(
            f"{path} is not a readable {what} ({error}). Delete {delete} and run snakemake again."
        ) from error
