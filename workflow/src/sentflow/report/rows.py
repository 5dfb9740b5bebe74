"""The rows of the summary files beside scores: one dataclass per file.

Every table and figure is made from one of these files alone, so a row carries what a caption needs.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from sentflow.compare.score_rows import ScoreRow

SAMPLE_DATA = "sample data"


@dataclass(frozen=True)
class CurveRow:
    """One epoch of one training curve, averaged over the folds that reached it.

    Attributes
    ----------
    quantity
        ``"loss_per_epoch_train"``, ``"loss_per_epoch_eval"`` or ``"metric_per_epoch_eval"``.
    epoch
        1-based.
    low, high
        Published interval (repeatability) at `level`.
    n_folds, n_folds_total
        Folds that reached the epoch, and folds that were trained.
    protocol, switches, not_comparable, position
        See `ScoreRow`.
    """

    task: str
    task_title: str
    family: str
    model: str
    model_title: str
    is_control: bool
    metric: str
    data_version: str
    quantity: str
    epoch: int
    mean: float
    low: float
    high: float
    level: float
    n_folds: int
    n_folds_total: int
    protocol: str = "published"
    switches: str = ""
    not_comparable: str = ""
    position: int = -1


@dataclass(frozen=True)
class CostRow:
    """What the jobs of one rule took.

    Attributes
    ----------
    wall_seconds, cpu_seconds
        Sums over the jobs; CPU seconds over the measured ones only.
    max_rss_mb
        Largest resident memory of one job in MiB; NaN when no job was measured.
    unmeasured_jobs
        Jobs that ended before Snakemake could look at their CPU time and memory.
    started, ended
        When the first job began and the last one ended, UTC, to the second; empty where not known.
    """

    rule: str
    jobs: int
    unmeasured_jobs: int
    wall_seconds: float
    cpu_seconds: float
    max_rss_mb: float
    data_version: str
    started: str = ""
    ended: str = ""


class DataRow(Protocol):
    """Whatever says what data it was made from."""

    @property
    def data_version(self) -> str:
        """What the texts are."""


# what every row that belongs to a task has in common
TaskRow = TypeVar("TaskRow", ScoreRow, CurveRow)


def unique(values: Iterable[str]) -> list[str]:
    """Distinct values in the order of their first appearance."""
    return list(dict.fromkeys(values))


def data_versions(rows: Iterable[DataRow]) -> list[str]:
    """Distinct data versions of the rows, in order of appearance; a row over several tasks joins theirs by ``; ``."""
    return unique(version for row in rows for version in row.data_version.split("; "))


def is_sample(version: str) -> bool:
    """Whether a data version says that the texts are made up, also as one of several versions."""
    return SAMPLE_DATA in version
