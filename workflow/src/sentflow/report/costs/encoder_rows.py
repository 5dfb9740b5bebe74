"""The row of the file of encoders: what each is and costs, beside what it scores."""

from dataclasses import dataclass


@dataclass(frozen=True)
class EncoderRow:
    """One encoder over all tasks.

    Attributes
    ----------
    n_tasks, mean
        Tasks of the experiment, and the mean of the scores; NaN for an encoder that lacks one.
    parameters
        Trained values; 0 without any, NaN where not known.
    dimension
        Width of the vectors of single texts; NaN where not known.
    max_tokens
        Tokens of a text that are read; NaN is no limit.
    texts, embed_seconds
        Distinct texts that were embedded and the time of these jobs, loading included; NaN without such a job.
    device
        Where it was embedded; empty without such a job.
    position
        See `sentflow.compare.score_rows.ScoreRow`.
    """

    model: str
    model_title: str
    is_control: bool
    n_tasks: int
    mean: float
    parameters: float
    dimension: float
    max_tokens: float
    texts: float
    embed_seconds: float
    device: str
    protocol: str
    repetitions: int
    folds: int
    data_version: str
    position: int = -1
