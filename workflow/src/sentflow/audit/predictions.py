"""Reading the predictions of one encoder on one task, of a fold each or of all folds in one file."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sentflow.arrow import numbers_of
from sentflow.errors import DataError


@dataclass(frozen=True)
class Predictions:
    """The out-of-fold predictions of one encoder on one task, one per row and repetition.

    Attributes
    ----------
    rows
        (m,) int64 rows of the task table; a row that a repetition leaves out has none in it.
    truth, predicted
        (m,) int64 classes.
    """

    rows: np.ndarray
    truth: np.ndarray
    predicted: np.ndarray


def read_predictions(files: Sequence[Path]) -> Predictions:
    """The predictions in some files, one after the other.

    Raises
    ------
    DataError
        A file is missing or damaged; it is named.
    """
    parts = []
    for file in files:
        try:
            table = pq.ParquetFile(file).read()
            parts.append([numbers_of(table.column(name)) for name in ("row", "truth", "predicted")])
        except (OSError, pa.ArrowException, KeyError) as error:
            raise DataError(
                f"{file} is not a readable file of predictions ({error}). Delete it with the fold beside it, and run "
                "snakemake again."
            ) from error
    return Predictions(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
