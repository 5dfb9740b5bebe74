"""How long a run will take yet, from the jobs that have ended."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sentflow.report.numbers import duration

_MINUTE = 60.0


@dataclass(frozen=True)
class TimeLeft:
    """An estimate.

    Attributes
    ----------
    seconds
        At least 0.
    is_least
        There are jobs left of rules that nobody has measured yet: it takes longer.
    """

    seconds: float
    is_least: bool

    def __str__(self) -> str:
        if self.is_least:
            return f"more than {duration(_whole_minutes(self.seconds, math.floor))} left"
        if self.seconds < _MINUTE:
            return "less than 1 min left"
        return f"about {duration(_whole_minutes(self.seconds, math.ceil))} left"


class Estimator:
    """Durations of jobs by rule → the time that the jobs of a run that are left will take.

    A job takes as long as the jobs of its rule took in this run on average; before any has ended, as they took in
    former runs. As many run side by side as did so far.

    Parameters
    ----------
    jobs
        Rule → its jobs in this run.
    former
        Rule → mean seconds of its jobs in former runs; None where there are none.
    """

    def __init__(self, jobs: Mapping[str, int], former: Callable[[str], float | None]) -> None:
        self._left = Counter(jobs)
        self._former = {rule: seconds for rule in jobs if (seconds := former(rule)) is not None}
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._ended: Counter[str] = Counter()
        self._running: dict[int, tuple[str, float]] = {}
        self._first: float | None = None

    def begin(self, job: int, rule: str, now: float) -> None:
        """A job begins, perhaps not for the first time."""
        self._running[job] = (rule, now)
        self._first = now if self._first is None else self._first

    def end(self, job: int, now: float) -> float | None:
        """A job is done; its seconds, if its beginning was seen."""
        rule, begun = self._running.pop(job, ("", math.nan))
        if not rule:
            return None
        self._left[rule] -= 1
        self._ended[rule] += 1
        seconds = max(0.0, now - begun)
        self._seconds[rule] += seconds
        return seconds

    def drop(self, job: int) -> None:
        """A job failed: what it took says nothing of the others, and it is left to do."""
        self._running.pop(job, None)

    def left(self, now: float) -> TimeLeft | None:
        """What the rest will take; None where too few of the rules that are left were ever measured to say it.

        Parameters
        ----------
        now
            By the clock of `begin` and `end`.
        """
        running = Counter(rule for rule, _ in self._running.values())
        waiting = {rule: number - running[rule] for rule, number in self._left.items() if number > 0}
        known = {rule: seconds for rule in waiting if (seconds := self._mean(rule)) is not None}
        if not known:
            return None
        rests = [
            max(0.0, known[rule] - (now - begun)) for rule, begun in self._running.values() if rule in known
        ]
        work = math.fsum(rests) + math.fsum(max(0, waiting[rule]) * known[rule] for rule in known)
        seconds = max(work / self._side_by_side(now), max(rests, default=0.0))
        is_least = len(known) < len(waiting)
        return None if is_least and seconds < _MINUTE else TimeLeft(seconds, is_least)

    def _mean(self, rule: str) -> float | None:
        if self._ended[rule]:
            return self._seconds[rule] / self._ended[rule]
        return self._former.get(rule)

    def _side_by_side(self, now: float) -> float:
        elapsed = now - (now if self._first is None else self._first)
        busy = math.fsum(self._seconds.values()) + math.fsum(
            now - begun for _, begun in self._running.values()
        )
        return max(1.0, busy / elapsed) if elapsed > 0 else max(1.0, float(len(self._running)))


def _whole_minutes(seconds: float, rounded: Callable[[float], int]) -> float:
    return _MINUTE * rounded(seconds / _MINUTE)
