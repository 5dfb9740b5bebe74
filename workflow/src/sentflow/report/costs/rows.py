"""The rows of what the run cost: time and memory per rule, and what each encoder is and costs."""

from dataclasses import dataclass
from typing import ClassVar


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

    FILE: ClassVar[str] = "costs"

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
class EncoderRow:
    """One encoder over all tasks of a protocol.

    Attributes
    ----------
    n_tasks, mean
        Tasks of `protocol`, and the mean of the scores on them; NaN for an encoder that lacks one.
    protocol
        That of most tasks.
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
    score_notes
        Why scores of the protocol are lower than encoders allow; empty where none are.
    same_documents
        Names of `sentflow.report.captions.tasks_that_split_documents`, with spaces between.
    """

    FILE: ClassVar[str] = "encoders"

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
    score_notes: str = ""
    same_documents: str = ""
