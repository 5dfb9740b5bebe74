"""Parquet files that tell when they were damaged, or put in the place of another."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from sentflow.errors import DataError
from sentflow.files.io import atomic
from sentflow.graph.paths import name_in_results

_NAME_KEY = b"sentflow-file"


def write_parquet(path: Path | str, table: pa.Table) -> None:
    """Write a table with a checksum of every page and, for a file of the results tree, with its name there."""
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
            f"{path} was written as {written}: another file was put in its place. Delete it and run snakemake again."
        )
    table = file.read().replace_schema_metadata(
        metadata or None
    )  # the whole, or damage elsewhere went unseen
    return table if columns is None else table.select(list(columns))
