"""In which numbers a step is computed: float32, or products of matrices in a shorter type."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from sentflow.errors import ConfigError
from sentflow.training.settings import BFLOAT16, FLOAT16, FLOAT32

_TYPES = {BFLOAT16: torch.bfloat16, FLOAT16: torch.float16}


class Precision:
    """Autocast, and the scaler of the loss that float16 needs. `device`: where the objective is."""

    def __init__(self, name: str, device: torch.device) -> None:
        if name == FLOAT16 and device.type != "cuda":
            raise ConfigError(
                f"training.precision: {FLOAT16} needs a GPU. Write {BFLOAT16} or {FLOAT32} on a processor."
            )
        self._name, self._device = name, device
        self._scaler = torch.amp.GradScaler(device.type) if name == FLOAT16 else None

    def autocast(self) -> AbstractContextManager[Any]:
        """For the forward pass."""
        if self._name == FLOAT32:
            return nullcontext()
        return torch.autocast(self._device.type, dtype=_TYPES[self._name])

    @property
    def scale(self) -> float:
        """By what the loss is multiplied before it is differentiated; 1 without a scaler."""
        return float(self._scaler.get_scale()) if self._scaler else 1.0

    def unscale(self, optimiser: torch.optim.Optimizer) -> None:
        """Divide the gradients by `scale`."""
        if self._scaler:
            # The scaler starts with the first loss that it scales
            self._scaler.scale(torch.zeros((), device=self._device))
            self._scaler.unscale_(optimiser)

    def step(self, optimiser: torch.optim.Optimizer) -> bool:
        """A step of the optimiser; False where they were not finite: compute them again with the new, lower scale."""
        if not self._scaler:
            optimiser.step()
            return True
        before = self.scale
        self._scaler.step(optimiser)
        self._scaler.update()
        return self.scale >= before

    def state(self) -> dict[str, float]:
        """What `restore` needs; empty without a scaler."""
        return dict(self._scaler.state_dict()) if self._scaler else {}

    def restore(self, state: dict[str, float]) -> None:
        """Go on from a state."""
        if self._scaler and state:
            self._scaler.load_state_dict(state)

    @property
    def may_overflow(self) -> bool:
        """Whether gradients that are not finite may be a matter of the scale, and not of the training."""
        return self.scale > 1
