"""What the jobs of a run cost, rule by rule, and what those of a larger experiment would."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sentflow.cli.run_log import LoggedJob
from sentflow.graph import paths
from sentflow.report.costs.summary import benchmark_files, read_records, rule_of

# Jobs whose work grows with the rows of their task or texts, and those that also read a vector of every row.
_BY_ROWS = (
    *("generate", "prepare", "collect", "audit", "embed", "embed_sparse", "featurise"),
    *("probe_lazy", "score", "hardest"),
)
_BY_VALUES = ("probe", "probe_featurised")
_STUDY = "_study"


@dataclass(frozen=True)
class RuleCosts:
    """The jobs of a rule.

    Attributes
    ----------
    cpu_seconds, seconds
        Sums over jobs; CPU of those jobs only that Snakemake could look at, seconds by the clock of the command itself.
    memory_mb, requested_mb
        The largest; None where no job was measured, or no log says what they requested.
    overhead_seconds
        Sum over jobs of what is not the command: waiting for a node, starting, and until Snakemake saw the end; None
        without a log.
    repeated
        Attempts that failed, of jobs that ended well after all.
    is_local
        They ran where Snakemake ran.
    per_encoder, per_task
        There is a job for each.
    """

    rule: str
    jobs: int
    cpu_seconds: float
    seconds: float
    memory_mb: float | None
    requested_mb: int | None
    overhead_seconds: float | None
    repeated: int
    is_local: bool
    per_encoder: bool
    per_task: bool

    def scaled(self, size: "Size") -> "RuleCosts":
        """The same rule in an experiment that is so many times larger."""
        n = (size.encoders if self.per_encoder else 1) * (size.tasks if self.per_task else 1)
        work = n * size.work_of_a_job(self.rule, per_task=self.per_task)
        return replace(
            self,
            jobs=math.ceil(self.jobs * n),
            cpu_seconds=self.cpu_seconds * work,
            seconds=self.seconds * work,
            overhead_seconds=None if self.overhead_seconds is None else self.overhead_seconds * n,
        )


@dataclass(frozen=True)
class Size:
    """How many times as large an experiment is: encoders, tasks, rows of a task, width of vectors."""

    encoders: float = 1
    tasks: float = 1
    rows: float = 1
    width: float = 1

    def work_of_a_job(self, rule: str, *, per_task: bool) -> float:
        """How many times as long a job takes; starting a job counts as work, so this is rather too much."""
        name = rule.removesuffix(_STUDY)
        if name in _BY_VALUES:
            return self.rows * self.width
        if name in _BY_ROWS:  # several tasks may share texts in one job; those of more tasks are more texts
            return self.rows * (1 if per_task else self.tasks)
        # every pair of encoders on every task; the others read a row per encoder and task at most
        return self.encoders**2 * self.tasks * self.rows if name == "compare" else 1.0


def rule_costs(
    folder: Path, logged: Mapping[str, LoggedJob], *, encoders: Sequence[str], tasks: Sequence[str]
) -> list[RuleCosts]:
    """Costs per rule, the longest first.

    Parameters
    ----------
    folder
        Of benchmark files.
    logged
        What the logs say, see `logged_jobs`.
    encoders, tasks
        Names in the paths of benchmark files, which say what a rule has a job for.

    Raises
    ------
    DataError
        There is no benchmark file, or one is damaged.
    """
    jobs: dict[str, list[_Job]] = {}
    for job in _jobs(folder, logged):
        jobs.setdefault(job.rule, []).append(job)
    overheads = _overheads([job for of_rule in jobs.values() for job in of_rule])
    costs = [
        _costs_of(rule, found, overheads.get(rule), set(encoders), set(tasks)) for rule, found in jobs.items()
    ]
    return sorted(costs, key=lambda each: (-each.seconds, each.rule))


@dataclass(frozen=True)
class _Job:
    rule: str
    parts: frozenset[str]
    seconds: float
    cpu_seconds: float
    memory_mb: float | None
    logged: LoggedJob | None


def _jobs(folder: Path, logged: Mapping[str, LoggedJob]) -> Iterator[_Job]:
    for file in benchmark_files([folder]):
        key = file.relative_to(folder)
        for record in read_records(file)[-1:]:  # none yet of a job that is just ending
            cpu, memory = (
                float(value) if isinstance(value := record.get(name), int | float) else None
                for name in ("cpu_time", "max_rss")
            )
            parts = frozenset(key.with_suffix("").parts[1:])
            name = f"{paths.BENCHMARKS}/{key.as_posix()}"
            yield _Job(rule_of(file), parts, float(record["s"]), cpu or 0.0, memory, logged.get(name))


def _overheads(jobs: Sequence[_Job]) -> dict[str, float]:
    """Rule → seconds in which its jobs were not at work; that of a group is shared by its jobs equally."""
    groups: dict[str, list[_Job]] = {}
    for number, job in enumerate(jobs):
        if job.logged is not None:
            groups.setdefault(job.logged.group or f"job {number}", []).append(job)
    found: dict[str, float] = {}
    for members in groups.values():
        spans = [job.logged for job in members if job.logged is not None]
        elapsed = max(span.ended or span.begun for span in spans) - min(span.begun for span in spans)
        share = (elapsed - math.fsum(job.seconds for job in members)) / len(members)
        for job in members:
            found[job.rule] = found.get(job.rule, 0.0) + share
    return found


def _costs_of(
    rule: str, jobs: Sequence[_Job], overhead: float | None, encoders: set[str], tasks: set[str]
) -> RuleCosts:
    logged = [job.logged for job in jobs if job.logged is not None]
    memory = [job.memory_mb for job in jobs if job.memory_mb is not None]
    requested = [each.memory_mb for each in logged if each.memory_mb is not None]
    return RuleCosts(
        rule=rule,
        jobs=len(jobs),
        cpu_seconds=math.fsum(job.cpu_seconds for job in jobs),
        seconds=math.fsum(job.seconds for job in jobs),
        memory_mb=max(memory, default=None),
        requested_mb=max(requested, default=None),
        # of the jobs that the logs name, for all
        overhead_seconds=None if overhead is None else max(0.0, overhead) * len(jobs) / len(logged),
        repeated=sum(each.attempts - 1 for each in logged),
        is_local=bool(logged) and all(each.is_local for each in logged),
        per_encoder=any(job.parts & encoders for job in jobs),
        per_task=any(job.parts & tasks for job in jobs),
    )
