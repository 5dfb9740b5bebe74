"""The rows of the summary of trainings. `sentflow.files.rows` writes and reads the file; undefined numbers are NaN."""

from dataclasses import dataclass
from typing import ClassVar

DEVELOPMENT, TEST = "development", "test"
# The measures that tables read; a summary may hold others
SPEARMAN, UNIFORMITY, ALIGNMENT = "spearman", "uniformity", "alignment"


@dataclass(frozen=True)
class TrainingRow:
    """One number of one snapshot of a training."""

    FILE: ClassVar[str] = "training"

    # model, model_title: the encoder that the training ends in
    model: str
    model_title: str
    group: str  # its name without the seed; of all trainings that differ in their seed alone
    # recipe, start, data, learning_rate, seed: how it was trained
    recipe: str
    start: str
    data: str
    learning_rate: float
    seed: int
    is_control: bool  # whether it is a negative control, e.g. with shuffled positives
    step: int  # after how many steps
    selected: bool  # whether the encoder is this snapshot
    # pairs, column: pair set, and what published tables call it: the group of the pair set, or its name where it has
    # none
    pairs: str
    column: str
    split: str  # `DEVELOPMENT` where the snapshot was chosen on the set, else `TEST`
    # measure, value: say `SPEARMAN` in [-1, 1]; NaN where undefined
    measure: str
    value: float
    data_version: str  # of the pair set
