"""Snakemake's logs of runs → when each job was handed over and when its end was seen, and what it requested.

The log is the one place where Snakemake writes it for every executor: of jobs on a cluster, its metadata has no start.
"""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LOGS = ".snakemake/log"

_CLOCK = re.compile(r"^ *\[(\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})\](| Group job .*)$")
_RULE = re.compile(r"^ *(local)?(?:rule|checkpoint) \w+:$")
_FIELD = re.compile(r"^ *(jobid|benchmark|resources): (.+)$")
_MEMORY = re.compile(r"\bmem_mb=(\d+)")
_FINISHED = re.compile(r"^Finished jobid: (\d+) ")


@dataclass
class LoggedJob:
    """One job of a run, as its Snakemake saw it.

    Attributes
    ----------
    begun, ended
        Seconds, to the second: handed to the executor; its end was seen. Jobs of a group have those of the group.
    group
        Jobs that were submitted as one have the same, its place in the log; None otherwise.
    is_local
        It ran where Snakemake ran.
    attempts
        How often it was begun.
    memory_mb
        What its last attempt requested; None if nothing.
    """

    begun: float
    is_local: bool
    group: str | None = None
    ended: float | None = None
    attempts: int = 1
    memory_mb: int | None = None


def logged_jobs(folder: Path) -> dict[str, LoggedJob]:
    """Benchmark file (as the rule names it, e.g. ``results/benchmarks/score/…``) → its last run that ended.

    Parameters
    ----------
    folder
        The working folder of the runs; empty without `LOGS`.
    """
    found: dict[str, LoggedJob] = {}
    for file in sorted((folder / LOGS).glob("*.log")):
        found |= dict(_jobs_of(file))
    return found


def _jobs_of(file: Path) -> Iterator[tuple[str, LoggedJob]]:
    jobs: dict[str, LoggedJob] = {}
    benchmarks: dict[str, str] = {}
    now, is_local, group, number = 0.0, False, None, ""
    for place, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines()):
        if clock := _CLOCK.match(line):
            now = time.mktime(time.strptime(clock[1]))
            if not line.startswith(" "):  # the jobs of a group are indented below its line
                group = f"{file.name}:{place}" if clock[2] else None
        elif begin := _RULE.match(line):
            is_local, number = begin[1] is not None, ""
        elif said := _FIELD.match(line):
            key, value = said.groups()
            if key == "jobid" and not number:  # an error names the job again
                number = value
                before = jobs.get(number)
                jobs[number] = LoggedJob(now, is_local, group, attempts=before.attempts + 1 if before else 1)
            elif key == "benchmark":
                benchmarks[number] = value
            elif key == "resources" and number in jobs and (memory := _MEMORY.search(value)):
                jobs[number].memory_mb = int(memory[1])
        elif (finished := _FINISHED.match(line)) and finished[1] in jobs:
            jobs[finished[1]].ended = now
    return ((benchmarks[number], job) for number, job in jobs.items() if number in benchmarks and job.ended)
