"""Training of a stack of probes on tensors: MLP probes everywhere, every probe on an accelerator."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import numpy as np
import torch

from sentflow.probing.columns import Problem
from sentflow.probing.logistic_stack import LogisticStack
from sentflow.probing.mlp_stack import MlpStack
from sentflow.probing.schedule import Schedule
from sentflow.probing.tensor_adamw import TensorAdamW


class ProbeStack(Protocol):
    """What training needs of S probes that are trained side by side."""

    parameters: torch.Tensor
    gradient: torch.Tensor

    def compute_gradient(self, rows: torch.Tensor) -> torch.Tensor:
        """Fill `gradient` from (S, B) row numbers; returns the (S,) mean losses."""

    def logits(self, features: torch.Tensor, offset: torch.Tensor | None = None) -> torch.Tensor:
        """(S, m, outputs); the offset (S, m, units) is added to the first layer."""


class TensorTraining:
    """S probes with the same initial weights, all trained with one batch each at a time.

    Parameters
    ----------
    problem
        Training features (a logistic probe's with the column of ones), initial weights.
    labels
        (n,) int64.
    schedule
        Of S probes.
    n_outputs
        1 for two classes, else the number of classes.
    hidden
        Units of the hidden layer; None for logistic probes.
    device
        Of torch.
    """

    def __init__(
        self,
        problem: Problem[np.ndarray],
        labels: np.ndarray,
        schedule: Schedule,
        *,
        n_outputs: int,
        hidden: int | None,
        device: str,
    ) -> None:
        self._device = device
        features, truth, initial = (self._tensor(array) for array in (problem.train, labels, problem.initial))
        size = len(schedule.beta1)
        self._stack: ProbeStack = (
            LogisticStack(features, truth, initial, n_outputs=n_outputs, size=size)
            if hidden is None
            else MlpStack(features, truth, initial, hidden=hidden, n_outputs=n_outputs, size=size)
        )
        self._optimiser = TensorAdamW(
            self._stack.parameters,
            self._stack.gradient,
            schedule,
            multiplicity=None if problem.multiplicity is None else self._tensor(problem.multiplicity),
        )
        self._decay = schedule.decay.astype(np.float32)
        self._steps = 0
        self._losses: list[list[torch.Tensor]] = []

    def epoch(self, rows: np.ndarray) -> None:
        """Train on every batch of (S, batches, B) int64 row numbers."""
        losses = []
        for batch in self._tensor(rows).unbind(dim=1):
            losses.append(self._stack.compute_gradient(batch))
            self._optimiser.step()
        self._losses.append(losses)
        self._steps += len(losses)

    def losses(self) -> np.ndarray:
        """(S, epochs, batches) float64 mean losses of all batches so far, each before its step."""
        return torch.stack([torch.stack(epoch, dim=1) for epoch in self._losses], dim=1).cpu().numpy()

    def logits(self, features: np.ndarray, offset: np.ndarray | None = None) -> np.ndarray:
        """(S, m, outputs) for (m, D) features, plus the decayed `offset` (m, units) of the first layer."""
        decayed = None if offset is None else self._tensor(self._decay[self._steps, :, :, None] * offset)
        return self._stack.logits(self._tensor(features), decayed).cpu().numpy()

    def _tensor(self, array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(array).to(self._device)


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """The order of sums, and with it the last bits, depends on the number of threads."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
