"""The row of the file of hardest texts, and how it is stored."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import get_type_hints

import numpy as np

from sentflow.files.arrow import table_of
from sentflow.files.parquet import write_parquet

_ARRAY_TYPES = {int: np.int64, float: np.float64, bool: np.bool_}


@dataclass(frozen=True)
class HardRow:
    """A text, or pair of texts, that probes get wrong."""

    # task, row: where it stands: `row` counts the rows of the task table from 0
    task: str
    row: int
    # text_a, text_b: `text_b` is empty where a row is a single text
    text_a: str
    text_b: str
    # label, label_name: the class, and the label that it has in the data
    label: int
    label_name: str
    share_wrong: float  # of the `n_predictions` over encoders and repetitions that are wrong
    n_predictions: int
    models_wrong: int  # encoders whose predictions are wrong in more than half of the repetitions
    offensive: bool  # the texts of the task are abusive: not to be shown unasked


def write_hard_rows(path: Path | str, rows: Sequence[HardRow]) -> None:
    """Write rows as Parquet, one column per attribute."""
    types = get_type_hints(HardRow)
    columns: dict[str, np.ndarray | Sequence[str | None]] = {}
    for field in fields(HardRow):
        values = [getattr(row, field.name) for row in rows]
        kind = _ARRAY_TYPES.get(types[field.name])
        columns[field.name] = values if kind is None else np.array(values, dtype=kind)
    write_parquet(path, table_of(columns))
