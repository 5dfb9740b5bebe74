"""What a training takes: seconds, memory, and energy where the machine tells.

Energy is that of the processors of the whole machine (RAPL counters of Linux, folder ``powercap``), whatever else runs
there; most machines let only their administrator read it. Nothing of this decides a number of the training.
"""

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from sentflow.jobs.machine import processor_name

_POWERCAP = Path("/sys/class/powercap")
# a whole package; parts of one have a second number and are counted in it
_PACKAGES = "intel-rapl:[0-9]*"
_EVERY_SECONDS = 10.0  # the smallest counters start again after some minutes at full power


@dataclass
class _Counter:
    """One counter, which starts again at 0 when it is full."""

    file: Path
    full: int  # microjoules
    last: int

    def since_last(self) -> int:
        """Microjoules since the last call, if it was full at most once since."""
        now = _microjoules(self.file)
        passed = now - self.last if now >= self.last else now + self.full - self.last
        self.last = now
        return passed


class Energy:
    """Joules that the processors of the machine have taken since this was made.

    Parameters
    ----------
    folder
        Where Linux shows its counters.
    """

    def __init__(self, folder: Path = _POWERCAP) -> None:
        self._total = 0
        self._counters: list[_Counter] = []
        try:
            for package in sorted(folder.glob(_PACKAGES)):
                if package.name.count(":") == 1:
                    file, full = package / "energy_uj", _microjoules(package / "max_energy_range_uj")
                    self._counters.append(_Counter(file, full, _microjoules(file)))
        except (OSError, ValueError):
            self._counters = []  # a part of the machine would be taken for all of it

    def joules(self) -> float | None:
        """All packages together; None where the machine does not tell.

        Call it more often than a counter starts again, which is some minutes at full power.
        """
        try:
            self._total += sum(counter.since_last() for counter in self._counters)
        except (OSError, ValueError):
            self._counters = []
        return self._total / 1e6 if self._counters else None


class Meter:
    """What this process takes from now on.

    Parameters
    ----------
    energy
        None is that of this machine.
    now
        Seconds of a clock that never goes back.
    """

    def __init__(self, energy: Energy | None = None, now: Callable[[], float] = time.monotonic) -> None:
        self._energy, self._now = energy or Energy(), now
        self._start = self._read = now()
        if torch.cuda.is_available():
            torch.cuda.reset_peak_memory_stats()

    def seconds(self) -> float:
        """Since this was made; asked after every step, it also reads the counters of energy in time."""
        now = self._now()
        if now - self._read >= _EVERY_SECONDS:
            self._energy.joules()
            self._read = now
        return now - self._start

    def energy_joules(self) -> float | None:
        """See `Energy.joules`."""
        return self._energy.joules()

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


def _microjoules(file: Path) -> int:
    return int(file.read_text(encoding="ascii"))
