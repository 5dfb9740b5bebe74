"""The rows of the summary files: one dataclass per file, and how they are stored as Parquet.

Every table and figure is made from one of these files alone, so a row carries what a caption needs.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, Protocol, TypeVar, get_type_hints

import numpy as np
import pyarrow as pa

from sentflow.errors import DataError
from sentflow.files.arrow import table_of
from sentflow.files.parquet import read_parquet, write_parquet

SAMPLE_DATA = "sample data"


@dataclass(frozen=True)
class ScoreRow:
    """One encoder on one task. Undefined numbers are NaN (null in the file).

    Attributes
    ----------
    n_train
        Rows of the smallest training part.
    batch_rows
        Rows of a training step.
    n_contradicting
        Rows whose text, or pair of texts, stands in the task with another label too.
    mean, std
        Of the `n_folds` test scores; the sample standard deviation.
    repeatability_low, repeatability_high
        Published bootstrap of the fold scores, at `repeatability_level`.
    generalisation_low, generalisation_high
        Nadeau-Bengio interval at `level`; its limits may lie outside the range of the metric.
    degenerate
        All folds gave the same score, so that no interval means anything.
    switches
        In words, the switches of the protocol that are not as published; empty for none.
    not_comparable
        In words, the settings of training that are not as published; empty if the score may be compared.
    clips
        Whether fold scores are cut at 0; `mean_clipped` is the mean that they would have.
    own_interval
        ``"repeatability"`` or ``"generalisation"``: what the protocol calls its interval.
    groups_folds
        Whether documents were kept together; false for a task whose rows name none.
    ends_curves
        Whether training curves end where fewer than half of the folds are left.
    item_mean, item_low, item_high
        Score of all out-of-fold predictions of a repetition together, never cut at 0, mean over repetitions; and its
        bootstrap over texts, at `level`. It is another number than `mean`.
    item_grouped
        Whether documents were resampled instead of texts.
    warmup_floor
        Whether the warm-up of the learning rate may round down to no step (a switch of the protocol).
    position
        Of the encoder among the encoders of the selection that are no controls, or among the controls; -1 where not
        known. Figures choose its colour and marker by it.
    """

    task: str
    task_title: str
    family: str
    model: str
    model_title: str
    metric: str
    classifier: str
    layout: str
    data_version: str
    protocol: str
    repetitions: int
    folds: int
    seed: int
    n_rows: int
    n_balanced_rows: int
    n_classes: int
    n_train: int
    batch_rows: int
    n_contradicting: int
    dimension: int
    n_folds: int
    mean: float
    std: float
    repeatability_low: float
    repeatability_high: float
    repeatability_level: float
    generalisation_low: float
    generalisation_high: float
    level: float
    degenerate: bool
    is_control: bool
    mean_clipped: float
    switches: str = ""
    not_comparable: str = ""
    clips: bool = True
    own_interval: str = "repeatability"
    groups_folds: bool = False
    ends_curves: bool = False
    item_mean: float = math.nan
    item_low: float = math.nan
    item_high: float = math.nan
    item_grouped: bool = False
    warmup_floor: bool = True
    position: int = -1

    @property
    def shown_generalisation(self) -> tuple[float, float]:
        """See `shown_limits`."""
        return shown_limits(self, self.generalisation_low, self.generalisation_high)

    @property
    def shown_repeatability(self) -> tuple[float, float]:
        """See `shown_limits`."""
        return shown_limits(self, self.repeatability_low, self.repeatability_high)

    @property
    def shown_items(self) -> tuple[float, float]:
        """See `shown_limits`; this statistic is never cut at 0."""
        return shown_limits(self, self.item_low, self.item_high, clips=False)


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


@dataclass(frozen=True)
class EffectRow:
    """One encoder on one task under another protocol, beside the protocol of the scores (the baseline).

    Attributes
    ----------
    protocol, protocol_title, baseline
        The other protocol, and the name of the baseline.
    switches, not_comparable
        Of the other protocol, see `ScoreRow`.
    baseline_classifier, classifier
        Probe under either.
    difference
        `mean` − `baseline_mean`; its limits are those of the paired fold differences (Nadeau-Bengio, at `level`),
        NaN where the folds of the two do not hold the same rows (`paired` is false).
    baseline_rank, rank
        Of the encoder on the task, 1 for the highest score; equal scores share the mean rank.
    baseline_width, width
        Of the interval that each protocol calls its own; NaN where there is none.
    groups_folds
        Whether the other protocol keeps the rows of a document together and the baseline does not.
    """

    protocol: str
    protocol_title: str
    baseline: str
    switches: str
    not_comparable: str
    task: str
    task_title: str
    family: str
    model: str
    model_title: str
    is_control: bool
    data_version: str
    metric: str
    baseline_classifier: str
    classifier: str
    baseline_mean: float
    mean: float
    difference: float
    difference_low: float
    difference_high: float
    level: float
    paired: bool
    baseline_rank: float
    rank: float
    baseline_width: float
    width: float
    groups_folds: bool = False


Row = TypeVar("Row")  # any frozen dataclass of strings, numbers and booleans


class DataRow(Protocol):
    """Whatever says what data it was made from."""

    @property
    def data_version(self) -> str:
        """What the texts are."""


# what every row that belongs to a task has in common
TaskRow = TypeVar("TaskRow", ScoreRow, CurveRow)

_DTYPES = {int: np.int64, float: np.float64, bool: np.bool_}


def write_rows(path: Path | str, kind: type[Row], rows: Sequence[Row]) -> None:
    """Write rows as Parquet, one column per attribute; NaN becomes null."""
    types = get_type_hints(kind)
    columns: dict[str, np.ndarray | list[str]] = {}
    for name in _names(kind):
        values = [getattr(row, name) for row in rows]
        columns[name] = values if types[name] is str else np.array(values, _DTYPES[types[name]])
    write_parquet(path, table_of(columns, nan_is_null=True))


def read_rows(path: Path | str, kind: type[Row], *, may_be_empty: bool = False) -> list[Row]:
    """Read what `write_rows` wrote; further columns are ignored, null numbers become NaN, null texts empty.

    Raises
    ------
    DataError
        The file is not Parquet, lacks columns, or has no rows though it must not be empty.
    """
    try:
        table = read_parquet(path)
    except (OSError, pa.ArrowException) as error:
        raise DataError(
            f"{path} is not a readable Parquet file ({error}). Delete it and run again."
        ) from error
    types = get_type_hints(kind)
    names = _names(kind)
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    # an earlier version had no column of a name with a default
    names = [name for name in names if name in table.column_names or known[name].default is MISSING]
    missing = [name for name in names if name not in table.column_names]
    if missing:
        raise DataError(
            f"{path} lacks the columns {', '.join(missing)}, which {kind.__name__} needs. "
            "Give the file that summarise, summarise_costs, compare or compare_protocol wrote; in the results "
            "folder, delete it and run again."
        )
    if table.num_rows == 0 and not may_be_empty:
        raise DataError(f"{path} has no rows. Select at least one task and one model in the config.")
    columns = table.select(names)
    return [
        kind(**{name: _restored(value, types[name]) for name, value in row.items()})
        for row in columns.to_pylist()
    ]


class RowsByName:
    """Rows of files that are told apart by their names; of a file that was not given there are none.

    Parameters
    ----------
    files
        Parquet files.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        self._by_stem = {file.stem: file for file in files}

    def __call__(self, stem: str, kind: type[Row]) -> list[Row]:
        """The rows of the file of a name, see `read_rows`."""
        return read_rows(self._by_stem[stem], kind, may_be_empty=True) if stem in self._by_stem else []


def shown_limits(row: ScoreRow, low: float, high: float, *, clips: bool | None = None) -> tuple[float, float]:
    """Limits of an interval as they are printed and drawn: cut to the range of its statistic.

    Parameters
    ----------
    clips
        Whether the statistic is cut at 0; None for that of the row's scores.
    """
    if math.isnan(low) or math.isnan(high):
        return low, high
    is_cut = row.clips if clips is None else clips
    least = 0.0 if is_cut else -1.0 if row.metric == "mcc" else -1 / (row.n_classes - 1)
    return min(max(low, least), 1.0), max(min(high, 1.0), least)


def unique(values: Iterable[str]) -> list[str]:
    """Distinct values in the order of their first appearance."""
    return list(dict.fromkeys(values))


def data_versions(rows: Iterable[DataRow]) -> list[str]:
    """Distinct data versions of the rows, in order of appearance; a row over several tasks joins theirs by ``; ``."""
    return unique(version for row in rows for version in row.data_version.split("; "))


def is_sample(version: str) -> bool:
    """Whether a data version says that the texts are made up, also as one of several versions."""
    return SAMPLE_DATA in version


def _names(kind: type) -> list[str]:
    return [field.name for field in fields(kind)]


def _restored(value: Any, kind: type) -> Any:
    if value is not None:
        return value
    return math.nan if kind is float else "" if kind is str else None
