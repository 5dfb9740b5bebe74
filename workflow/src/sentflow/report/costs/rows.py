"""The rows of what the run cost: time and memory per rule, and what each encoder is and costs."""

from dataclasses import dataclass

from sentflow.report.rows import Stored


@dataclass(frozen=True)
class CostRow(Stored, file="costs"):
    """What the jobs of one rule took."""

    rule: str
    jobs: int
    unmeasured_jobs: int  # jobs that ended before Snakemake could look at their CPU time and memory
    # wall_seconds, cpu_seconds: sums over the jobs; CPU seconds over the measured ones only
    wall_seconds: float
    cpu_seconds: float
    max_rss_mb: float  # largest resident memory of one job in MiB; NaN when no job was measured
    data_version: str
    # started, ended: when the first job began and the last one ended, UTC, to the second; empty where not known
    started: str = ""
    ended: str = ""


@dataclass(frozen=True)
class EncoderRow(Stored, file="encoders"):
    """One encoder over all tasks of a protocol."""

    model: str
    model_title: str
    is_control: bool
    # n_tasks, mean: tasks of `protocol`, and the mean of the scores on them; NaN for an encoder that lacks one
    n_tasks: int
    mean: float
    parameters: float  # trained values; 0 without any, NaN where not known
    dimension: float  # width of the vectors of single texts; NaN where not known
    max_tokens: float  # tokens of a text that are read; NaN is no limit
    # texts, embed_seconds: distinct texts that were embedded and the time of these jobs, loading included; NaN without
    # such a job
    texts: float
    embed_seconds: float
    device: str  # where it was embedded; empty without such a job
    protocol: str  # that of most tasks
    repetitions: int
    folds: int
    data_version: str
    position: int = -1
    vectors: str = ""  # digest of all its vectors; empty without any
