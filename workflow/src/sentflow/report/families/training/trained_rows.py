"""The rows of the summary of trainings as jobs: what was trained from what, which snapshot was chosen, what it cost."""

import math
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class TrainedRow:
    """One training. Numbers that the machine does not tell are NaN.

    Attributes
    ----------
    model, model_title, group, is_control
        The encoder; its name without the seed; whether it is a negative control.
    recipe, seed
        How it was trained.
    start, data, rows, form
        From what, on what: rows of the data, and what each has.
    steps, tokens
        Made and read.
    rule, pairs, chosen, score
        How the snapshot was chosen, on which development set, after which step, and its score there.
    device, precision, threads
        Where and how it was computed.
    seconds, tokens_per_second, memory_mb, device_memory_mb
        See `sentflow.training.record.Made`.
    n_resumed
        How often it went on from a saved state.
    data_version
        Of the training data.
    """

    FILE: ClassVar[str] = "training-jobs"

    model: str
    model_title: str
    group: str
    is_control: bool
    recipe: str
    seed: int
    start: str
    data: str
    rows: int
    form: str
    steps: int
    tokens: int
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
    n_resumed: int
    data_version: str
    device_memory_mb: float = math.nan
