"""Parquet: typed columns, of which only those asked for are read."""

from collections.abc import Iterable
from pathlib import Path

from sentflow.texts.formats.records import Column, Records, typed_records


def read_parquet_columns(
    path: Path, wanted: Iterable[Column | None], *, joined: str | None = None
) -> Records:
    """The wanted columns that exist.

    Raises
    ------
    DataError
        The file is damaged or empty, its columns are larger than the limits allow, or see `typed_records`.
    """
    from sentflow.files.parquet_columns import column_names, column_values

    header = column_names(path)
    names = set(wanted)
    values = column_values(path, [name for name in header if name in names])
    return typed_records(path.name, header, values, joined=joined)
