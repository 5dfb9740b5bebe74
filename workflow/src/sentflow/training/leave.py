"""When to save, and when to save and leave: on Ctrl-C or SIGTERM, or when little time of a SLURM job is left."""

import os
import signal
import time
from collections.abc import Callable, Mapping
from types import FrameType

_END_VARIABLE = "SLURM_JOB_END_TIME"  # seconds since 1970; SLURM 22.05 and later
EXIT_CODE = 75  # of sysexits.h: a failure that will pass; run again
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)  # the last as sbatch --signal sends it
_LEAST_SECONDS = 60.0


class Leave:
    """Says when a training should save its state and end. `now`: seconds since 1970."""

    def __init__(
        self, environment: Mapping[str, str] = os.environ, now: Callable[[], float] = time.time
    ) -> None:
        end = environment.get(_END_VARIABLE, "")
        self._end = float(end) if end.isdecimal() else None
        self._now = now
        self._asked = False
        self._last, self._slowest = now(), 0.0

    def listen(self) -> None:
        """Take `SIGNALS` as a wish."""
        for number in SIGNALS:
            signal.signal(number, self._take)

    def __call__(self) -> bool:
        """Whether to leave now; asked after every step.

        Little time is less than that of three of the slowest steps so far, with what was saved after them, and less
        than a minute.
        """
        now = self._now()
        self._slowest, self._last = max(self._slowest, now - self._last), now
        short = self._end is not None and self._end - now < max(_LEAST_SECONDS, 3 * self._slowest)
        return self._asked or short

    def _take(self, _number: int, _frame: FrameType | None) -> None:
        self._asked = True


class SaveEvery:
    """Says when some time has passed since the last saving.

    `seconds`: between two savings; 0 is after every step. `now`: seconds of a clock that never goes back.
    """

    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._now = seconds, now
        self._last = now()

    def __call__(self) -> bool:
        """Whether to save now, which is then taken as done."""
        if self._now() - self._last < self._seconds:
            return False
        self._last = self._now()
        return True
