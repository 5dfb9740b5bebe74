"""Out-of-fold predictions of a task and encoder: one file next to the score."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from sentflow.errors import DataError
from sentflow.files.arrow import numbers_of
from sentflow.files.parquet import read_parquet, readable
from sentflow.stats.items import OutOfFold

COLUMNS = ("repetition", "fold", "row", "truth", "predicted", "score")


def read_predictions(files: Sequence[Path | str]) -> pa.Table:
    """The predictions in some files, one after the other: the columns of `COLUMNS`."""
    tables = []
    for file in files:
        with readable(file, "file of predictions", delete="the score beside it"):
            tables.append(read_parquet(file, COLUMNS))
    return pa.concat_tables(tables).replace_schema_metadata(None)


def out_of_fold(predictions: pa.Table, labels: np.ndarray, *, where: str) -> OutOfFold:
    """The predictions as arrays. `labels`: (n,) int64 class indices of the task's rows."""
    names = ("repetition", "fold", "row", "truth", "predicted")
    found = OutOfFold(**{name: numbers_of(predictions.column(name)) for name in names})
    inside = (found.row >= 0) & (found.row < len(labels))
    if not inside.all() or (labels[found.row] != found.truth).any():
        raise DataError(
            f"{where}: the predictions are for other rows or labels than those of the task table. Delete the "
            "folds and run snakemake again."
        )
    return found
