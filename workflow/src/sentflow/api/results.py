"""What an evaluation gives back, the published dictionaries, which also print and plot; and what it writes."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sentflow.api.figures import drawn
from sentflow.compare.score_rows import ScoreRow
from sentflow.files.io import write_sealed
from sentflow.files.parquet import table_of, write_parquet
from sentflow.flow import paths
from sentflow.probing.cross_validation import CrossValidation
from sentflow.probing.fold import FoldResult, write_result
from sentflow.probing.settings import ProbeProtocol, ProbeSettings
from sentflow.report.families.probing.summary import QUANTITIES
from sentflow.report.numbers import decimal, interval, percent
from sentflow.stats.effective import Documents
from sentflow.stats.score import score

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

# Of the published aggregation; the level is that of the default experiment, for the interval on disk only
_LEVEL, _N_RESAMPLES = 0.95, 10_000
# The published order of rows: one quantity after the other, each fold by fold
_QUANTITIES = (*QUANTITIES, "loss_test", "metric_test")
_SHOWN = (
    *("task", "model", "metric", "mean", "std", "low", "high", "level", "protocol", "n_balanced_rows"),
    "remark",
)


class _Printed:
    """How scores print in a notebook."""

    def _rows(self) -> list[ScoreRow]:
        raise NotImplementedError

    def frame(self) -> "pd.DataFrame":
        """One row per task.

        Columns task, model, metric, mean and std over the folds, low, high and level of the generalisation interval,
        protocol, n_balanced_rows; remark says why a score is lower than the encoder allows, and is empty otherwise.
        """
        import pandas as pd

        from sentflow.report.families.probing.remarks import low_score_text

        records = []
        for row in self._rows():
            limits = {"low": row.generalisation_low, "high": row.generalisation_high}
            records.append(vars(row) | limits | {"remark": low_score_text([row])})
        return pd.DataFrame(records, columns=list(_SHOWN))

    def plot(self) -> "Figure":
        """The scores with both intervals, as the figure `forest` of the report."""
        from sentflow.report.families.probing.interval_figures import ForestRow

        return drawn("forest", [ForestRow(**vars(row)) for row in self._rows()])

    def __repr__(self) -> str:
        lines = []
        for row in self._rows():
            limits = "" if row.degenerate else f" {interval(*row.shown_generalisation)}"
            score = f"{row.metric} {decimal(row.mean)}{limits}"
            lines.append(f"{row.task}: {score}, {row.n_folds} folds, protocol {row.protocol}")
        return "\n".join([*lines, *self._note()])

    def _repr_html_(self) -> str:
        table: str = self.frame().to_html(index=False, float_format="{:.3f}".format)
        return "".join([table, *(f"<p>{note}</p>" for note in self._note())])

    def _note(self) -> list[str]:
        levels = [percent(row.level).replace("\u202f", " ") for row in self._rows()[:1]]
        return [f"[{level} interval for samples of as many texts; docs/statistics.md]" for level in levels]


class TaskScores(_Printed, dict[str, Any]):
    """The published values of one task, ``avg_metric_test`` and so on.

    Attributes
    ----------
    row
        The mean with its intervals and how it was made, as in the summary of the pipeline.
    """

    def __init__(self, values: Mapping[str, Any], row: ScoreRow) -> None:
        super().__init__(values)
        self.row = row

    def _rows(self) -> list[ScoreRow]:
        return [self.row]


class TasksScores(_Printed, dict[str, TaskScores]):
    """Task → its published values."""

    def _rows(self) -> list[ScoreRow]:
        return [one.row for one in self.values()]


def aggregate(
    folds: Sequence[FoldResult], protocol: ProbeProtocol, documents: Documents | None = None
) -> tuple[dict[str, Any], "pd.DataFrame", dict[str, Any]]:
    """Aggregate the folds of a task, in any order, as their protocol says; `documents` as for `score`.

    Returns
    -------
    dict
        The published keys ``avg_Q``, ``std_Q``, ``ci99_low_Q``, ``ci99_high_Q`` for every quantity Q: a float, or one
        float64 per epoch. Where the protocol says so (switches), curves end early, and the generalisation interval is
        beside them.
    DataFrame
        Columns kfold_repetition, kfold_partition, train_epoch (1-based; −1 for test), metric, value.
    dict
        The mean with both of its intervals, as in the pipeline's files.
    """
    ordered = sorted(folds, key=lambda fold: (fold.repetition, fold.fold))
    rows = CrossValidation(ordered).scores
    rank = {name: position for position, name in enumerate(_QUANTITIES)}
    rows = rows.sort_values("metric", key=lambda names: names.map(rank), kind="stable", ignore_index=True)
    numbers = score(
        rows,
        n_folds=protocol.folds,
        seed=protocol.seed,
        level=_LEVEL,
        n_resamples=_N_RESAMPLES,
        switches=protocol.switches,
        documents=documents,
    )
    # a curve ends at the last epoch that at least half of the folds reached
    lengths = sorted((len(fold.train_losses) for fold in folds), reverse=True)
    end = None if protocol.switches.curve_survivors else lengths[math.ceil(len(lengths) / 2) - 1]
    aggregated = {
        key: np.asarray(value[:end], dtype=np.float64) if isinstance(value, list) else value
        for key, value in numbers["published"].items()
    }
    if protocol.switches.interval == "generalisation":
        limits = numbers["intervals"]["generalisation"]
        aggregated |= {f"generalisation_{end}_metric_test": limits[end] for end in ("low", "high")}
    return aggregated, rows, numbers


class ResultFolder:
    """The files of one model, laid out as the pipeline's results folder."""

    def __init__(self, folder: Path, model: str, *, settings: ProbeSettings) -> None:
        self._folder, self._model, self._settings = folder, model, settings

    def write_fold(self, task: str, result: FoldResult) -> None:
        """The scores of a fold, and its out-of-fold predictions."""
        file = self._path(paths.FOLD, task=task, rep=result.repetition, fold=result.fold)
        write_result(file, result, self._settings)

    def write_score(self, task: str, record: Mapping[str, Any], rows: "pd.DataFrame") -> None:
        """The score with its intervals, and the unaggregated table."""
        columns: dict[str, np.ndarray | list[str | None]] = {"task": [task] * len(rows)}
        for name in rows.columns:
            columns[name] = rows[name].tolist() if name == "metric" else rows[name].to_numpy()
        write_parquet(self._path(paths.SCORE_TABLE, task=task), table_of(columns))
        write_sealed(self._path(paths.SCORES, task=task), dict(record))

    def _path(self, pattern: str, **wildcards: object) -> Path:
        inside = pattern.removeprefix(f"{paths.RESULTS}/")
        return self._folder / inside.format(study="", model=self._model, **wildcards)
