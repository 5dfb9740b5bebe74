"""The way of a training, a row per step, as Parquet."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from sentflow.files.parquet import write_parquet

SCHEMA = pa.schema(
    [
        ("step", pa.int64()),
        ("loss", pa.float64()),
        ("learning_rate", pa.float64()),
        ("gradient_norm", pa.float64()),
        ("tokens", pa.int64()),
    ]
)


def write_history(path: Path, rows: Sequence[Mapping[str, float]]) -> None:
    """Write the rows of `sentflow.training.state.Progress.history`."""
    columns = {name: [row[name] for row in rows] for name in SCHEMA.names}
    write_parquet(path, pa.table(columns, schema=SCHEMA))
