"""The files of one task's scores → what is compared."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sentflow.errors import DataError
from sentflow.probing.predictions import out_of_fold, read_predictions
from sentflow.report.comparison import TaskScores, is_missing, refuse_other_rows
from sentflow.report.families.probing.rows import ScoreRow
from sentflow.report.fold_scores import fold_scores
from sentflow.stats.items import resampling_units
from sentflow.stats.seeds import derive_seed
from sentflow.texts.table import read_task


class ScoreFiles(NamedTuple):
    """What lies beside a score file."""

    table: Path
    predictions: Path

    @classmethod
    def beside(cls, scores: Path) -> "ScoreFiles":
        """Those of a score file."""
        return cls(scores.with_suffix(".parquet"), scores.with_suffix(".predictions.parquet"))


def task_scores(
    rows: Sequence[ScoreRow],
    files: Mapping[tuple[str, str], ScoreFiles],
    task_tables: Mapping[str, Path],
) -> TaskScores | None:
    """Everything of one task that can be compared; None if no encoder has a score.

    Parameters
    ----------
    rows
        The scores of the task, in the order of selection. Undefined ones are left out.
    files
        (task, model) → files.
    task_tables
        Task → its table.

    Raises
    ------
    DataError
        A file is missing or damaged, a score lacks folds, or encoders were tested on different texts.
    """
    folds = [fold_scores(files[row.task, row.model].table) for row in rows]
    for row, values in zip(rows, folds, strict=True):
        if len(values) != row.repetitions * row.folds:
            raise DataError(
                f"{row.task} × {row.model}: the score table has {len(values)} folds, not "
                f"{row.repetitions} × {row.folds}. Delete it and run snakemake again."
            )
    present = [(row, values) for row, values in zip(rows, folds, strict=True) if not is_missing(row, values)]
    if not present:
        return None
    rows = [row for row, _ in present]
    task = rows[0].task
    if task not in task_tables:
        raise DataError(f"there are scores of {task}, but --rows names no table {task}.parquet.")
    table = read_task(task_tables[task])
    predictions = [
        out_of_fold(
            read_predictions([files[task, row.model].predictions]),
            table.labels,
            where=f"{task} × {row.model}",
        )
        for row in rows
    ]
    refuse_other_rows(rows, predictions)
    return TaskScores(
        rows=rows,
        folds=np.stack([values for _, values in present], axis=1),
        predictions=predictions,
        units=resampling_units(table.labels, table.groups),
        # as in the score, so that its interval and those of differences come from the same resamples
        item_seed=derive_seed(rows[0].seed, "items", task),
    )
