"""Rows of Parquet files: one dataclass per file, one column per attribute. Undefined numbers are NaN, in files null."""

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import numpy as np

from sentflow.errors import DataError
from sentflow.files.parquet import read_parquet, readable, table_of, write_parquet

logger = logging.getLogger(__name__)
Row = TypeVar("Row")  # any frozen dataclass of strings, numbers and booleans
_DTYPES = {int: np.int64, float: np.float64, bool: np.bool_}


def write_rows(path: Path | str, kind: type[Row], rows: Sequence[Row]) -> None:
    """Write rows as Parquet, one column per attribute; NaN becomes null."""
    columns: dict[str, np.ndarray | list[str]] = {}
    for name, (column, _) in _columns(kind).items():
        values = [getattr(row, name) for row in rows]
        columns[name] = values if column is str else np.array(values, _DTYPES[column])
    write_parquet(path, table_of(columns, nan_is_null=True))
    logger.info("%s: %d rows", path, len(rows))


def read_rows(
    path: Path | str, kind: type[Row], *, may_be_empty: bool = False, any_file: bool = False
) -> list[Row]:
    """Read what `write_rows` wrote; further columns are ignored, null numbers become NaN, null texts empty.

    With `any_file` also what has no digest, as results of an earlier version that are only shown.

    Raises DataError: the file is not Parquet, lacks columns, or has no rows though it must not be empty.
    """
    with readable(path, "Parquet file"):
        table = read_parquet(path, any_file=any_file)
    # an earlier version had no column of a name with a default
    columns = {
        name: column
        for name, (column, has_default) in _columns(kind).items()
        if name in table.column_names or not has_default
    }
    missing = [name for name in columns if name not in table.column_names]
    if missing:
        raise DataError(
            f"{path} lacks the columns {', '.join(missing)}, which {kind.__name__} needs. "
            "Give the file that summarise, summarise_costs, compare, compare_documents or compare_protocol wrote; in "
            "the results folder, delete it and run again."
        )
    if table.num_rows == 0 and not may_be_empty:
        raise DataError(f"{path} has no rows. Select at least one task and one model in the config.")
    return [
        kind(**{name: _restored(value, columns[name]) for name, value in row.items()})
        for row in table.select(list(columns)).to_pylist()
    ]


def row_from(kind: type[Row], found: Mapping[str, Any], **own: Any) -> Row:
    """A row of what is given for it and, for its other columns, of the keys of the same names; null numbers are NaN.

    Raises KeyError: a column without a default is neither given nor a key.
    """
    values = dict(own)
    for name, (column, has_default) in _columns(kind).items():
        if name not in own and (name in found or not has_default):
            values[name] = _restored(found[name], column)
    return kind(**values)


class RowsByName:
    """Rows of files that are told apart by their names; of a file that was not given there are none."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._by_stem = {file.stem: file for file in files}

    def __call__(self, stem: str, kind: type[Row]) -> list[Row]:
        """The rows of the file of a name, see `read_rows`."""
        return read_rows(self._by_stem[stem], kind, may_be_empty=True) if stem in self._by_stem else []


def number_or_nan(value: float | None) -> float:
    """A number of a JSON file, whose null is an undefined one."""
    return math.nan if value is None else float(value)


def _columns_of(kind: type[Any]) -> dict[str, tuple[type, bool]]:
    """Type of each column, and whether it has a default."""
    types = get_type_hints(kind)
    return {field.name: (types[field.name], field.default is not MISSING) for field in fields(kind)}


_columns: Callable[[Any], dict[str, tuple[type, bool]]] = cache(_columns_of)


def _restored(value: Any, kind: type) -> Any:
    if value is not None:
        return float(value) if kind is float else value
    return math.nan if kind is float else "" if kind is str else None
