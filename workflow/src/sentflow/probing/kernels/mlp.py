"""Training of one MLP probe on a processor with torch's own kernels, in the order of torch's AdamW.

An MLP carries the last bit of a sum into the fifth digit of its losses some epochs later, so nothing here may round
differently from the published evaluator; what is saved is autograd, the data loader, and memory traffic.
"""

from typing import Any

import numpy as np
import torch
from torch.nn import functional

from sentflow.probing.kernels.columns import Problem
from sentflow.probing.kernels.first_layers import DenseFirstLayer, FirstLayer, SparseFirstLayer
from sentflow.probing.kernels.schedule import Schedule
from sentflow.probing.kernels.sparse import ShiftedSparse

MOMENTUM = 0.1  # torch.nn.BatchNorm1d's defaults
EPSILON = 1e-5

# Eight operations follow one another on the same parameters: in blocks that stay in the processor's second-level cache
# they took three quarters of the time of passes over a large probe (3 million parameters). The numbers are the same.
_CACHED_PARAMETERS = 1 << 16


class MlpTraining:
    """Linear → batch norm → ReLU → linear.

    Parameters
    ----------
    problem
        (n, D) training features, dense or sparse, and initial parameters from `mlp_parameters`.
    labels
        (n,) int64.
    schedule
        Of one probe.
    n_outputs
        1 for two classes, else the number of classes.
    hidden
        H, units of the hidden layer.
    """

    def __init__(
        self, problem: Problem[Any], labels: np.ndarray, schedule: Schedule, *, n_outputs: int, hidden: int
    ) -> None:
        self._labels = torch.from_numpy(labels)
        self._first_layer: FirstLayer = (
            SparseFirstLayer(problem.train, hidden=hidden)
            if isinstance(problem.train, ShiftedSparse)
            else DenseFirstLayer(problem.train, hidden=hidden)
        )
        width = problem.train.shape[1]
        self._parameters = self._in_order(problem.initial, hidden, width)
        self._gradient = torch.zeros_like(self._parameters)
        weights, *self._layers = _split(self._parameters, width, hidden, n_outputs)
        self._layer_gradients = _split(self._gradient, width, hidden, n_outputs)
        self._first_layer.bind(weights, self._layer_gradients[0])
        self._running_mean, self._running_variance = torch.zeros(hidden), torch.ones(hidden)
        self._multiplicity = (
            None if problem.multiplicity is None else self._in_order(problem.multiplicity, hidden, width)
        )
        self._schedule = schedule
        moments = (torch.zeros_like(self._parameters), torch.zeros_like(self._parameters))
        self._blocks = list(
            zip(
                *(
                    torch.split(whole, _CACHED_PARAMETERS)
                    for whole in (self._parameters, self._gradient, *moments)
                ),
                strict=True,
            )
        )
        self._scratch = torch.empty_like(self._parameters[:_CACHED_PARAMETERS])
        self._steps = 0
        self._losses: list[list[torch.Tensor]] = []

    def epoch(self, rows: np.ndarray) -> None:
        """Train on every batch of (1, batches, B) int64 row numbers."""
        self._losses.append([])
        for batch in torch.from_numpy(rows[0]):
            self._losses[-1].append(self._compute_gradient(batch))
            self._move()

    def losses(self) -> np.ndarray:
        """(1, epochs, batches) float64 mean losses of all batches so far, each before its step."""
        return torch.stack([torch.stack(epoch, dim=1) for epoch in self._losses], dim=1).numpy()

    def logits(self, features: "np.ndarray | ShiftedSparse", offset: np.ndarray | None = None) -> np.ndarray:
        """(1, m, outputs) for (m, D) features, with the running statistics.

        The decayed `offset` (m, H) is added to the hidden units before the batch norm.
        """
        scale, shift, weights, bias = self._layers
        hidden = self._first_layer.apply(features)
        if offset is not None:
            hidden += torch.from_numpy(self._schedule.decay[self._steps].astype(np.float32) * offset)
        normed = hidden.sub_(self._running_mean).mul_(torch.rsqrt(self._running_variance + EPSILON))
        active = torch.relu_(normed.mul_(scale).add_(shift))
        return torch.addmm(bias, active, weights.T)[None].numpy()

    def _compute_gradient(self, rows: torch.Tensor) -> torch.Tensor:
        """Fill the gradient from a batch; returns its (1,) mean loss."""
        scale, shift, weights, bias = self._layers
        _, g_scale, g_shift, g_weights, g_bias = self._layer_gradients
        hidden = self._first_layer.forward(rows)
        # torch.native_batch_norm rounds otherwise: it moved the losses of a golden set by 4e-6, this by 4e-8
        n = len(rows)
        variance, mean = torch.var_mean(hidden, dim=0, correction=0)
        self._running_mean.lerp_(mean, MOMENTUM)
        self._running_variance.lerp_(variance * (n / (n - 1)), MOMENTUM)
        inverse_std = torch.rsqrt(variance + EPSILON)
        normed = hidden.sub_(mean).mul_(inverse_std)
        active = torch.relu_(normed * scale + shift)
        logits = torch.addmm(bias, active, weights.T)

        loss, residual = loss_and_residual(logits[None], self._labels[rows][None])
        residual = residual[0]
        torch.mm(residual.T, active, out=g_weights)
        torch.sum(residual, dim=0, out=g_bias)
        back = torch.mm(residual, weights).mul_(active > 0)
        torch.sum(back * normed, dim=0, out=g_scale)
        torch.sum(back, dim=0, out=g_shift)
        # Ioffe and Szegedy 2015, section 3: derivative of batch normalisation by its input
        back.sub_(g_shift / n).sub_(normed * (g_scale / n)).mul_(scale * inverse_std)
        self._first_layer.backward(back)
        return loss

    def _move(self) -> None:
        """Clip the gradient to the largest norm and take a step of AdamW."""
        schedule, step = self._schedule, self._steps
        keep, minus_rate, root_correction = (
            float(values[step, 0, 0])
            for values in (schedule.keep, schedule.minus_rate, schedule.root_correction)
        )
        beta1, beta2 = float(schedule.beta1[0, 0]), float(schedule.beta2[0, 0])
        clip = schedule.max_norm / (self._gradient_norm() + 1e-6)
        if clip < 1:
            self._gradient.mul_(clip)
        for parameters, gradient, first, second in self._blocks:
            scratch = self._scratch[: len(parameters)]
            # NumPy where it rounds as torch does, for it calls sooner: not in sums of products, nor in the square root
            _multiply(parameters, keep)
            first.lerp_(gradient, 1 - beta1)
            _multiply(second, beta2)
            second.addcmul_(gradient, gradient, value=1 - beta2)
            torch.sqrt(second, out=scratch)
            denominator = scratch.numpy()
            denominator /= np.float32(root_correction)
            denominator += np.float32(schedule.epsilon)
            parameters.addcdiv_(first, scratch, value=minus_rate)
        self._steps += 1

    def _in_order(self, values: np.ndarray, hidden: int, width: int) -> torch.Tensor:
        """(P,): a copy of what belongs to the parameters, in the order of this object's."""
        n_first = hidden * width
        first = self._first_layer.initial(values[:n_first].reshape(hidden, width))
        return torch.from_numpy(np.concatenate([first, values[n_first:]]))

    def _gradient_norm(self) -> torch.Tensor:
        if self._multiplicity is not None:
            self._gradient.div_(self._multiplicity)
            return torch.dot(self._gradient.square(), self._multiplicity).sqrt()
        norms = [torch.linalg.vector_norm(gradient) for gradient in self._layer_gradients]
        norm: torch.Tensor = torch.linalg.vector_norm(torch.stack(norms))
        return norm


def loss_and_residual(logits: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean loss per probe as `losses.mean_losses`, and its derivative by the logits.

    Parameters
    ----------
    logits
        (S, n, 1) float32 for two classes, (S, n, K) for more.
    labels
        (S, n) int64.

    Returns
    -------
    tuple
        (S,) float64 losses; (S, n, outputs) float32 derivative (σ(z) − y) / n, or (softmax(z) − onehot) / n.
    """
    n = labels.shape[-1]
    if logits.shape[-1] == 1:
        truth = labels.unsqueeze(-1).to(logits.dtype)
        loss = functional.softplus(logits).sub_(truth * logits)
        return loss.sum(dim=(1, 2), dtype=torch.float64).div_(n), torch.sigmoid(logits).sub_(truth).div_(n)
    log_shares = functional.log_softmax(logits, dim=-1)
    picked = log_shares.gather(-1, labels.unsqueeze(-1))
    residual = log_shares.exp_()
    minus_one = residual.new_full((1, 1, 1), -1.0).expand(*labels.shape, 1)
    residual.scatter_add_(-1, labels.unsqueeze(-1), minus_one)
    return picked.sum(dim=(1, 2), dtype=torch.float64).div_(-n), residual.div_(n)


def _multiply(values: torch.Tensor, factor: float) -> None:
    array = values.numpy()
    array *= np.float32(factor)


def _split(flat: torch.Tensor, width: int, hidden: int, n_outputs: int) -> tuple[torch.Tensor, ...]:
    """Hidden weights (flat), scale and shift of the batch norm, output weights, output bias."""
    sizes = [hidden * width, hidden, hidden, n_outputs * hidden, n_outputs]
    first, scale, shift, last, bias = torch.split_with_sizes(flat, sizes)
    return first, scale, shift, last.view(n_outputs, hidden), bias
