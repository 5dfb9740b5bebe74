"""The rows of the figures of trainings, and those of the summary of histories; undefined numbers NaN."""

from dataclasses import dataclass
from typing import ClassVar

LOSS, HELD_OUT, SCORE = "loss", "held-out loss", "development score"


@dataclass(frozen=True)
class TrainingHistoryRow:
    """One step of one training.

    Attributes
    ----------
    model, group, seed
        The encoder, and the trainings that differ from it in their seed alone.
    step
        From 1.
    loss, learning_rate, gradient_norm
        Of this step; the norm before it was clipped.
    tokens
        Read in this step.
    """

    FILE: ClassVar[str] = "training-history"

    model: str
    group: str
    seed: int
    step: int
    loss: float
    learning_rate: float
    gradient_norm: float
    tokens: int


@dataclass(frozen=True)
class TrainingHeldOutRow:
    """What a snapshot of one training reaches on the rows that were held out from it.

    Attributes
    ----------
    model, group, seed
        See `TrainingHistoryRow`.
    step
        From 0, before training.
    chosen
        Whether the encoder is this snapshot.
    measure, value, n
        See `sentflow.training.record.HeldOutRow`.
    data_version
        Of the training data.
    """

    FILE: ClassVar[str] = "training-held-out"

    model: str
    group: str
    seed: int
    step: int
    chosen: bool
    measure: str
    value: float
    n: int
    data_version: str


@dataclass(frozen=True)
class CurvePoint:
    """The trainings of a group after a step.

    Attributes
    ----------
    group, position, is_control
        See `TrainingHistoryRow`; its place in the order; and whether it is a negative control.
    measure
        `LOSS`, then mean over the steps since the point before; `HELD_OUT`, or `SCORE`.
    pairs
        The development set of a score, else empty.
    mean, low, high
        Over seeds; the limits are the lowest and the highest seed.
    n_seeds
        Behind the point.
    n_chosen
        Seeds whose encoder is the snapshot after this step.
    """

    FILE: ClassVar[str] = "training-curves"

    group: str
    position: int
    is_control: bool
    measure: str
    pairs: str
    step: int
    mean: float
    low: float
    high: float
    n_seeds: int
    n_chosen: int
    data_version: str


@dataclass(frozen=True)
class PathPoint:
    """Where one training stands in the plane of alignment and uniformity after a step; 0 is its start.

    Attributes
    ----------
    chosen
        Whether the encoder is this snapshot.
    """

    FILE: ClassVar[str] = "training-path"

    group: str
    position: int
    is_control: bool
    start: str
    pairs: str
    seed: int
    step: int
    alignment: float
    uniformity: float
    chosen: bool
    data_version: str


@dataclass(frozen=True)
class SeedPoint:
    """The score of one training on one test set, with what is known of all seeds.

    Attributes
    ----------
    value
        Spearman's correlation of this seed.
    mean, low, high, level
        Of the group, and its interval for new seeds on the same pairs; NaN with one seed.
    """

    FILE: ClassVar[str] = "training-seed-points"

    group: str
    position: int
    is_control: bool
    pairs: str
    seed: int
    value: float
    mean: float
    low: float
    high: float
    level: float
    data_version: str


@dataclass(frozen=True)
class SweepPoint:
    """The development score of a cell of a sweep, ours or a published one.

    Attributes
    ----------
    start, data, method, max_tokens, learning_rate
        Its place; 0 tokens where the sweep does not say how many.
    value
        Spearman's correlation; ours is the mean over seeds.
    n_seeds
        Behind the value.
    published
        Whether others printed it.
    """

    FILE: ClassVar[str] = "training-sweeps"

    sweep: str
    section: str
    start: str
    data: str
    method: str
    max_tokens: int
    learning_rate: float
    value: float
    n_seeds: int
    published: bool
    data_version: str
