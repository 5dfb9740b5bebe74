"""Columns of a Parquet file from outside as Python values, counted before they are made.

A dictionary and run lengths let a kilobyte stand for gigabytes. So texts stay as the file has them, one value and many
numbers, until the size of a batch and of all before it is known.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sentflow.errors import DataError
from sentflow.files.limits import RATIO_FROM_BYTES, limits

_BATCH_ROWS = 1 << 15
_ROW_BYTES = 8  # of a value however small: a row that is nothing in the file is an object here


def column_names(path: Path) -> list[str]:
    """Names of the columns, in the order of the file. Raises DataError: the file is no Parquet file, or damaged."""
    with _reading(path):
        return list(pq.ParquetFile(path).schema_arrow.names)


def column_batches(path: Path, names: Sequence[str]) -> Iterator[dict[str, list[Any]]]:
    """The values of some columns, of a batch of rows at a time."""
    wanted = list(dict.fromkeys(names))
    for batch in _batches(path, wanted):
        with _reading(path):
            values = {name: _values(batch, name) for name in wanted}
        yield values


def _batches(path: Path, wanted: Sequence[str]) -> Iterator[pa.RecordBatch]:
    if not wanted:
        return
    with _reading(path):
        schema = pq.read_schema(path)
        texts = [
            name for name in wanted if schema.names.count(name) == 1 and _is_text(schema.field(name).type)
        ]
        # Only columns of plain texts can stay as they are; of lists, a batch has as many rows as do no harm
        file = pq.ParquetFile(path, read_dictionary=texts)
        most = limits().unpacked_from(path.stat().st_size)
        stated = _largest_part(file.metadata, wanted)
        _check(path, stated, most)
        plain = set(texts) == set(wanted)
        batch_rows = (
            _BATCH_ROWS if plain else max(1, min(_BATCH_ROWS, 8 * RATIO_FROM_BYTES // max(stated, 1)))
        )
        n_bytes = 0
        for batch in file.iter_batches(batch_size=batch_rows, columns=wanted):
            n_bytes += sum(_bytes_of(column) for column in batch.columns)
            _check(path, n_bytes, most)
            yield batch


def _values(batch: pa.RecordBatch, name: str) -> list[Any]:
    values: list[Any] = batch.column(batch.schema.names.index(name)).to_pylist()  # a name may stand for two
    return values


def _largest_part(metadata: Any, names: Sequence[str]) -> int:
    """Bytes of the largest of these columns in a row group, by what the end of the file says of it."""
    groups = (metadata.row_group(place) for place in range(metadata.num_row_groups))
    columns = [group.column(place) for group in groups for place in range(group.num_columns)]
    return max(
        (
            max(column.total_uncompressed_size, 2 * column.num_values)
            for column in columns
            if _belongs(column.path_in_schema, names)
        ),
        default=0,
    )


def _belongs(path_in_schema: str, names: Sequence[str]) -> bool:
    """Whether a stored column is one of these, or a part of one; a name may hold dots itself."""
    return any(path_in_schema == name or path_in_schema.startswith(f"{name}.") for name in names)


def _bytes_of(column: Any) -> int:
    """What a column is as values."""
    if not pa.types.is_dictionary(column.type) or not _is_text(column.type.value_type):
        return int(column.nbytes) + _ROW_BYTES * len(column)
    lengths = pc.binary_length(column.dictionary).cast(pa.int64())
    return (pc.sum(lengths.take(column.indices)).as_py() or 0) + _ROW_BYTES * len(column)


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _check(path: Path, n_bytes: int, most: int) -> None:
    if n_bytes > most:
        packed = path.stat().st_size
        raise DataError(
            f"{path.name} unpacks from {packed} to more than {most} bytes, {limits().unpacked_words(packed)}."
        )


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Say that a file is damaged where a block cannot read it."""
    try:
        yield
    except (OSError, ValueError, OverflowError, pa.ArrowException) as error:
        raise DataError(f"{path.name} is not a readable Parquet file: {error}") from error
