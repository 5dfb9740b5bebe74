"""AdamW with gradient clipping for a stack of probes trained side by side, as torch computes it."""

import torch

from sentflow.probing.schedule import Schedule


class TensorAdamW:
    """One AdamW state per probe of a stack of tensors.

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
        parameters: torch.Tensor,
        gradient: torch.Tensor,
        schedule: Schedule,
        *,
        multiplicity: torch.Tensor | None = None,
    ) -> None:
        self._parameters, self._gradient = parameters, gradient
        self._first, self._second = torch.zeros_like(parameters), torch.zeros_like(parameters)
        self._scratch = torch.empty_like(parameters)
        self._multiplicity = multiplicity
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

    def step(self) -> None:
        """Clip each probe's gradient to the largest norm and move the parameters."""
        norm = self._gradient_norm()
        clip = (self._max_norm / (norm + 1e-6)).clamp_(max=1.0)
        keep, minus_rate = self._keep[self._step], self._minus_rate[self._step]
        root_correction = self._root_correction[self._step]
        parameters, gradient, scratch = self._parameters, self._gradient, self._scratch
        gradient.mul_(clip)
        parameters.mul_(keep)
        self._first.lerp_(gradient, self._one_minus_beta1)
        torch.mul(gradient, gradient, out=scratch)
        self._second.mul_(self._beta2).addcmul_(scratch, self._one_minus_beta2)
        torch.sqrt(self._second, out=scratch)
        scratch.div_(root_correction).add_(self._epsilon)
        torch.div(self._first, scratch, out=scratch)
        parameters.addcmul_(scratch, minus_rate)
        self._step += 1

    def _gradient_norm(self) -> torch.Tensor:
        if self._multiplicity is None:
            norm: torch.Tensor = torch.linalg.vector_norm(self._gradient, dim=1, keepdim=True)
            return norm
        self._gradient.div_(self._multiplicity)
        squares = torch.mv(self._gradient.square(), self._multiplicity)
        return torch.sqrt(squares).unsqueeze(1)
