"""The rows of the figures of trainings, and those of the summary of histories; undefined numbers NaN."""

from dataclasses import dataclass
from typing import ClassVar

LOSS, HELD_OUT, SCORE = "loss", "held-out loss", "development score"


@dataclass(frozen=True)
class TrainingHistoryRow:
    """One step of one training."""

    FILE: ClassVar[str] = "training-history"

    # model, group, seed: the encoder, and the trainings that differ from it in their seed alone
    model: str
    group: str
    seed: int
    step: int  # from 1
    # loss, learning_rate, gradient_norm: of this step; the norm before it was clipped
    loss: float
    learning_rate: float
    gradient_norm: float
    tokens: int  # read in this step


@dataclass(frozen=True)
class TrainingHeldOutRow:
    """What a snapshot of one training reaches on the rows that were held out from it."""

    FILE: ClassVar[str] = "training-held-out"

    model: str
    group: str
    seed: int
    step: int  # from 0, before training
    chosen: bool  # whether the encoder is this snapshot
    measure: str
    value: float
    n: int
    data_version: str  # of the training data


@dataclass(frozen=True)
class CurvePoint:
    """The trainings of a group after a step."""

    FILE: ClassVar[str] = "training-curves"

    group: str
    position: int
    is_control: bool
    measure: str  # `LOSS`, then mean over the steps since the point before; `HELD_OUT`, or `SCORE`
    pairs: str  # the development set of a score, else empty
    step: int
    # mean, low, high: over seeds; the limits are the lowest and the highest seed
    mean: float
    low: float
    high: float
    n_seeds: int  # behind the point
    n_chosen: int  # seeds whose encoder is the snapshot after this step
    data_version: str


@dataclass(frozen=True)
class PathPoint:
    """Where one training stands in the plane of alignment and uniformity after a step; 0 is its start."""

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
    chosen: bool  # whether the encoder is this snapshot
    data_version: str


@dataclass(frozen=True)
class SeedPoint:
    """The score of one training on one test set, with what is known of all seeds."""

    FILE: ClassVar[str] = "training-seed-points"

    group: str
    position: int
    is_control: bool
    pairs: str
    seed: int
    value: float  # Spearman's correlation of this seed
    # mean, low, high, level: of the group, and its interval for new seeds on the same pairs; NaN with one seed
    mean: float
    low: float
    high: float
    level: float
    data_version: str


@dataclass(frozen=True)
class SweepPoint:
    """The development score of a cell of a sweep, ours or a published one."""

    FILE: ClassVar[str] = "training-sweeps"

    sweep: str
    section: str
    # start, data, method, max_tokens, learning_rate: its place; 0 tokens where the sweep does not say how many
    start: str
    data: str
    method: str
    max_tokens: int
    learning_rate: float
    value: float  # Spearman's correlation; ours is the mean over seeds
    n_seeds: int  # behind the value
    published: bool  # whether others printed it
    data_version: str
