"""Parquet: typed columns, of which only those asked for are read."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from sentflow.texts.formats.records import Column, Records, typed_records


def read_parquet_columns(
    path: Path, wanted: Iterable[Column | None], *, joined: str | None = None
) -> Records:
    """The wanted columns that exist."""
    from sentflow.files.parquet_columns import column_names, column_values

    header = column_names(path)
    names = set(wanted)
    values = column_values(path, [name for name in header if name in names])
    return typed_records(path.name, header, values, joined=joined)


def parquet_batches(
    path: Path, wanted: Iterable[Column | None], *, joined: str | None = None
) -> Iterator[Records]:
    """The rows of `read_parquet_columns`, of which a batch at a time is in memory."""
    from sentflow.files.parquet_columns import column_batches, column_names

    header, done = column_names(path), 0
    names = set(wanted)
    for values in column_batches(path, [name for name in header if name in names]):
        records = typed_records(path.name, header, values, joined=joined, after=done)
        yield records
        done += len(records)
    if not done:  # says whether it has no rows, or none of these columns
        yield read_parquet_columns(path, names, joined=joined)
