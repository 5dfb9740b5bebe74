"""How long a run will take yet: the jobs left, at the mean time of the jobs of their rule."""

import json
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

_BENCHMARKS = Path("results/benchmarks")
# Of thousands of folds, these say as much.
_FILES = 50


class TimeLeft:
    """Jobs of a run by rule, as they begin and end.

    A job takes as long as those of its rule did in this run, before any has ended as they did in former runs of the
    folder. As many run side by side as did so far. Rules that nobody has measured count nothing: see `is_least`.
    """

    def __init__(self, jobs: Mapping[str, int]) -> None:
        self._left = Counter(jobs)
        self._former = {rule: seconds for rule in jobs if (seconds := _former_seconds(rule)) is not None}
        self._sums: dict[str, float] = defaultdict(float)  # seconds of the jobs that ended
        self._ended: Counter[str] = Counter()
        self._running: dict[int, tuple[str, float]] = {}
        self._begun = time.monotonic()

    def begin(self, job: int, rule: str) -> None:
        """A job begins, perhaps not for the first time."""
        self._running[job] = (rule, time.monotonic())

    def end(self, job: int) -> float | None:
        """A job is done; its seconds, if its beginning was seen."""
        if job not in self._running:
            return None
        rule, begun = self._running.pop(job)
        seconds = time.monotonic() - begun
        self._left[rule] -= 1
        self._ended[rule] += 1
        self._sums[rule] += seconds
        return seconds

    def drop(self, job: int) -> None:
        """A job failed: what it took says nothing of the others."""
        self._running.pop(job, None)

    @property
    def is_least(self) -> bool:
        """Whether jobs are left of rules that nobody has measured, so that the rest takes longer than `seconds`."""
        return any(n > 0 and rule not in self._means() for rule, n in self._left.items())

    def seconds(self) -> float | None:
        """What the rest will take; None where no rule of it was ever measured."""
        means = self._means()
        known = [rule for rule, n in self._left.items() if n > 0 and rule in means]
        if not known:
            return None
        now = time.monotonic()
        work = sum(self._left[rule] * means[rule] for rule in known)
        busy = sum(self._sums.values()) + sum(now - begun for _, begun in self._running.values())
        return work / max(1.0, busy / max(now - self._begun, 1e-9))

    def _means(self) -> dict[str, float]:
        return self._former | {rule: self._sums[rule] / n for rule, n in self._ended.items()}


def _former_seconds(rule: str) -> float | None:
    found = []
    for file in islice((_BENCHMARKS / rule).rglob("*.jsonl"), _FILES):
        try:
            found.append(float(json.loads(file.read_text(encoding="utf-8").splitlines()[-1])["s"]))
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
            IndexError,
        ):  # of a job that was killed, or being written
            continue
    return sum(found) / len(found) if found else None
