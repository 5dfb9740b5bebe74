"""The devices that torch can use on this machine."""

from collections.abc import Sequence

import torch

from sentflow.encoders.kinds.neural.settings import TORCH
from sentflow.errors import ConfigError


def default_devices(backend: str) -> tuple[str, ...]:
    """The best device there is, where an entry names none."""
    return ("cuda",) if backend == TORCH and torch.cuda.is_available() else ("cpu",)


def check_devices(devices: Sequence[str], *, backend: str) -> None:
    """Refuse devices that are not there. Raises ConfigError: names them, and those that are."""
    if backend != TORCH and any(device != "cpu" for device in devices):
        raise ConfigError(
            f"device: the backend {backend} computes on the processor here. Write device: cpu, or backend: torch."
        )
    known = ["cpu"]
    if torch.backends.mps.is_available():
        known.append("mps")
    for kind in (torch.cuda, torch.xpu):
        if kind.is_available():
            name = kind.__name__.rpartition(".")[2]
            known += [name, *(f"{name}:{number}" for number in range(kind.device_count()))]
    if missing := [device for device in devices if device not in known]:
        raise ConfigError(
            f"device: this machine has no {', '.join(missing)} that torch can use. Write one of: "
            f"{', '.join(known)}; or leave the key out."
        )
