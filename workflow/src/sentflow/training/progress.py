"""How far a training is, in the log and on a terminal: one line now and then, with the time that is left."""

import logging
import time
from collections.abc import Callable

from sentflow.training.state import Progress

logger = logging.getLogger(__name__)

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
