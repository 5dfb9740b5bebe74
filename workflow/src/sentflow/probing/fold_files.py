"""The file of one fold: its scores, its curves and its out-of-fold predictions."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from sentflow.errors import DataError
from sentflow.files.io import parse_json
from sentflow.files.parquet import numbers_of, read_parquet, readable, table_of, write_parquet
from sentflow.probing.fold import TEST_EPOCH, FoldResult, fold_records
from sentflow.probing.settings import ProbeSettings

PREDICTION = "prediction"
"""Metric of the rows of a fold file that are predictions, a row of the test part each."""
_METADATA_KEY = b"sentflow"
_SCORES = ("kfold_repetition", "kfold_partition", "train_epoch", "metric", "value")


@dataclass(frozen=True)
class FoldInfo:
    """What a fold file says about itself."""

    setting: Mapping[str, float | str]  # the chosen point of the grid, by names
    # n_train, n_evaluation, n_test: rows of the parts
    n_train: int
    n_evaluation: int
    n_test: int
    dimension: int  # width of the features
    settings: str  # the JSON settings the probe was trained with

    @classmethod
    def of(cls, result: FoldResult, settings: ProbeSettings) -> "FoldInfo":
        """The description of a fold that was trained with such settings."""
        return cls(
            setting=result.chosen,
            n_train=result.n_train,
            n_evaluation=result.n_evaluation,
            n_test=len(result.test_rows),
            dimension=result.dimension,
            settings=settings.as_json(),
        )


@dataclass(frozen=True)
class Folds:
    """What some fold files hold, one after the other."""

    scores: pa.Table  # the columns of `fold_records`
    predictions: pa.Table  # columns repetition, fold, row, truth, predicted, score, in the order of the rows
    infos: list[FoldInfo]  # per file


def write_result(file: Path | str, result: FoldResult, settings: ProbeSettings) -> None:
    """Write a fold: the rows of `fold_records`, then its predictions; `settings` as in `FoldInfo.of`."""
    order = np.argsort(result.test_rows)
    predictions = table_of(
        {
            "kfold_repetition": np.full(len(order), result.repetition),
            "kfold_partition": np.full(len(order), result.fold),
            "train_epoch": np.full(len(order), TEST_EPOCH),
            "metric": [PREDICTION] * len(order),
            "value": result.scores[order].astype(np.float64),
            "row": result.test_rows[order],
            "truth": result.truth[order],
            "predicted": result.predicted[order],
        }
    )
    rows = pa.concat_tables([table_of(fold_records(result)), predictions], promote_options="default")
    about = json.dumps(asdict(FoldInfo.of(result, settings)), sort_keys=True).encode()
    write_parquet(file, rows.replace_schema_metadata({_METADATA_KEY: about}))


def read_folds(files: Sequence[Path | str]) -> Folds:
    """Read fold files. Raises DataError: a file is missing, damaged, or that of another fold; it is named."""
    scores, predictions, infos = [], [], []
    for file in files:
        with readable(file, "fold file"):
            table = read_parquet(file)
            info = FoldInfo(**parse_json(table.schema.metadata[_METADATA_KEY]))
            place = len(table) - info.n_test
            predictions.append(_predictions(table.slice(place)))
        infos.append(info)
        scores.append(table.select(_SCORES).slice(0, place).replace_schema_metadata(None))
    return Folds(pa.concat_tables(scores), pa.concat_tables(predictions), infos)


def _predictions(rows: pa.Table) -> pa.Table:
    return table_of(
        {
            "repetition": numbers_of(rows.column("kfold_repetition")),
            "fold": numbers_of(rows.column("kfold_partition")),
            "row": numbers_of(rows.column("row")),
            "truth": numbers_of(rows.column("truth")),
            "predicted": numbers_of(rows.column("predicted")),
            "score": numbers_of(rows.column("value")).astype(np.float32),
        }
    )


def refuse_other_settings(
    files: Sequence[Path | str], infos: Sequence[FoldInfo], settings: ProbeSettings
) -> None:
    """Refuse to mix folds of different protocols in one score.

    Raises DataError: a fold was trained with other settings; the files are counted and the first is named.
    """
    wanted = settings.as_json()
    others = [file for file, info in zip(files, infos, strict=True) if info.settings != wanted]
    if others:
        raise DataError(
            f"{len(others)} of {len(infos)} folds were trained with other settings than {wanted}, e.g. {others[0]}. "
            "Delete them and run snakemake again."
        )
