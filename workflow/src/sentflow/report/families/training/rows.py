"""The rows of the summary of trainings. `sentflow.files.rows` writes and reads the file; undefined numbers are NaN."""

from dataclasses import dataclass
from typing import ClassVar

DEVELOPMENT, TEST = "development", "test"
# The measures that tables read; a summary may hold others
SPEARMAN, UNIFORMITY, ALIGNMENT = "spearman", "uniformity", "alignment"


@dataclass(frozen=True)
class TrainingRow:
    """One number of one snapshot of a training.

    Attributes
    ----------
    model, model_title
        The encoder that the training ends in.
    group
        Its name without the seed; of all trainings that differ in their seed alone.
    recipe, start, data, learning_rate, seed
        How it was trained.
    is_control
        Whether it is a negative control, e.g. with shuffled positives.
    step
        After how many steps.
    selected
        Whether the encoder is this snapshot.
    pairs, column
        Pair set, and what published tables call it: the group of the pair set, or its name where it has none.
    split
        `DEVELOPMENT` where the snapshot was chosen on the set, else `TEST`.
    measure, value
        E.g. `SPEARMAN` in [-1, 1]; NaN where undefined.
    data_version
        Of the pair set.
    """

    FILE: ClassVar[str] = "training"

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
    selected: bool
    pairs: str
    column: str
    split: str
    measure: str
    value: float
    data_version: str
