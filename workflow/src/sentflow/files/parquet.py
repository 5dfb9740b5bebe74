"""Parquet files of the pipeline, in which damage is noticed, and a file in the place of another.

``pyarrow.array`` and ``to_numpy`` import pandas, which takes longer than a small probe to train; buffers do without it.
"""

import hashlib
import json
import os
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sentflow.errors import DataError
from sentflow.files.atomic import atomic
from sentflow.files.io import parse_json, refuse_changed, unsealed

# Bytes of text that the 32-bit offsets of a string column can reach.
_MOST_BYTES = 2**31 - 1


class Strings:
    """A column of strings that grows; their bytes lie together, which takes less memory than the strings."""

    def __init__(self, values: Iterable[str | None] = ()) -> None:
        self._bytes, self._offsets, self._present = bytearray(), array("q", [0]), bytearray()
        for value in values:
            self.append(value)

    def __len__(self) -> int:
        return len(self._present)

    @property
    def n_bytes(self) -> int:
        """Of all strings together, in UTF-8."""
        return len(self._bytes)

    def append(self, value: str | None) -> None:
        """Add a string; None is null."""
        self._bytes += (value or "").encode()
        self._offsets.append(len(self._bytes))
        self._present.append(value is not None)

    def array(self) -> pa.Array:
        """The column, of Arrow's type ``string``; ``large_string`` where it holds 2 GiB or more."""
        small = len(self._bytes) <= _MOST_BYTES
        kind, offsets = pa.StringArray if small else pa.LargeStringArray, np.asarray(self._offsets)
        return kind.from_buffers(
            len(self),
            pa.py_buffer(offsets.astype(np.int32) if small else offsets),
            pa.py_buffer(self._bytes),
            _bits(np.frombuffer(self._present, np.bool_)),
        )


Columns = Mapping[str, np.ndarray | Sequence[str | None] | Strings]
"""Name → numbers or strings, see `table_of`."""


def table_of(
    columns: Columns,
    metadata: Mapping[bytes, bytes] | None = None,
    *,
    nan_is_null: bool = False,
) -> pa.Table:
    """A table of numbers and strings.

    `columns`: per name a 1-D array of numbers or booleans (integers are stored as int64), or strings (None is null),
    all of one length. `nan_is_null`: whether NaN is stored as null.
    """
    arrays = {
        name: _numbers(values, nan_is_null=nan_is_null)
        if isinstance(values, np.ndarray)
        else (values if isinstance(values, Strings) else Strings(values)).array()
        for name, values in columns.items()
    }
    fields = [pa.field(name, array.type) for name, array in arrays.items()]
    return pa.Table.from_arrays(list(arrays.values()), schema=pa.schema(fields, metadata))


def numbers_of(column: pa.ChunkedArray) -> np.ndarray:
    """(n,) numbers of a column without nulls."""
    return np.from_dlpack(column.combine_chunks())


def _numbers(values: np.ndarray, *, nan_is_null: bool) -> pa.Array:
    if values.dtype == np.bool_:
        return pa.Array.from_buffers(pa.bool_(), len(values), [None, _bits(values)])
    if np.issubdtype(values.dtype, np.integer):
        values = values.astype(np.int64)
    contiguous = np.ascontiguousarray(values)
    present = _bits(~np.isnan(values)) if nan_is_null and np.isnan(values).any() else None
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(values.dtype), len(values), [present, pa.py_buffer(contiguous)]
    )


def _bits(values: np.ndarray) -> pa.Buffer:
    return pa.py_buffer(np.packbits(values, bitorder="little"))


# Below the results, or below the folder of a study's protocol
_NAMED_PATTERN = re.compile(r"(?:^|/)((?:protocols/[^/]+/)?(?:probes|scores)/[^/]+/.+)\Z")
_FOLD_PATTERN = re.compile(r"rep-(\d+)/fold-(\d+)\.parquet\Z")


def name_in_results(path: str) -> str | None:
    """What a file of folds or scores is called in the results tree, wherever that lies; None for other files.

    ``"/somewhere/results/scores/T1A/random.parquet"`` is ``"scores/T1A/random.parquet"``.
    """
    match = _NAMED_PATTERN.search(path.replace("\\", "/"))
    return match[1] if match else None


def repetition_and_fold(fold_path: Path | str) -> tuple[int, int]:
    """Repetition and fold (both 1-based) of a fold file. Raises ValueError: the path is not a fold file's."""
    match = _FOLD_PATTERN.search(str(fold_path))
    if match is None:
        raise ValueError(f"{fold_path} is not the path of a fold: it must end in rep-R/fold-F.parquet")
    return int(match[1]), int(match[2])


_NAME_KEY = b"sentflow-file"
_ABOUT_KEY = b"sentflow"
_BATCH_ROWS = 1 << 13
# In the footer, which holds texts as they are: the SHA-256 of the file with zeros in its place
_DIGEST_KEY = b"sentflow-digest"
_ZEROS = b"0" * 64
_PIECE = 1 << 20
_LAST_BYTES = 8  # length of the footer, and a mark


def write_parquet(path: Path | str, table: pa.Table) -> None:
    """Write a table with its digest and, for a file of folds or scores, with its name in the results."""
    if name := name_in_results(str(path)):
        table = table.replace_schema_metadata({**(table.schema.metadata or {}), _NAME_KEY: name.encode()})
    with atomic(path) as part:
        writer = _writer(part, table.schema)
        writer.write_table(table)
        _close(writer, part)


def read_parquet(
    path: Path | str, columns: Sequence[str] | None = None, *, any_file: bool = False
) -> pa.Table:
    """Read what `write_parquet` or `DescribedWriter` wrote; with `any_file`, any Parquet file.

    Raises DataError: it was changed after it was written, has no digest, or is the file of another task, encoder or
    fold. Raises OSError, pyarrow.ArrowException: it is missing or damaged.
    """
    _refuse_unsealed(Path(path), any_file=any_file)
    table = _read(path)
    return table if columns is None else table.select(list(columns))


def _read(path: Path | str) -> pa.Table:
    file = pq.ParquetFile(path, page_checksum_verification=True)
    metadata = dict(file.schema_arrow.metadata or {})
    metadata.pop(_DIGEST_KEY, None)
    written, name = metadata.pop(_NAME_KEY, b"").decode(), name_in_results(str(path))
    if written and name and written != name:
        raise DataError(
            f"{path} was written as {written}: another file is in its place. Delete it and run "
            "snakemake again."
        )
    return file.read().replace_schema_metadata(metadata or None)


def write_described(path: Path | str, columns: Columns, about: Mapping[str, Any]) -> None:
    """Write columns with what the table says about itself, as JSON in its metadata."""
    text = json.dumps(about, sort_keys=True, ensure_ascii=False)
    write_parquet(path, table_of(columns, {_ABOUT_KEY: text.encode()}))


def read_described(path: Path | str) -> tuple[dict[str, Any], pa.Table]:
    """What a table says about itself, and its columns; it must be that of the digest beside it, or in it.

    Raises OSError, KeyError, ValueError, pyarrow.ArrowException: it is missing or damaged, or was not written by
    `write_described`.
    """
    _refuse_described(Path(path))
    table = _read(path)
    about: dict[str, Any] = parse_json((table.schema.metadata or {})[_ABOUT_KEY])
    return about, table


class DescribedParts:
    """What `write_described` wrote, for those who need a part of it and cannot hold the whole.

    `path`: file; it must be that of the digest beside it, or in it, which is how damage in other parts is noticed.
    Raises OSError, KeyError, ValueError, pyarrow.ArrowException: it is missing or damaged, or was not written by
    `write_described`.
    """

    def __init__(self, path: Path | str) -> None:
        _refuse_described(Path(path))
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

    `path`: where it goes; `sentflow.files.atomic.atomic` gives a temporary name.
    """

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        self._path = path
        self._metadata = {_ABOUT_KEY: json.dumps(about, sort_keys=True, ensure_ascii=False).encode()}
        self._writer: pq.ParquetWriter | None = None

    def write(self, columns: Columns) -> None:
        """Add rows; the columns are those of the first call."""
        table = table_of(columns, self._metadata)
        if self._writer is None:
            self._writer = _writer(self._path, table.schema)
        self._writer.write_table(table)

    def close(self) -> None:
        """Finish the file."""
        if self._writer is not None:
            _close(self._writer, self._path)


def _writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    own = {key: value for key, value in (schema.metadata or {}).items() if key != _DIGEST_KEY}
    return pq.ParquetWriter(path, schema.with_metadata(own or None), write_page_checksum=True)


def _close(writer: pq.ParquetWriter, path: Path) -> None:
    """Finish a file, with its digest."""
    writer.add_key_value_metadata({_DIGEST_KEY: _ZEROS})
    writer.close()
    place, _ = _stated(path)
    with path.open("r+b") as stream:
        digest = _digest(stream, place)
        stream.seek(place)
        stream.write(digest)


def _stated(path: Path) -> tuple[int, bytes]:
    """Where the digest of a Parquet file is, and what it is; empty where it has none."""
    with path.open("rb") as stream:
        end = stream.seek(0, os.SEEK_END)
        stream.seek(max(0, end - _LAST_BYTES))
        length = int.from_bytes(stream.read(4), "little") + _LAST_BYTES
        stream.seek(max(0, end - length))
        footer = stream.read()
    found = re.search(_DIGEST_KEY + b".{1,9}?([0-9a-f]{64})", footer, re.DOTALL)
    return (max(0, end - length) + found.start(1), found[1]) if found else (0, b"")


def _digest(stream: BinaryIO, place: int) -> bytes:
    """SHA-256 of a file with zeros where its digest is, in hexadecimal."""
    found = hashlib.sha256()
    stream.seek(0)
    left = place
    while piece := stream.read(min(left, _PIECE)) if left else b"":
        found.update(piece)
        left -= len(piece)
    found.update(_ZEROS)
    stream.seek(place + len(_ZEROS))
    while piece := stream.read(_PIECE):
        found.update(piece)
    return found.hexdigest().encode()


def _refuse_described(path: Path) -> None:
    """Where a digest of all bytes lies beside a file, that one is compared."""
    if not refuse_changed(path):
        _refuse_unsealed(path, any_file=False)


def _refuse_unsealed(path: Path, *, any_file: bool) -> None:
    place, stated = _stated(path)
    if not stated and any_file:
        return
    with path.open("rb") as stream:
        if stated and _digest(stream, place) == stated:
            return
    raise unsealed(path, stated)


@contextmanager
def readable(path: Path | str, what: str, *, delete: str = "it") -> Iterator[None]:
    """Tell what a file should be, and what to do, where a block cannot read it."""
    try:
        yield
    except (OSError, KeyError, TypeError, ValueError, pa.ArrowException) as error:
        raise DataError(
            f"{path} is not a readable {what} ({error}). Delete {delete} and run snakemake again."
        ) from error
