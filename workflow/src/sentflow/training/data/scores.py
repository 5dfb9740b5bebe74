"""Scores of a teacher as they are written → numbers."""

import math

import numpy as np

from sentflow.errors import DataError
from sentflow.texts.checks import named
from sentflow.training.data.reader import Rows


def scores_of(data: str, rows: Rows, column: str) -> np.ndarray:
    """The scores in a column, (n,) float64. Raises DataError: a cell is no finite number; names the rows."""
    found = [_number(cell) for cell in rows.columns[column]]
    odd = [
        f"{name} ({cell[:20]!r})"
        for name, cell, score in zip(rows.names, rows.columns[column], found, strict=True)
        if not math.isfinite(score)
    ]
    if odd:
        raise DataError(
            f"training_data.{data}: the {column.replace('_', ' ')} is no finite number in {named(odd)}. Write a number "
            "such as 7.25, or name the cell in reader.missing, so that the row is left out."
        )
    return np.array(found, dtype=np.float64)


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan
