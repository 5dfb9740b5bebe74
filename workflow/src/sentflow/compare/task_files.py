"""The files of one task's scores → what is compared."""

import logging
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sentflow.compare.score_rows import ScoreRow
from sentflow.compare.scores import in_order, score_row
from sentflow.compare.settings import ComparedTasks, ComparisonSettings
from sentflow.compare.tasks import FoldScores
from sentflow.errors import DataError
from sentflow.files.parquet import read_parquet, readable
from sentflow.files.sealed import read_sealed
from sentflow.probing.storage.predictions import out_of_fold, read_predictions
from sentflow.stats.items import OutOfFold, resampling_units
from sentflow.stats.seeds import derive_seed
from sentflow.texts.table import read_task

logger = logging.getLogger(__name__)


class ScoreFiles(NamedTuple):
    """The files next to a score file."""

    table: Path
    predictions: Path

    @classmethod
    def beside(cls, scores: Path) -> "ScoreFiles":
        """The files that belong to a score file."""
        return cls(scores.with_suffix(".parquet"), scores.with_suffix(".predictions.parquet"))


def scores_of_tasks(
    files: Sequence[Path], task_tables: Sequence[Path], settings: ComparedTasks
) -> tuple[list[ScoreRow], list[FoldScores]]:
    """Every score, and of each task that has any what can be compared; in the order of selection."""
    tasks, models = list(settings.tasks), list(settings.models)
    rows = [score_row(read_sealed(file), settings) for file in files]
    beside = {(row.task, row.model): ScoreFiles.beside(file) for row, file in zip(rows, files, strict=True)}
    rows = sorted(in_order(rows), key=lambda row: (tasks.index(row.task), models.index(row.model)))
    tables = {table.stem: table for table in task_tables}
    found = []
    for task in tasks:
        scores = task_scores([row for row in rows if row.task == task], beside, tables, settings.statistics)
        if scores is not None:
            found.append(scores)
            logger.info("%s: %d encoders", task, scores.n_systems)
    return rows, found


def task_scores(
    rows: Sequence[ScoreRow],
    files: Mapping[tuple[str, str], ScoreFiles],
    task_tables: Mapping[str, Path],
    settings: ComparisonSettings,
) -> FoldScores | None:
    """Everything of one task that can be compared; None if no encoder has a score."""
    folds = [fold_scores(files[row.task, row.model].table) for row in rows]
    for row, values in zip(rows, folds, strict=True):
        if len(values) != row.repetitions * row.folds:
            raise DataError(
                f"{row.task} × {row.model}: the score table has {len(values)} folds, not "
                f"{row.repetitions} × {row.folds}. Delete it and run snakemake again."
            )
    present = [(row, values) for row, values in zip(rows, folds, strict=True) if not _is_missing(row, values)]
    if not present:
        return None
    rows = [row for row, _ in present]
    task = rows[0].task
    if task not in task_tables:
        raise DataError(f"there are scores of {task}, but --rows has no table {task}.parquet.")
    table = read_task(task_tables[task])
    predictions = [
        out_of_fold(
            read_predictions([files[task, row.model].predictions]),
            table.labels,
            where=f"{task} × {row.model}",
        )
        for row in rows
    ]
    _refuse_other_rows(rows, predictions)
    return FoldScores(
        rows=rows,
        folds=np.stack([values for _, values in present], axis=1),
        predictions=predictions,
        units=resampling_units(table.labels, table.groups),
        # as in the score, so that its interval and those of differences come from the same resamples
        item_seed=derive_seed(rows[0].seed, "items", task),
        settings=settings,
    )


def _is_missing(row: ScoreRow, folds: np.ndarray) -> bool:
    """Whether a score is undefined, so that its encoder is compared with none on this task."""
    return math.isnan(row.mean) or not np.isfinite(folds).all()


def _refuse_other_rows(rows: Sequence[ScoreRow], predictions: Sequence[OutOfFold]) -> None:
    """Refuse to pair the folds of encoders that were tested on other texts."""
    names = ("repetition", "fold", "row", "truth")
    for row, one in zip(rows[1:], predictions[1:], strict=True):
        if any(not np.array_equal(getattr(one, name), getattr(predictions[0], name)) for name in names):
            raise DataError(
                f"{row.task}: {row.model} was tested on other texts or folds than {rows[0].model}, so they "
                "cannot be compared. Delete the folds of both and run snakemake again."
            )


_COLUMNS = ["kfold_repetition", "kfold_partition", "metric", "value"]


def fold_scores(path: Path | str) -> np.ndarray:
    """(J,) float64 in the order of repetitions and folds."""
    with readable(path, "score table"):
        table = read_parquet(path, _COLUMNS)
    columns = {name: table[name].to_numpy(zero_copy_only=False) for name in _COLUMNS}
    tested = columns["metric"] == "metric_test"
    order = np.lexsort((columns["kfold_partition"][tested], columns["kfold_repetition"][tested]))
    values: np.ndarray = columns["value"][tested].astype(np.float64)[order]
    return values
