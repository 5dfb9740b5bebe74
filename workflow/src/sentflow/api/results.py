"""What an evaluation gives back, and what it leaves on disk."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sentflow.files.arrow import table_of
from sentflow.files.parquet import write_parquet
from sentflow.files.sealed import write_sealed
from sentflow.flow import paths
from sentflow.probing.cross_validation import CrossValidation
from sentflow.probing.fold import FoldResult
from sentflow.probing.fold_files import FoldInfo, write_result
from sentflow.probing.scores import about_score
from sentflow.probing.settings import AboutProtocol, ProbeProtocol, ProbeSettings
from sentflow.stats.effective import Documents
from sentflow.stats.score import StatisticsSettings, score
from sentflow.texts.table import TaskTable

if TYPE_CHECKING:
    import pandas as pd

# Of the published aggregation; the level is that of the default experiment, for the interval on disk only
STATISTICS = StatisticsSettings(level=0.95, n_resamples=10_000)
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
        float64 per epoch. Where the protocol says so (switches), curves end early, and the generalisation interval is
        beside them.
    folds
        Columns kfold_repetition, kfold_partition, train_epoch (1-based; −1 for test), metric, value.
    score
        The mean with both of its intervals, as in the pipeline's files.
    """

    aggregated: dict[str, Any]
    folds: "pd.DataFrame"
    score: dict[str, Any]


def task_result(
    folds: Sequence[FoldResult], protocol: ProbeProtocol, documents: Documents | None = None
) -> TaskResult:
    """Aggregate the folds of a task, in any order, as their protocol says; `documents` as for `score`."""
    ordered = sorted(folds, key=lambda fold: (fold.repetition, fold.fold))
    rows = CrossValidation(ordered).scores
    rank = {name: position for position, name in enumerate(_QUANTITIES)}
    rows = rows.sort_values("metric", key=lambda names: names.map(rank), kind="stable", ignore_index=True)
    settings = replace(STATISTICS, switches=protocol.switches)
    numbers = score(rows, n_folds=protocol.folds, seed=protocol.seed, settings=settings, documents=documents)
    aggregated = {
        key: np.asarray(value, dtype=np.float64) if isinstance(value, list) else value
        for key, value in numbers["published"].items()
    }
    if not protocol.switches.curve_survivors:
        end = _last_epoch_of_most(ordered)
        aggregated = {
            key: value[:end] if isinstance(value, np.ndarray) else value for key, value in aggregated.items()
        }
    if protocol.switches.interval == "generalisation":
        interval = numbers["intervals"]["generalisation"]
        aggregated |= {f"generalisation_{limit}_metric_test": interval[limit] for limit in ("low", "high")}
    return TaskResult(aggregated, rows, numbers)


def _last_epoch_of_most(folds: Sequence[FoldResult]) -> int:
    """The last epoch that at least half of the folds reached."""
    lengths = sorted((len(fold.train_losses) for fold in folds), reverse=True)
    return lengths[math.ceil(len(lengths) / 2) - 1]


def score_record(
    table: TaskTable,
    folds: Sequence[FoldResult],
    result: TaskResult,
    *,
    model: str,
    settings: ProbeSettings,
    protocol: AboutProtocol,
) -> dict[str, Any]:
    """What a score file of the pipeline says."""
    infos = [FoldInfo.of(fold, settings) for fold in folds]
    about = about_score(table, infos, model=model, probe=settings, protocol=protocol)
    return {**about, **result.score}


class ResultFolder:
    """The files of one model, laid out as the pipeline's results folder."""

    def __init__(self, folder: Path, model: str, *, settings: ProbeSettings) -> None:
        self._folder, self._model, self._settings = folder, model, settings

    def write_fold(self, task: str, result: FoldResult) -> None:
        """The scores of a fold, and its out-of-fold predictions."""
        file = self._path(paths.FOLD, task=task, rep=result.repetition, fold=result.fold)
        write_result(file, result, self._settings)

    def write_score(self, table: TaskTable, record: Mapping[str, Any], rows: "pd.DataFrame") -> None:
        """The score with its intervals (`score_record`), and the unaggregated table."""
        columns: dict[str, np.ndarray | list[str | None]] = {"task": [table.info.task] * len(rows)}
        for name in rows.columns:
            columns[name] = rows[name].tolist() if name == "metric" else rows[name].to_numpy()
        write_parquet(self._path(paths.SCORE_TABLE, task=table.info.task), table_of(columns))
        write_sealed(self._path(paths.SCORES, task=table.info.task), dict(record))

    def _path(self, pattern: str, **wildcards: object) -> Path:
        inside = pattern.removeprefix(f"{paths.RESULTS}/")
        return self._folder / inside.format(study="", model=self._model, **wildcards)
