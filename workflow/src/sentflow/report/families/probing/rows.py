"""The rows of the summary of training curves."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sentflow.compare.score_rows import ScoreRow, by_protocol
from sentflow.report.rows import Stored, unique


@dataclass(frozen=True)
class CurveRow(Stored, file="curves"):
    """One epoch of one training curve, averaged over the folds that reached it."""

    task: str
    task_title: str
    family: str
    model: str
    model_title: str
    is_control: bool
    metric: str
    data_version: str
    quantity: str  # ``"loss_per_epoch_train"``, ``"loss_per_epoch_eval"`` or ``"metric_per_epoch_eval"``
    epoch: int  # 1-based
    mean: float
    # low, high: published interval (repeatability) at `level`
    low: float
    high: float
    level: float
    # n_folds, n_folds_total: folds that reached the epoch, and folds that were trained
    n_folds: int
    n_folds_total: int
    protocol: str = "published"
    switches: str = ""
    not_comparable: str = ""
    position: int = -1


def of_main_protocol(rows: Sequence[ScoreRow]) -> list[ScoreRow]:
    """The rows of the protocol that most tasks have, the first of equals: what one mean per encoder can be over."""
    groups = by_protocol(rows).values()
    return max(groups, key=lambda own: len(unique(row.task for row in own)), default=[])


def average_score(rows: Sequence[ScoreRow], n_tasks: int) -> float:
    """Mean over tasks of one model; NaN unless all `n_tasks` tasks are there."""
    means = [row.mean for row in rows if not math.isnan(row.mean)]
    return math.fsum(means) / n_tasks if n_tasks and len(means) == n_tasks else math.nan
