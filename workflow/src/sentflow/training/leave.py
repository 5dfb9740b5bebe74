"""While a training runs: when it saves its state or leaves, and how far it is."""

import logging
import math
import os
import signal
import time
from collections.abc import Mapping
from datetime import timedelta
from types import FrameType

logger = logging.getLogger(__name__)

_END_VARIABLE = "SLURM_JOB_END_TIME"  # seconds since 1970; SLURM 22.05 and later
EXIT_CODE = 75  # of sysexits.h: a failure that will pass; run again
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)  # the last as sbatch --signal sends it
_LEAST_SECONDS = 60.0
_LOG_SECONDS = 20.0


class Watch:
    """Says when to save and when to leave, and logs. `save_seconds`: between two savings; 0 is after every step."""

    def __init__(self, save_seconds: float = math.inf) -> None:
        now, end = time.monotonic(), os.environ.get(_END_VARIABLE, "")
        self._end = now + float(end) - time.time() if end.isdecimal() else math.inf
        self._save_seconds = save_seconds
        self._begin = now
        self._slowest, self._asked = 0.0, False
        self.start(0)

    def start(self, step: int) -> None:
        """The steps after this one begin now: what came before, such as reading of data, is no part of their time."""
        self._saved = self._logged = self._last = now = time.monotonic()
        self._first = now, step

    @property
    def seconds(self) -> float:
        """Since this was made."""
        return time.monotonic() - self._begin

    def listen(self) -> None:
        """Take `SIGNALS` as a wish to leave."""
        for number in SIGNALS:
            signal.signal(number, self._take)

    def leaves(self) -> bool:
        """Whether to leave now, on a wish or with less time than a minute or three of the slowest steps so far."""
        now = time.monotonic()
        self._slowest, self._last = max(self._slowest, now - self._last), now
        return self._asked or self._end - now < max(_LEAST_SECONDS, 3 * self._slowest)

    def saves(self) -> bool:
        """Whether to save now, which is then taken as done."""
        now = time.monotonic()
        if now - self._saved < self._save_seconds:
            return False
        self._saved = now
        return True

    def log(self, total: int, row: Mapping[str, float]) -> None:
        """Log a step where some time has passed, and the last one. `row`: of the history."""
        now, step = time.monotonic(), int(row["step"])
        start, first = self._first
        if now - self._logged < _LOG_SECONDS and step < total:
            return
        self._logged = now
        left = timedelta(seconds=round((now - start) / (step - first) * (total - step)))
        logger.info(
            "step %d of %d, loss %.4f, learning rate %.2e, about %s left",
            *(step, total, row["loss"], row["learning_rate"], left),
        )

    def _take(self, _number: int, _frame: FrameType | None) -> None:
        self._asked = True
