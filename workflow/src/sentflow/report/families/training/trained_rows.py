"""The rows of the summary of trainings as jobs: what was trained from what, which snapshot was chosen, what it cost."""

import math
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class TrainedRow:
    """One training. Numbers that the machine does not tell are NaN."""

    FILE: ClassVar[str] = "training-jobs"

    # model, model_title, group, is_control: the encoder; its name without the seed; whether it is a negative control
    model: str
    model_title: str
    group: str
    is_control: bool
    # recipe, seed: how it was trained
    recipe: str
    seed: int
    # start, data, rows, form: from what, on what: rows of the data, and what each has
    start: str
    data: str
    rows: int
    form: str
    # steps, tokens: made and read
    steps: int
    tokens: int
    # rule, pairs, chosen, score: how the snapshot was chosen, on which development set, after which step, and its
    # score there
    rule: str
    pairs: str
    chosen: int
    score: float
    # device, precision, threads: where and how it was computed
    device: str
    precision: str
    threads: int
    seconds: float
    tokens_per_second: float
    memory_mb: float
    n_resumed: int  # how often it went on from a saved state
    data_version: str  # of the training data
    device_memory_mb: float = math.nan
