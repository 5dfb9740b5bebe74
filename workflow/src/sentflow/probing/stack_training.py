"""Training of a stack of probes on tensors: MLP probes everywhere, every probe on an accelerator."""

from typing import Protocol

import numpy as np
import torch

from sentflow.probing.adamw import TensorAdamW
from sentflow.probing.schedule import Schedule


class ProbeStack(Protocol):
    """What training needs of S probes that are trained side by side."""

    parameters: torch.Tensor
    gradient: torch.Tensor

    def compute_gradient(self, rows: torch.Tensor) -> torch.Tensor:
        """Fill `gradient` from (S, B) row numbers; returns the (S,) mean losses."""

    def logits(self, features: torch.Tensor, offset: torch.Tensor | None = None) -> torch.Tensor:
        """(S, m, outputs); the offset (S, m, units) is added to the first layer."""


class StackTraining:
    """Trains all probes of a stack with one batch each at a time.

    Parameters
    ----------
    stack
        S probes.
    schedule
        Of S probes.
    multiplicity
        See `TensorAdamW`.
    """

    def __init__(
        self, stack: ProbeStack, schedule: Schedule, *, multiplicity: torch.Tensor | None = None
    ) -> None:
        self._stack = stack
        self._optimiser = TensorAdamW(stack.parameters, stack.gradient, schedule, multiplicity=multiplicity)
        self._decay = torch.from_numpy(schedule.decay).to(stack.parameters)
        self._steps = 0
        self._losses: list[torch.Tensor] = []

    def epoch(self, rows: torch.Tensor) -> None:
        """Train on every batch of (S, batches, B) int64 row numbers."""
        self._losses = []
        for batch in rows.unbind(dim=1):
            self._losses.append(self._stack.compute_gradient(batch))
            self._optimiser.step()
        self._steps += len(self._losses)

    def losses(self) -> np.ndarray:
        """(S, batches) float64 mean losses of the last epoch's batches, each before its step."""
        return torch.stack(self._losses, dim=1).cpu().numpy()

    def logits(self, features: torch.Tensor, offset: torch.Tensor | None = None) -> np.ndarray:
        """(S, m, outputs) for (m, D) features, plus the decayed `offset` (m, units) of the first layer."""
        if offset is not None:
            offset = self._decay[self._steps, :, :, None] * offset
        return self._stack.logits(features, offset).cpu().numpy()
