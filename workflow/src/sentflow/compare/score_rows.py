"""The rows of scores: one encoder on one task, by one protocol or by two. Each carries what a caption needs."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import ClassVar, TypeVar

Row = TypeVar("Row")  # any that says by which protocol it was made


@dataclass(frozen=True)
class ScoreRow:
    """One encoder on one task. Undefined numbers are NaN (null in the file)."""

    FILE: ClassVar[str] = "scores"

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
    n_train: int  # rows of the smallest training part
    batch_rows: int  # rows of a training step
    n_contradicting: int  # rows whose text, or pair of texts, stands in the task with another label too
    dimension: int
    n_folds: int
    # mean, std: of the `n_folds` test scores; the sample standard deviation
    mean: float
    std: float
    # repeatability_low, repeatability_high: published bootstrap of the fold scores, at `repeatability_level`
    repeatability_low: float
    repeatability_high: float
    repeatability_level: float
    # generalisation_low, generalisation_high: Nadeau-Bengio interval at `level`; its limits may lie outside the range
    # of the metric. For new documents where the folds keep documents together, and NaN where these are too few.
    generalisation_low: float
    generalisation_high: float
    level: float
    degenerate: bool  # all folds gave the same score, so that no interval means anything
    is_control: bool
    mean_clipped: float
    switches: str = ""  # in words, the switches of the protocol that are not as published; empty for none
    # not_comparable: in words, the settings of training that are not as published; empty if the score may be compared
    not_comparable: str = ""
    clips: bool = True  # whether fold scores are cut at 0; `mean_clipped` is the mean that they would have
    # own_interval: ``"repeatability"`` or ``"generalisation"``: what the protocol calls its interval
    own_interval: str = "repeatability"
    groups_folds: bool = False  # whether documents were kept together; false for a task whose rows name none
    ends_curves: bool = False  # whether training curves end where fewer than half of the folds are left
    # item_mean, item_low, item_high: score of all out-of-fold predictions of a repetition together, never cut at 0,
    # mean over repetitions; and its bootstrap over texts, at `level`. It is another number than `mean`.
    item_mean: float = math.nan
    item_low: float = math.nan
    item_high: float = math.nan
    item_grouped: bool = False  # whether documents were resampled instead of texts
    # warmup_floor: whether the warm-up of the learning rate may round down to no step (a switch of the protocol)
    warmup_floor: bool = True
    # position: of the encoder among the encoders of the selection that are no controls, or among the controls; -1
    # where not known. Figures choose its colour and marker by it.
    position: int = -1
    # n_documents, effective_documents: how many were kept together, and how many of equal size say as much; 0 where
    # none were
    n_documents: int = 0
    effective_documents: float = 0.0
    is_fitted: bool = False  # whether the encoder is fitted inside each fold
    # splits_alternatives: whether such an encoder gets each alternative of a question by itself, as others do (a
    # switch of the protocol)
    splits_alternatives: bool = False
    documents_with_rarest_class: int = 0  # in how many of them the class that the fewest hold occurs
    # effective_rows: how many independent rows those of the task are worth at least, because rows share texts; 0 where
    # not known
    effective_rows: float = 0.0

    @property
    def documents(self) -> float:
        """Effective documents that the folds keep together; infinite where these are made of rows."""
        return self.effective_documents if self.n_documents else math.inf

    @property
    def is_untested(self) -> bool:
        """Whether documents were to be kept together and cannot be assigned to the folds, so that there is no score."""
        return self.n_documents > 0 and self.n_balanced_rows == 0

    @property
    def has_too_few_documents(self) -> bool:
        """Whether documents were to be kept together and nothing can be said of new ones."""
        without_limits = math.isnan(self.generalisation_low) and not math.isnan(self.mean)
        return self.is_untested or (self.n_documents > 0 and without_limits)

    @property
    def shown_generalisation(self) -> tuple[float, float]:
        return shown_limits(self, self.generalisation_low, self.generalisation_high)

    @property
    def shown_repeatability(self) -> tuple[float, float]:
        return shown_limits(self, self.repeatability_low, self.repeatability_high)

    @property
    def shown_items(self) -> tuple[float, float]:
        """See `shown_limits`; this statistic is never cut at 0."""
        return shown_limits(self, self.item_low, self.item_high, clips=False)


@dataclass(frozen=True)
class DocumentScore(ScoreRow):
    """One encoder on one task whose documents the folds keep together, so that the score is one on new documents."""

    FILE: ClassVar[str] = "document-scores"


@dataclass(frozen=True)
class EffectRow:
    """One encoder on one task under another protocol, beside the protocol of the scores (the baseline)."""

    FILE: ClassVar[str] = "effects"

    # protocol, protocol_title, baseline: the other protocol, and the name of the baseline
    protocol: str
    protocol_title: str
    baseline: str
    # switches, not_comparable: of the other protocol, see `ScoreRow`
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
    # baseline_classifier, classifier: probe under either
    baseline_classifier: str
    classifier: str
    baseline_mean: float
    mean: float
    # difference: `mean` − `baseline_mean`; its limits are those of the paired fold differences (Nadeau-Bengio, at
    # `level`), NaN where the folds of the two do not hold the same rows (`paired` is false)
    difference: float
    difference_low: float
    difference_high: float
    level: float
    paired: bool
    # baseline_rank, rank: of the encoder on the task, 1 for the highest score; equal scores share the mean rank
    baseline_rank: float
    rank: float
    # baseline_width, width: of the interval that each protocol calls its own; NaN where there is none
    baseline_width: float
    width: float


def shown_limits(row: ScoreRow, low: float, high: float, *, clips: bool | None = None) -> tuple[float, float]:
    """Limits of an interval as they are printed and drawn: cut to the range of its statistic."""
    if math.isnan(low) or math.isnan(high):
        return low, high
    is_cut = row.clips if clips is None else clips
    least = 0.0 if is_cut else -1.0 if row.metric == "mcc" else -1 / (row.n_classes - 1)
    return min(max(low, least), 1.0), max(min(high, 1.0), least)


def by_protocol(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Protocol → its rows in their order; protocols in the order of their first row."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(attrgetter("protocol")(row), []).append(row)
    return groups
