"""`sentflow costs`: what a run cost, rule by rule, on one machine or on a cluster, and what a larger one would."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sentflow.cli.measured_costs import RuleCosts, Size, rule_costs
from sentflow.cli.measured_jobs import benchmark_folder
from sentflow.cli.run_log import LOGS, logged_jobs
from sentflow.cli.terminal import Listing, show_blocks
from sentflow.errors import ConfigError, DataError
from sentflow.report.numbers import duration

_HOUR = 3600
_HEADER = (
    *("Rule", "Jobs", "CPU h", "Clock h", "Overhead s/job", "Peak MB", "Requested MB"),
    *("|", "Jobs", "CPU h", "Clock h", "Overhead h"),
)
_LAWS = (
    "Scaled: jobs of a rule that has one per encoder or per task, by their numbers. Work of a job: `probe` by rows × "
    "width; `embed`, `probe_lazy`, `score` and what prepares texts by rows, and by tasks where a job has texts of "
    "several; `compare` by pairs of encoders × tasks × rows; others as measured. More encoders cost what the measured "
    "ones cost on average; pair sets stay as many.",
    "Overhead is what is not the command: the wait for a node, the starts before it, and the time until Snakemake saw "
    "the end. Snakemake's log has whole seconds, so means over few jobs are rough.",
)


@dataclass(frozen=True)
class Dimensions:
    """How large an experiment is; rows of a task and width of vectors are means."""

    encoders: int
    tasks: int
    rows: float
    width: float

    def __str__(self) -> str:
        shape = f", {self.rows:,.0f} rows per task × {self.width:,.0f}" if self.width else ""
        return f"{self.encoders} encoders × {self.tasks} tasks{shape}"


def costs(
    path: Path, *, encoders: int, tasks: int, rows: int | None, width: int | None, at_a_time: int
) -> None:
    """Print a table of costs per rule, as measured and scaled.

    Parameters
    ----------
    path
        A results folder, or the folder that holds one; the run may be unfinished.
    encoders, tasks, rows, width
        Of the experiment to scale to; rows of a task and width of vectors are as measured where None.
    at_a_time
        Jobs that run side by side there.

    Raises
    ------
    ConfigError
        A number is below 1.
    DataError
        There are no benchmark files, or one is damaged, or there is no encoder to scale from.
    """
    given = {"encoders": encoders, "tasks": tasks, "rows": rows, "width": width, "at-a-time": at_a_time}
    if wrong := [f"--{name} {value}" for name, value in given.items() if value is not None and value < 1]:
        raise ConfigError(f"{', '.join(wrong)}: write a whole number above 0.")
    folder = benchmark_folder(path)
    results = folder.parent
    models = sorted(file.parent.name for file in results.glob("models/*/manifest.json"))
    # Of a data set, more tasks are prepared than are probed.
    probed = sorted(file.name for file in results.glob("probes/*"))
    if not models:
        raise DataError(f"{results} holds no encoder yet, so there is nothing to scale from.")
    here = Dimensions(
        len(models),
        len(probed),
        _mean(_rows(results / f"data/tasks/{task}.parquet") for task in probed),
        _mean(_widths(results)),
    )
    there = Dimensions(encoders, tasks, rows or here.rows, width or here.width)
    logged = logged_jobs(results.resolve().parent)
    found = rule_costs(folder, logged, encoders=models, tasks=probed)
    show_blocks([costs_listing(found, here, there, at_a_time=at_a_time)])


def costs_listing(
    found: Sequence[RuleCosts], here: Dimensions, there: Dimensions, *, at_a_time: int
) -> Listing:
    """The table: a line per rule and one for all, as measured in `here` and scaled to `there`."""
    size = Size(
        there.encoders / here.encoders,
        there.tasks / here.tasks if here.tasks else 1.0,
        there.rows / here.rows if here.rows else 1.0,
        there.width / here.width if here.width else 1.0,
    )
    scaled = [each.scaled(size) for each in found]
    lines = [_line(now, then) for now, then in zip(found, scaled, strict=True)]
    work = math.fsum(each.seconds + (each.overhead_seconds or 0) for each in scaled)
    notes = [
        f"Right of |: {there}. Measured: {here}.",
        f"{at_a_time} jobs at a time need at least {duration(work / at_a_time)} there.",
        *_LAWS,
    ]
    if any(each.overhead_seconds is None for each in found):
        notes.append(
            f"Rules without overhead and request: no log in {LOGS} beside the results has their jobs."
        )
    if repeated := sum(each.repeated for each in found):
        notes.append(f"{repeated} attempts failed and were repeated; they are in the overhead only.")
    return Listing(
        _HEADER,
        [*lines, ("all", *_sums(found)[:4], "", "", "|", *_sums(scaled)[:3], _hours(_overhead(scaled)))],
        alignment="l" + "r" * (len(_HEADER) - 1),
        notes=tuple(notes),
    )


def _line(now: RuleCosts, then: RuleCosts) -> tuple[str, ...]:
    return (
        f"{now.rule} (local)" if now.is_local else now.rule,
        *_sums([now]),
        "" if now.memory_mb is None else f"{now.memory_mb:,.0f}",
        "" if now.requested_mb is None else f"{now.requested_mb:,}",
        "|",
        *_sums([then])[:3],
        _hours(then.overhead_seconds),
    )


def _sums(rules: Sequence[RuleCosts]) -> tuple[str, ...]:
    jobs, overhead = sum(each.jobs for each in rules), _overhead(rules)
    return (
        f"{jobs:,}",
        _hours(math.fsum(each.cpu_seconds for each in rules)),
        _hours(math.fsum(each.seconds for each in rules)),
        "" if overhead is None else f"{overhead / jobs:.1f}",
    )


def _overhead(rules: Sequence[RuleCosts]) -> float | None:
    known = [each.overhead_seconds for each in rules if each.overhead_seconds is not None]
    return math.fsum(known) if known else None


def _hours(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds / _HOUR:,.3f}"


def _rows(table: Path) -> float:
    import pyarrow.parquet as pq

    return float(pq.ParquetFile(table).metadata.num_rows)


def _widths(results: Path) -> Iterator[float]:
    import numpy as np

    for file in sorted(results.glob("embeddings/**/*.npy")):
        yield float(np.load(file, mmap_mode="r", allow_pickle=False).shape[1])


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return math.fsum(known) / len(known) if known else 0.0
