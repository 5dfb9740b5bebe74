"""When to save and leave: on SIGTERM, or when little time of a SLURM job is left."""

import os
import signal
import time
from types import FrameType

_END_VARIABLE = "SLURM_JOB_END_TIME"  # seconds since 1970; SLURM 22.05 and later
EXIT_CODE = 75  # of sysexits.h: a failure that will pass; run again
_LEAST_SECONDS = 60.0


class Leave:
    """Says when a training should save its state and end.

    Parameters
    ----------
    environment
        Of the process.
    now
        Seconds since 1970.
    """

    def __init__(self, environment: "os._Environ[str] | dict[str, str] | None" = None, now=time.time) -> None:  # type: ignore[no-untyped-def]
        environment = os.environ if environment is None else environment
        end = environment.get(_END_VARIABLE, "")
        self._end = float(end) if end.isdecimal() else None
        self._now = now
        self._asked = False
        self.slowest = 0.0

    def listen(self) -> None:
        """Take SIGTERM, and SIGUSR1 as sbatch --signal sends it, as a wish."""
        for number in (signal.SIGTERM, signal.SIGUSR1):
            signal.signal(number, self._take)

    def __call__(self) -> bool:
        """Whether to leave now."""
        return self._asked or self.short_of_time()

    def short_of_time(self) -> bool:
        """Whether less time is left than three times the slowest step with its saving, and at least a minute."""
        if self._end is None:
            return False
        return self._end - self._now() < max(_LEAST_SECONDS, 3 * self.slowest)

    def _take(self, _number: int, _frame: FrameType | None) -> None:
        self._asked = True
