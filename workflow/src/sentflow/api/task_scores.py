"""What `UlyssesSentEval` gives back: the published dictionaries, which also print, plot and become data frames."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from sentflow.api.plots import drawn
from sentflow.compare.score_rows import ScoreRow
from sentflow.report.numbers import decimal, interval, percent

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_SHOWN = (
    "task",
    "model",
    "metric",
    "mean",
    "std",
    "low",
    "high",
    "level",
    "protocol",
    "n_balanced_rows",
    "remark",
)


class TaskScores(dict[str, Any]):
    """The published values of one task, ``avg_metric_test`` and so on.

    Attributes
    ----------
    row
        The mean with its intervals and how it was made, as in the summary of the pipeline.
    """

    def __init__(self, values: Mapping[str, Any], row: ScoreRow) -> None:
        super().__init__(values)
        self.row = row

    def frame(self) -> "pd.DataFrame":
        """One row; see `TasksScores.frame`."""
        return _frame([self.row])

    def plot(self) -> "Figure":
        """The score with both intervals, as the figure `forest` of the report."""
        return _forest([self.row])

    def __repr__(self) -> str:
        return "\n".join([_line(self.row), _interval_note(self.row)])

    def _repr_html_(self) -> str:
        return _html([self.row])


class TasksScores(dict[str, TaskScores]):
    """Task → its published values."""

    def frame(self) -> "pd.DataFrame":
        """One row per task.

        Columns task, model, metric, mean and std over the folds, low, high and level of the generalisation interval,
        protocol, n_balanced_rows; remark says why a score is lower than the encoder allows, and is empty otherwise.
        """
        return _frame(one.row for one in self.values())

    def plot(self) -> "Figure":
        """The scores with both intervals, as the figure `forest` of the report."""
        return _forest(one.row for one in self.values())

    def __repr__(self) -> str:
        lines = [_line(one.row) for one in self.values()]
        return "\n".join([*lines, *(_interval_note(one.row) for one in list(self.values())[:1])])

    def _repr_html_(self) -> str:
        return _html([one.row for one in self.values()])


def _frame(rows: Iterable[ScoreRow]) -> "pd.DataFrame":
    import pandas as pd

    from sentflow.report.families.probing.remarks import low_score_text

    records = [
        {
            **vars(row),
            "low": row.generalisation_low,
            "high": row.generalisation_high,
            "remark": low_score_text([row]),
        }
        for row in rows
    ]
    return pd.DataFrame(records, columns=list(_SHOWN))


def _line(row: ScoreRow) -> str:
    limits = "" if row.degenerate else f" {interval(*row.shown_generalisation)}"
    return (
        f"{row.task}: {row.metric} {decimal(row.mean)}{limits}, {row.n_folds} folds, protocol {row.protocol}"
    )


def _interval_note(row: ScoreRow) -> str:
    return f"[{percent(row.level)} interval for samples of as many texts; docs/statistics.md]".replace(
        "\u202f", " "
    )


def _html(rows: list[ScoreRow]) -> str:
    table: str = _frame(rows).to_html(index=False, float_format="{:.3f}".format)
    return "".join([table, *(f"<p>{_interval_note(row)}</p>" for row in rows[:1])])


def _forest(rows: Iterable[ScoreRow]) -> "Figure":
    from sentflow.report.families.probing.forest import ForestRow

    return drawn("forest", [ForestRow(**vars(row)) for row in rows])
