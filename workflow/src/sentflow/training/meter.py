"""What a training takes: seconds and memory. Nothing of this decides a number of the training."""

import resource
import sys
import time

import torch

from sentflow.jobs.machine import processor_name


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
