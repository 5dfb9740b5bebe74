"""The files of one fold: its scores, and beside them its out-of-fold predictions."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from sentflow.errors import DataError
from sentflow.files.arrow import table_of
from sentflow.files.io import parse_json
from sentflow.files.parquet import read_parquet, readable, write_parquet
from sentflow.files.result_names import predictions_of
from sentflow.probing.training.result import FoldResult, fold_records, prediction_records

_METADATA_KEY = b"sentflow"


@dataclass(frozen=True)
class FoldInfo:
    """What a fold file says about itself.

    Attributes
    ----------
    setting
        The chosen point of the grid, by names.
    n_train, n_evaluation, n_test
        Rows of the parts.
    dimension
        Width of the features.
    settings
        The JSON settings the probe was trained with.
    """

    setting: Mapping[str, float | str]
    n_train: int
    n_evaluation: int
    n_test: int
    dimension: int
    settings: str

    @classmethod
    def of(cls, result: FoldResult, settings: Mapping[str, Any]) -> "FoldInfo":
        """The description of a fold that was trained with such settings (`catalog.job_settings`)."""
        return cls(
            setting=result.chosen,
            n_train=result.n_train,
            n_evaluation=result.n_evaluation,
            n_test=len(result.test_rows),
            dimension=result.dimension,
            settings=json.dumps(settings, sort_keys=True),
        )


def write_result(file: Path | str, result: FoldResult, settings: Mapping[str, Any]) -> None:
    """Write a fold, and first its predictions beside it; `settings` as in `FoldInfo.of`."""
    write_predictions(predictions_of(str(file)), prediction_records(result))
    write_fold(file, fold_records(result), FoldInfo.of(result, settings))


def write_fold(path: Path | str, records: dict[str, Any], info: FoldInfo) -> None:
    """Write the columns of `fold_records` with their description."""
    metadata = {_METADATA_KEY: json.dumps(asdict(info), sort_keys=True).encode()}
    write_parquet(path, table_of(records, metadata))


def write_predictions(path: Path | str, records: dict[str, Any]) -> None:
    """Write the columns of `prediction_records`."""
    write_parquet(path, table_of(records))


def read_folds(files: Sequence[Path | str]) -> tuple[pa.Table, list[FoldInfo]]:
    """The rows of fold files one after the other, and their descriptions.

    Raises
    ------
    DataError
        A file is missing, damaged, or that of another fold; it is named.
    """
    tables, infos = [], []
    for file in files:
        with readable(file, "fold file"):
            table = read_parquet(file)
            infos.append(FoldInfo(**parse_json(table.schema.metadata[_METADATA_KEY])))
        tables.append(table.replace_schema_metadata(None))
    return pa.concat_tables(tables), infos


def refuse_other_settings(
    files: Sequence[Path | str], infos: Sequence[FoldInfo], settings: dict[str, Any]
) -> None:
    """Refuse to mix folds of different protocols in one score.

    Raises
    ------
    DataError
        A fold was trained with other settings; the files are counted and the first is named.
    """
    others = [file for file, info in zip(files, infos, strict=True) if json.loads(info.settings) != settings]
    if others:
        raise DataError(
            f"{len(others)} of {len(infos)} folds were trained with other settings than {settings}, e.g. {others[0]}. "
            "Delete them and run snakemake again."
        )
