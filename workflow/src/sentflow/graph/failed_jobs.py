"""Why a job was killed, where its request was too small, and what its next attempt requests: said in Snakemake's log.

Snakemake says "Trying to restart job 6", the cluster's reason lies in a file that it names, and of a process that the
kernel killed there is none. It also repeats what would fail again: a job that says by itself why it failed (exit code
2, see `sentflow.jobs.log`) has made its own tries where tries help, as downloads do.
"""

import logging
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from pathlib import Path
from typing import Any

_VMSTAT = Path("/proc/vmstat")
_TAIL_BYTES = 64 * 1024
# What SLURM, with cgroups and without, and Kubernetes say in their states and in the logs of jobs; and Python itself.
_MEMORY_WORDS = (
    *("OUT_OF_MEMORY", "exceeded memory limit", "oom_kill", "oom-kill", "OOMKilled"),
    *("not enough memory", "MemoryError"),
)
_TIME_WORDS = ("'TIMEOUT'", "DUE TO TIME LIMIT", "DeadlineExceeded")
# A job of ours that fails by itself says so.
_OWN_WORDS = ("error:", "Traceback")


class Reason(Enum):
    """Why a job was ended by others."""

    MEMORY = "it needed more memory than the {memory} MB it requested"
    TIME = "it took longer than the {minutes} minutes it requested"
    MACHINE = "this machine ran out of memory"


def told_to(snakemake_logger: logging.Logger, workflow: Any) -> None:
    """Explain in Snakemake's log every job that fails for memory or time, and repeat none that explains itself.

    Parameters
    ----------
    workflow
        Of the Snakefile, from `onstart` on.
    """
    snakemake_logger.addHandler(_Listener(snakemake_logger, workflow))


def reason_of(said: str, *, is_local: bool, machine_was_short: bool) -> Reason | None:
    """Why a job failed; None for any other failure than memory or time.

    Parameters
    ----------
    said
        What the executor says of the job, and the ends of its logs.
    is_local
        It ran where Snakemake runs, where no request is a limit.
    machine_was_short
        The kernel has killed a process for memory since the last failure.
    """
    if is_local:
        killed = machine_was_short and not any(word in said for word in _OWN_WORDS)
        return Reason.MACHINE if killed or any(word in said for word in _MEMORY_WORDS) else None
    if any(word in said for word in _MEMORY_WORDS):
        return Reason.MEMORY
    return Reason.TIME if any(word in said for word in _TIME_WORDS) else None


def explanation(job: Any, reason: Reason) -> str:
    """One paragraph: which job, why, and what happens or what to do now."""
    name = "/".join([job.rule.name, *job.wildcards_dict.values()])
    now, attempts = job.resources, job.restart_times + 1
    why = reason.value.format(memory=now.get("mem_mb"), minutes=now.get("runtime"))
    if job.attempt >= attempts:
        then = f"That was attempt {job.attempt} of {attempts}. {_remedy(job, reason)}"
    elif reason is Reason.MACHINE:
        then = f"It is repeated. {_remedy(job, reason)}"
    else:
        after = _requested(job, job.attempt + 1)
        then = (
            f"It is repeated: attempt {job.attempt + 1} of {attempts} requests {after.get('mem_mb')} MB "
            f"and {after.get('runtime')} minutes."
        )
    return f"Killed: {name}: {why}. {then}"


def is_explained(log: str) -> bool:
    """Whether the log of a job says why it failed, in words for its user."""
    return any(line.startswith(_OWN_WORDS[0]) for line in log.splitlines())


def _requested(job: Any, attempt: int) -> Any:
    """The resources of an attempt. In a thread: Snakemake does not look at sizes of files where it awaits others."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(job.rule.expand_resources, job.wildcards_dict, job.input, attempt).result()


def _remedy(job: Any, reason: Reason) -> str:
    now = job.resources
    if reason is Reason.MACHINE:
        return (
            "Run fewer jobs at a time: --cores 1, or --resources mem_mb=N with the memory that jobs may fill "
            f"together, in MB (this one requests {now.get('mem_mb')})."
        )
    key, value = ("mem_mb", now.get("mem_mb")) if reason is Reason.MEMORY else ("runtime", now.get("runtime"))
    return (
        f"Request more in the profile, under set-resources: {job.rule.name}: {{ {key}: {value} * attempt }}."
    )


class _Listener(logging.Handler):
    def __init__(self, log: logging.Logger, workflow: Any) -> None:
        super().__init__()
        self._log, self._workflow, self._kills = log, workflow, _memory_kills()

    def emit(self, record: logging.LogRecord) -> None:
        if str(getattr(record, "event", "")) != "job_error":
            return
        number = getattr(record, "jobid", None)
        job = next((job for job in self._workflow.dag.jobs if self._workflow.dag.jobid(job) == number), None)
        if job is None:
            return
        kills = _memory_kills()
        logs = list(map(end_of, logs_of(record)))
        said = "\n".join([str(getattr(record, "rule_msg", "")), *logs])
        is_local = self._workflow.local_exec or job.is_local
        if reason := reason_of(said, is_local=is_local, machine_was_short=kills > self._kills):
            self._kills = kills
            self._log.error(explanation(job, reason))
        # On a cluster a log may be that of an attempt before, where the last one never began
        elif is_local and job.attempt <= job.restart_times and any(map(is_explained, logs)):
            job.attempt = job.restart_times + 1
            self._log.error("It is not repeated: its message says what to do.")


def _memory_kills() -> int:
    """Processes that the kernel has killed for memory since it started; 0 where it does not say."""
    try:
        lines = _VMSTAT.read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), 0)


def logs_of(record: logging.LogRecord) -> list[Path]:
    """The log files that a record of a failed job names and that are there; Snakemake adds remarks to some names."""
    named = [Path(str(name).partition(" (")[0]) for name in getattr(record, "log", None) or []]
    return [path for path in named if path.is_file()]


def end_of(log: Path) -> str:
    """The end of a log file, as much as says why its job failed."""
    with log.open("rb") as stream:
        stream.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        return stream.read().decode("utf-8", errors="replace")
