"""What an evaluation gives back, and what it leaves on disk."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq

from sentflow import paths
from sentflow.arrow import table_of
from sentflow.data.table import TaskTable
from sentflow.io import atomic, write_json
from sentflow.probing.cross_validation import CrossValidation
from sentflow.probing.records import fold_records, prediction_records
from sentflow.probing.storage import FoldInfo, write_fold, write_predictions
from sentflow.probing.training import FoldResult
from sentflow.stats.score import StatisticsSettings, score

if TYPE_CHECKING:
    import pandas as pd

# Of the published aggregation; the level is that of the default experiment, for the interval on disk only
STATISTICS = StatisticsSettings(level=0.99, n_resamples=10_000)
# The published order of rows: one quantity after the other, each fold by fold
_QUANTITIES = (
    "loss_per_epoch_train",
    "loss_per_epoch_eval",
    "metric_per_epoch_eval",
    "loss_test",
    "metric_test",
)


@dataclass(frozen=True)
class TaskResult:
    """Everything that the evaluation of a task gave.

    Attributes
    ----------
    aggregated
        The published keys ``avg_Q``, ``std_Q``, ``ci99_low_Q``, ``ci99_high_Q`` for every quantity Q: a float, or one
        float64 per epoch.
    folds
        Columns kfold_repetition, kfold_partition, train_epoch (1-based; −1 for test), metric, value.
    score
        The mean with both of its intervals, as in the pipeline's files.
    """

    aggregated: dict[str, Any]
    folds: "pd.DataFrame"
    score: dict[str, Any]


def task_result(folds: Sequence[FoldResult], *, n_folds: int, seed: int) -> TaskResult:
    """Aggregate the folds of a task.

    Parameters
    ----------
    folds
        In any order.
    n_folds
        Folds of one repetition.
    seed
        Of the protocol; seeds the published bootstrap.
    """
    ordered = sorted(folds, key=lambda fold: (fold.repetition, fold.fold))
    rows = CrossValidation(ordered).scores
    rank = {name: position for position, name in enumerate(_QUANTITIES)}
    rows = rows.sort_values("metric", key=lambda names: names.map(rank), kind="stable", ignore_index=True)
    numbers = score(rows, n_folds=n_folds, seed=seed, settings=STATISTICS)
    aggregated = {
        key: np.asarray(value, dtype=np.float64) if isinstance(value, list) else value
        for key, value in numbers["published"].items()
    }
    return TaskResult(aggregated, rows, numbers)


class ResultFolder:
    """The files of one model, laid out as the pipeline's results folder.

    Parameters
    ----------
    folder
        Stands for ``results``.
    model
        Its name there.
    settings
        What the probes are trained with; goes into every file.
    """

    def __init__(self, folder: Path, model: str, settings: dict[str, Any]) -> None:
        self._folder = folder
        self._model = model
        self._settings = settings

    def write_fold(self, task: str, result: FoldResult) -> None:
        """The scores of a fold, and its out-of-fold predictions."""
        file = str(self._path(paths.FOLD, task=task, rep=result.repetition, fold=result.fold))
        info = FoldInfo(
            **result.setting._asdict(),
            n_train=result.n_train,
            n_evaluation=result.n_evaluation,
            n_test=len(result.test_rows),
            dimension=result.dimension,
            settings=json.dumps(self._settings, sort_keys=True),
        )
        write_predictions(paths.predictions_of(file), prediction_records(result))
        write_fold(file, fold_records(result), info)

    def write_score(self, table: TaskTable, folds: Sequence[FoldResult], result: TaskResult) -> None:
        """The score with its intervals, and the unaggregated table."""
        about = {
            **self._settings,
            "task": table.info.task,
            "model": self._model,
            "layout": table.info.layout,
            "data_version": table.info.data_version,
            "n_folds": len(folds),
            "n_rows": len(table),
            "n_balanced_rows": folds[0].n_train + folds[0].n_evaluation + len(folds[0].test_rows),
            "n_classes": len(table.info.classes),
            "dimension": max(fold.dimension for fold in folds),
        }
        rows = result.folds
        columns: dict[str, np.ndarray | list[str | None]] = {"task": [table.info.task] * len(rows)}
        for name in rows.columns:
            columns[name] = rows[name].tolist() if name == "metric" else rows[name].to_numpy()
        with atomic(self._path(paths.SCORE_TABLE, task=table.info.task)) as part:
            pq.write_table(table_of(columns), part)
        write_json(self._path(paths.SCORES, task=table.info.task), {**about, **result.score})

    def _path(self, pattern: str, **wildcards: object) -> Path:
        inside = pattern.removeprefix(f"{paths.RESULTS}/")
        return self._folder / inside.format(model=self._model, **wildcards)
