"""The jobs of a run as they come: what each is about, how long it took, which failed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sentflow.console.time_left import Estimator
from sentflow.console.words import job_words
from sentflow.graph.failed_jobs import logs_of


@dataclass(frozen=True)
class JobInWords:
    """A job that was begun.

    Attributes
    ----------
    words
        What it is about.
    begun
        Seconds, by a clock that never goes back.
    """

    words: str
    begun: float


class Run:
    """What Snakemake says of its jobs, kept.

    Attributes
    ----------
    done, total
        Jobs, targets among them.
    running, failed
        Jobs by Snakemake's number; of those that failed and are not repeated, what they are and where their logs are.

    Parameters
    ----------
    clock
        Seconds; never goes back.
    former
        Rule → mean seconds of its jobs in former runs, see `Estimator`.
    """

    def __init__(self, clock: Callable[[], float], former: Callable[[str], float | None]) -> None:
        self._clock, self._former = clock, former
        self._begun = clock()
        self.running: dict[int, JobInWords] = {}
        self.failed: dict[int, str] = {}
        self.done, self.total = 0, 0
        self._estimator = Estimator({}, former)

    def plan(self, jobs: Mapping[str, int]) -> None:
        """How many jobs each rule has; ``total`` is one of the keys."""
        self.total = jobs.get("total", 0)
        self._estimator = Estimator({rule: n for rule, n in jobs.items() if rule != "total"}, self._former)

    def begin(self, record: Any) -> str:
        """A job begins; what it is about."""
        words = job_words(record.rule_name, record.wildcards)
        self.failed.pop(record.jobid, None)
        self.running[record.jobid] = JobInWords(words, self._clock())
        self._estimator.begin(record.jobid, record.rule_name, self._clock())
        return words

    def end(self, number: int) -> tuple[str, float] | None:
        """A job is done; what it was about and its seconds, if its beginning was seen."""
        job, seconds = self.running.pop(number, None), self._estimator.end(number, self._clock())
        return None if job is None or seconds is None else (job.words, seconds)

    def fail(self, record: Any) -> str:
        """A job failed; what it was about."""
        job = self.running.pop(record.jobid, None)
        self._estimator.drop(record.jobid)
        words = job.words if job else record.rule_name.replace("_", " ")
        self.failed[record.jobid] = ", ".join([words, *map(str, logs_of(record))])
        return words

    def seconds(self) -> float:
        """Since this was made."""
        return self._clock() - self._begun

    def since(self, job: JobInWords) -> float:
        """Seconds that a job has been running."""
        return self._clock() - job.begun

    def progress(self) -> str:
        """E.g. ``12 of 492 steps done, about 3 min left``."""
        left = self._estimator.left(self._clock())
        return f"{self.done:,} of {self.total:,} steps done{f', {left}' if left else ''}"
