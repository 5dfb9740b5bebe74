"""AdamW with gradient clipping for a stack of probes trained side by side, as torch computes it."""

import torch

from sentflow.probing.kernels.schedule import Schedule


class TensorAdamW:
    """One AdamW state per probe of a stack of tensors.

    Parameters
    ----------
    parameters, gradient
        (S, P) float32: S probes with P parameters each; both are changed in place by `step`.
    schedule
        Of S probes.
    """

    def __init__(self, parameters: torch.Tensor, gradient: torch.Tensor, schedule: Schedule) -> None:
        self._parameters, self._gradient = parameters, gradient
        self._first, self._second = torch.zeros_like(parameters), torch.zeros_like(parameters)
        self._scratch = torch.empty_like(parameters)
        self._max_norm, self._epsilon = schedule.max_norm, schedule.epsilon
        self._step = 0
        self._one_minus_beta1, self._beta2, self._one_minus_beta2 = (
            torch.from_numpy(values).to(parameters)
            for values in (1 - schedule.beta1, schedule.beta2, 1 - schedule.beta2)
        )
        self._keep, self._minus_rate, self._root_correction = (
            torch.from_numpy(values).to(parameters)
            for values in (schedule.keep, schedule.minus_rate, schedule.root_correction)
        )

    def step(self, n_probes: int | None = None) -> None:
        """Clip each probe's gradient to the largest norm and move the parameters, of the first probes or of all."""
        some = slice(n_probes)
        keep, minus_rate, root_correction = (
            values[self._step, some] for values in (self._keep, self._minus_rate, self._root_correction)
        )
        parameters, gradient, first, second, scratch = (
            values[some]
            for values in (self._parameters, self._gradient, self._first, self._second, self._scratch)
        )
        norm = torch.linalg.vector_norm(gradient, dim=1, keepdim=True)
        clip = (self._max_norm / (norm + 1e-6)).clamp_(max=1.0)
        gradient.mul_(clip)
        parameters.mul_(keep)
        first.lerp_(gradient, self._one_minus_beta1[some])
        torch.mul(gradient, gradient, out=scratch)
        second.mul_(self._beta2[some]).addcmul_(scratch, self._one_minus_beta2[some])
        torch.sqrt(second, out=scratch)
        scratch.div_(root_correction).add_(self._epsilon)
        torch.div(first, scratch, out=scratch)
        parameters.addcmul_(scratch, minus_rate)
        self._step += 1

    def skip(self) -> None:
        """Pass over a step in which no probe has a batch."""
        self._step += 1

    def keep(self, probes: torch.Tensor, parameters: torch.Tensor, gradient: torch.Tensor) -> None:
        """Go on with some probes, given their (k,) int64 numbers, (k, P) parameters and gradient."""
        self._parameters, self._gradient = parameters, gradient
        self._first, self._second = self._first[probes], self._second[probes]
        self._scratch = torch.empty_like(parameters)
        self._one_minus_beta1, self._beta2, self._one_minus_beta2 = (
            values[probes] for values in (self._one_minus_beta1, self._beta2, self._one_minus_beta2)
        )
        self._keep, self._minus_rate, self._root_correction = (
            values[:, probes] for values in (self._keep, self._minus_rate, self._root_correction)
        )
