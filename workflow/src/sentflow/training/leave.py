"""While a training runs: when it saves or leaves, what it takes, and how far it is."""

import logging
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Mapping
from types import FrameType

import torch

from sentflow.jobs.machine import processor_name
from sentflow.training.loop import Progress

logger = logging.getLogger(__name__)

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


class Meter:
    """What this process takes from now on."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        if torch.cuda.is_available():
            torch.cuda.reset_peak_memory_stats()

    def seconds(self) -> float:
        """Since this was made."""
        return time.monotonic() - self._start

    def memory_mb(self) -> float:
        """Peak of the process since it began, in MiB."""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return round(peak / (2**20 if sys.platform == "darwin" else 2**10), 1)  # bytes there, KiB on Linux

    def device_memory_mb(self, device: str) -> float | None:
        """Peak that torch allocated on an accelerator, in MiB; None for the processor."""
        if torch.device(device).type != "cuda":
            return None
        return round(torch.cuda.max_memory_allocated(device) / 2**20, 1)

    def device_name(self, device: str) -> str:
        """What the machine calls a device."""
        if torch.device(device).type == "cuda":
            return torch.cuda.get_device_name(device)
        return processor_name()


_EVERY_SECONDS = 20.0


class ProgressLog:
    """Logs a line when some time has passed, and at the last step. `now`: seconds of a clock that never goes back."""

    def __init__(self, total: int, now: Callable[[], float] = time.monotonic) -> None:
        self._total, self._now = total, now
        self._start, self._told = now(), now()
        self._first: int | None = None

    def __call__(self, progress: Progress) -> None:
        """After a step."""
        if self._first is None:
            self._first = progress.step - 1
        now = self._now()
        if now - self._told < _EVERY_SECONDS and progress.step < self._total:
            return
        self._told = now
        done = progress.step - self._first
        left = (now - self._start) / done * (self._total - progress.step)
        row = progress.history[-1]
        logger.info(
            "step %d of %d, loss %.4f, learning rate %.2e, about %s left",
            *(progress.step, self._total, row["loss"], row["learning_rate"], _clock(left)),
        )


def _clock(seconds: float) -> str:
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}"
