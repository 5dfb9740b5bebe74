"""The rows of the summaries of trainings and of their figures; undefined numbers are NaN.

`group` is the name of an encoder without its seed: of all trainings that differ in their seed alone. `position` is the
place of a group among the groups, or among the negative controls (`is_control`), in figures.
"""

import math
from dataclasses import dataclass

from sentflow.report.rows import Stored

DEVELOPMENT, TEST = "development", "test"
# The measures that tables read; a summary may hold others
SPEARMAN, UNIFORMITY, ALIGNMENT = "spearman", "uniformity", "alignment"
LOSS, HELD_OUT, SCORE = "loss", "held-out loss", "development score"


@dataclass(frozen=True)
class TrainingRow(Stored, file="training"):
    """One number of one snapshot of a training."""

    model: str
    model_title: str
    group: str
    recipe: str
    start: str
    data: str
    learning_rate: float
    seed: int
    is_control: bool
    step: int
    selected: bool  # whether the encoder is this snapshot
    # pairs, column: pair set, and what published tables call it: its group, or its name where it has none
    pairs: str
    column: str
    split: str  # `DEVELOPMENT` where the snapshot was chosen on the set, else `TEST`
    measure: str  # say `SPEARMAN`
    value: float  # a correlation lies in [-1, 1]
    data_version: str  # of the pair set


@dataclass(frozen=True)
class TrainedRow(Stored, file="training-jobs"):
    """One training: what was trained from what, which snapshot was chosen, what it cost."""

    model: str
    model_title: str
    group: str
    is_control: bool
    recipe: str
    seed: int
    # start, data, rows, form: from what, on what: rows of the data, and what each has
    start: str
    data: str
    rows: int
    form: str
    steps: int
    tokens: int
    # rule, pairs, chosen, score: how the snapshot was chosen, on which development set, after which step, its score
    rule: str
    pairs: str
    chosen: int
    score: float
    device: str
    precision: str
    threads: int
    seconds: float
    tokens_per_second: float
    memory_mb: float
    n_resumed: int  # how often it went on from a saved state
    data_version: str  # of the training data
    device_memory_mb: float = math.nan


@dataclass(frozen=True)
class TrainingHistoryRow(Stored, file="training-history"):
    """One step of one training, from 1; the norm of the gradient is that before it was clipped."""

    model: str
    group: str
    seed: int
    step: int
    loss: float
    learning_rate: float
    gradient_norm: float
    tokens: int  # read in this step


@dataclass(frozen=True)
class TrainingHeldOutRow(Stored, file="training-held-out"):
    """What a snapshot of one training reaches on the rows that were held out from it; step 0 is before training."""

    model: str
    group: str
    seed: int
    step: int
    chosen: bool  # whether the encoder is this snapshot
    measure: str
    value: float
    n: int
    data_version: str  # of the training data


@dataclass(frozen=True)
class CurvePoint(Stored, file="training-curves"):
    """The trainings of a group after a step."""

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
class PathPoint(Stored, file="training-path"):
    """Where one training stands in the plane of alignment and uniformity after a step; 0 is its start."""

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
class SeedPoint(Stored, file="training-seed-points"):
    """Spearman's correlation of one training on one test set, with what is known of all seeds."""

    group: str
    position: int
    is_control: bool
    pairs: str
    seed: int
    value: float
    # mean, low, high: of the group, and its interval for new seeds on the same pairs; NaN with one seed
    mean: float
    low: float
    high: float
    level: float
    data_version: str


@dataclass(frozen=True)
class SweepPoint(Stored, file="training-sweeps"):
    """Spearman's correlation on the development set of a cell of a sweep, ours (mean over seeds) or a published one."""

    sweep: str
    section: str
    start: str
    data: str
    method: str
    max_tokens: int  # 0 where the sweep does not say how many
    learning_rate: float
    value: float
    n_seeds: int  # behind the value
    published: bool  # whether others printed it
    data_version: str
