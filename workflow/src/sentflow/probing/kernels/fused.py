"""Training of logistic probes on dense features in compiled loops, for environments with numba."""

import importlib.util

import numpy as np

from sentflow.errors import ConfigError
from sentflow.probing.kernels.array_adamw import step_scalars
from sentflow.probing.kernels.columns import Problem
from sentflow.probing.kernels.logistic import LinearProbes
from sentflow.probing.kernels.schedule import Schedule


def check_installed() -> None:
    """Refuse compiled loops without their compiler.

    Raises
    ------
    ConfigError
        Names the command that installs it.
    """
    if importlib.util.find_spec("numba") is None:
        raise ConfigError(
            "probe.kernel: numba needs numba, not installed in this environment. Run "
            "pip install -r envs/requirements-fused.txt, or write kernel: numpy."
        )


class FusedLogisticTraining(LinearProbes):
    """Linear probes that read each row once per step, see `fused_epoch`; parameters as there."""

    def __init__(
        self, problem: Problem[np.ndarray], labels: np.ndarray, schedule: Schedule, *, n_outputs: int
    ) -> None:
        super().__init__(problem, labels, schedule, n_outputs=n_outputs)
        shape = (len(self._parameters), n_outputs, self._features.shape[1])
        self._stack = self._parameters.reshape(shape)
        self._first, self._second = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self._keep, self._epsilon, self._minus_rate = (values[..., 0] for values in step_scalars(schedule))
        self._beta1, self._beta2 = (
            beta[:, 0].astype(np.float32) for beta in (schedule.beta1, schedule.beta2)
        )
        self._multiplicity = (
            np.empty((0, 0), np.float32)
            if problem.multiplicity is None
            else problem.multiplicity.reshape(shape[1:])
        )

    def _train(self, rows: np.ndarray) -> np.ndarray:
        from sentflow.probing.kernels.fused_epoch import train_epoch  # imports numba, half a second

        size, n_batches, n = rows.shape
        logits = np.empty((size, n_batches, self._stack.shape[1], n), np.float32)
        steps = slice(self._steps, self._steps + n_batches)
        train_epoch(
            self._features,
            self._labels,
            rows,
            self._stack,
            self._first,
            self._second,
            self._keep[steps],
            self._epsilon[steps],
            self._minus_rate[steps],
            self._beta1,
            self._beta2,
            np.float32(self._schedule.max_norm),
            self._multiplicity,
            logits,
        )
        return logits
