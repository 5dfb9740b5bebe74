"""AdamW with gradient clipping for a stack of probes trained side by side, on NumPy arrays."""

import numpy as np

from sentflow.probing.kernels.schedule import Schedule


class ArrayAdamW:
    """One AdamW state per probe of a stack with few parameters: an operation costs a fifth of torch's.

    The moments are kept without their factors 1 − β₁ and 1 − β₂, which the scalars of a step contain: three passes
    less, and results that differ from `TensorAdamW` by float32 rounding.

    Parameters
    ----------
    parameters, gradient
        (S, P) float32: S probes with P parameters each; both are changed in place by `step`.
    schedule
        Of S probes.
    multiplicity
        (P,) float32: how many equal weights each parameter stands for; its gradient is the sum of theirs. None
        where every parameter is one weight.
    """

    def __init__(
        self,
        parameters: np.ndarray,
        gradient: np.ndarray,
        schedule: Schedule,
        *,
        multiplicity: np.ndarray | None = None,
    ) -> None:
        # One probe is a vector with plain numbers as factors, which NumPy multiplies in a third of the time.
        probe: tuple[int | slice, ...] = (0,) if len(parameters) == 1 else (slice(None),)
        factor = (*probe, 0) if len(parameters) == 1 else probe
        self._parameters, self._gradient = parameters[probe], gradient[probe]
        self._first, self._second = np.zeros_like(self._parameters), np.zeros_like(self._parameters)
        self._scratch = np.empty_like(self._parameters)
        self._multiplicity = multiplicity
        self._max_norm = np.float32(schedule.max_norm)
        self._beta1, self._beta2 = (
            beta.astype(np.float32)[factor] for beta in (schedule.beta1, schedule.beta2)
        )
        self._steps = zip(*(values[(slice(None), *factor)] for values in step_scalars(schedule)), strict=True)

    def step(self) -> None:
        """Clip each probe's gradient to the largest norm and move the parameters."""
        parameters, gradient, scratch = self._parameters, self._gradient, self._scratch
        first, second = self._first, self._second
        keep, epsilon, minus_rate = next(self._steps)
        gradient *= self._clip()
        parameters *= keep
        first *= self._beta1
        first += gradient
        np.multiply(gradient, gradient, out=scratch)
        second *= self._beta2
        second += scratch
        np.sqrt(second, out=scratch)
        scratch += epsilon
        np.divide(first, scratch, out=scratch)
        scratch *= minus_rate
        parameters += scratch

    def _clip(self) -> np.ndarray:
        """(S, 1), or (1,) for one probe: factor that brings the gradient's norm down to the largest one."""
        gradient = self._gradient
        if self._multiplicity is None:
            squares: np.ndarray = np.vecdot(gradient, gradient)
        else:
            gradient /= self._multiplicity
            squares = np.square(gradient) @ self._multiplicity
        clip: np.ndarray = np.minimum(self._max_norm / (np.sqrt(squares) + np.float32(1e-6)), np.float32(1))
        return clip[..., None]


def step_scalars(schedule: Schedule) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(steps, S, 1) float32 each: factor of the weights, epsilon, and minus the rate of moments without 1 − β."""
    root = schedule.root_correction / np.sqrt(1 - schedule.beta2)
    minus_rate = schedule.minus_rate * (1 - schedule.beta1) * root
    keep, epsilon, minus_rate = (
        values.astype(np.float32) for values in (schedule.keep, schedule.epsilon * root, minus_rate)
    )
    return keep, epsilon, minus_rate
