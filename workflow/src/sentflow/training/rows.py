"""The rows that a training reads."""

from pathlib import Path
from typing import Any

from sentflow.errors import DataError
from sentflow.files.parquet import read_parquet
from sentflow.training.recipes.table import LABELLED, PAIRS, TEXTS, TRIPLETS

_COLUMNS = {
    TEXTS: ("text",),
    PAIRS: ("text", "other"),
    TRIPLETS: ("text", "other", "negative"),
    LABELLED: ("text", "other", "label"),
}


def read_rows(path: Path, *, form: str, batch_size: int) -> list[dict[str, Any]]:
    """The rows of a table of training data, see `sentflow.training.contract.Row`.

    Raises
    ------
    DataError
        The file is missing or damaged, lacks a column of the form, or has fewer rows than a batch.
    """
    rows: list[dict[str, Any]] = read_parquet(path, _COLUMNS[form]).to_pylist()
    if len(rows) < batch_size:
        raise DataError(
            f"{path} has {len(rows)} rows, fewer than a batch of {batch_size}. Write a smaller training.batch_size, or "
            "more data."
        )
    return rows
