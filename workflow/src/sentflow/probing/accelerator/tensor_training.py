"""Training of a stack of probes on tensors: MLP probes everywhere, every probe on an accelerator."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch

from sentflow.probing.accelerator.logistic_stack import LogisticStack
from sentflow.probing.accelerator.mlp_stack import MlpStack
from sentflow.probing.accelerator.probe_stack import ProbeStack
from sentflow.probing.accelerator.tensor_adamw import TensorAdamW
from sentflow.probing.accelerator.tensor_batches import Scaling
from sentflow.probing.kernels.columns import Problem
from sentflow.probing.kernels.schedule import Schedule


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
        self._stack = new_stack(features, truth, initial, hidden=hidden, n_outputs=n_outputs, size=size)
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


def new_stack(
    features: torch.Tensor,
    labels: torch.Tensor,
    initial: torch.Tensor,
    *,
    hidden: int | None,
    n_outputs: int,
    size: int,
    scaling: Scaling | None = None,
) -> ProbeStack:
    """A stack of probes with or without a hidden layer, see `ProbeStack`."""
    if hidden is None:
        return LogisticStack(features, labels, initial, n_outputs=n_outputs, size=size, scaling=scaling)
    return MlpStack(features, labels, initial, hidden=hidden, n_outputs=n_outputs, size=size, scaling=scaling)


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """The order of sums, and with it the last bits, depends on the number of threads."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
