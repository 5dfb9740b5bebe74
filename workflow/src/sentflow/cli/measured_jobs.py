"""Snakemake's benchmark files → the largest memory and time of each rule, and what to ask for."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentflow.errors import DataError
from sentflow.graph import paths
from sentflow.report.costs.summary import benchmark_files, read_records, rule_of

# In a job of SLURM, beside what the benchmark file measures: two Snakemakes of 150 MB each (docs/hpc.md).
SNAKEMAKES_MB = 300
# Less than this is not worth the queue's trouble, and a busy file system takes minutes for nothing.
_LEAST_MB, _LEAST_MINUTES = 500, 5
# Up to a value, requests are multiples of a step; above the last of them, of the last step.
_STEPS_MB = ((2_000, 100), (10_000, 500), (math.inf, 1_000))
_STEPS_MINUTES = ((60, 5), (240, 15), (math.inf, 60))


@dataclass(frozen=True)
class Largest:
    """The largest value, and the job it was measured in: its wildcards, e.g. ``minilm-l6/sample-tasks``."""

    value: float
    job: str


@dataclass(frozen=True)
class MeasuredRule:
    """The jobs of a rule.

    Attributes
    ----------
    n_jobs
        Jobs that ended; of a job that was killed there is no record.
    memory_mb
        Resident memory in MB; None if every job ended before Snakemake's first look at it.
    seconds, mean_seconds
        By the clock: of the longest job, and the mean.
    """

    n_jobs: int
    memory_mb: Largest | None
    seconds: Largest
    mean_seconds: float


def benchmark_folder(path: Path) -> Path:
    """The folder of benchmark files in a results folder, or in the folder that holds one.

    Raises
    ------
    DataError
        There is none.
    """
    name = Path(paths.BENCHMARKS).name
    # First of the results in it: the folder of the workflow has one of its own called benchmarks, of programs.
    for folder in (path / paths.RESULTS / name, path / name):
        if folder.is_dir():
            return folder
    if path.name == name and path.is_dir():
        return path
    raise DataError(
        f"{path} holds no folder {name}, so nothing was measured there. Write the results folder of a run; "
        "every job of snakemake leaves a file there when it has ended."
    )


def measured_rules(folder: Path) -> dict[str, MeasuredRule]:
    """Rule → its measured jobs, rules in alphabetical order.

    Parameters
    ----------
    folder
        See `benchmark_folder`.

    Raises
    ------
    DataError
        There is no benchmark file, or one that is damaged; names it.
    """
    jobs: dict[str, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
    for file in benchmark_files([folder]):
        job = "/".join(file.relative_to(folder).parts[1:]).removesuffix(file.suffix)
        # a repeated benchmark has a line per repetition; the file of a job that is just ending has none
        jobs[rule_of(file)] += [(job, record) for record in read_records(file)]
    measured = {rule: _measured_rule(records) for rule, records in sorted(jobs.items()) if records}
    if not measured:
        raise DataError(f"all benchmark files in {folder} are empty. Run the experiment first.")
    return measured


def requested_mb(measured: float, *, margin: float) -> int:
    """Memory to ask for, in MB: with a margin and the two Snakemakes of a job, rounded up."""
    return max(_LEAST_MB, _rounded_up(measured * margin + SNAKEMAKES_MB, _STEPS_MB))


def requested_minutes(measured_seconds: float, *, margin: float) -> int:
    """Time to ask for, in minutes: with a margin, rounded up."""
    return max(_LEAST_MINUTES, _rounded_up(measured_seconds * margin / 60, _STEPS_MINUTES))


def _measured_rule(records: Sequence[tuple[str, dict[str, Any]]]) -> MeasuredRule:
    memory = [(job, record.get("max_rss")) for job, record in records]
    return MeasuredRule(
        n_jobs=len({job for job, _ in records}),
        # Snakemake writes "NA" for a job that ended before its first look
        memory_mb=_largest(
            (job, float(value))
            for job, value in memory
            if isinstance(value, int | float) and math.isfinite(value)
        ),
        seconds=_largest((job, float(record["s"])) for job, record in records) or Largest(0.0, ""),
        mean_seconds=math.fsum(float(record["s"]) for _, record in records) / len(records),
    )


def _largest(values: Iterable[tuple[str, float]]) -> Largest | None:
    """The first of the largest."""
    job, value = max(values, key=lambda pair: pair[1], default=("", None))
    return None if value is None else Largest(value, job)


def _rounded_up(value: float, steps: Sequence[tuple[float, int]]) -> int:
    step = next(step for limit, step in steps if value <= limit)
    return math.ceil(value / step) * step
