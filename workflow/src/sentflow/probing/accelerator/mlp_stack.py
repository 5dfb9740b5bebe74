"""A stack of one-hidden-layer probes with a hand-written gradient: linear → batch norm → ReLU → linear."""

import torch

from sentflow.probing.accelerator.probe_stack import ProbeStack
from sentflow.probing.accelerator.tensor_batches import Scaling
from sentflow.probing.kernels.tensor_losses import loss_and_residual

_MOMENTUM = 0.1  # torch.nn.BatchNorm1d's defaults
_EPSILON = 1e-5


class MlpStack(ProbeStack):
    """Probes with one hidden layer of H units, see `ProbeStack`; initial parameters from `mlp_parameters`."""

    def __init__(
        self,
        features: torch.Tensor,
        labels: torch.Tensor,
        initial: torch.Tensor,
        *,
        hidden: int,
        n_outputs: int,
        size: int,
        scaling: Scaling | None = None,
    ) -> None:
        shapes = _shapes(features.shape[1], hidden, n_outputs)
        super().__init__(features, labels, initial, shapes=shapes, size=size, scaling=scaling)
        self._running_mean = features.new_zeros(len(self.parameters), 1, hidden)
        self._running_variance = features.new_ones(len(self.parameters), 1, hidden)

    def compute_gradient(self, rows: torch.Tensor) -> torch.Tensor:
        """See `ProbeStack`."""
        n_probes, n = rows.shape
        hidden_weights, scale, shift, weights, bias = (layer[:n_probes] for layer in self._layers)
        g_hidden_weights, g_scale, g_shift, g_weights, g_bias = (
            gradient[:n_probes] for gradient in self._layer_gradients
        )

        batch, labels = self._rows.batch(rows)
        hidden = torch.bmm(batch, hidden_weights.transpose(1, 2))  # (p, B, H)
        variance, mean = torch.var_mean(hidden, dim=1, correction=0, keepdim=True)
        self._running_mean[:n_probes].lerp_(mean, _MOMENTUM)
        self._running_variance[:n_probes].lerp_(variance * (n / (n - 1)), _MOMENTUM)
        inverse_std = torch.rsqrt(variance + _EPSILON)
        normed = hidden.sub_(mean).mul_(inverse_std)
        active = torch.relu_(normed * scale + shift)
        logits = torch.baddbmm(bias, active, weights.transpose(1, 2))  # (p, B, outputs)

        loss, residual = loss_and_residual(logits, labels)
        torch.bmm(residual.transpose(1, 2), active, out=g_weights)
        torch.sum(residual, dim=1, keepdim=True, out=g_bias)
        back = torch.bmm(residual, weights).mul_(active > 0)
        torch.sum(back * normed, dim=1, keepdim=True, out=g_scale)
        torch.sum(back, dim=1, keepdim=True, out=g_shift)
        # Ioffe and Szegedy 2015, section 3: derivative of batch normalisation by its input
        back.sub_(g_shift / n).sub_(normed * (g_scale / n)).mul_(scale * inverse_std)
        torch.bmm(back.transpose(1, 2), batch, out=g_hidden_weights)
        return loss

    def logits(
        self, features: torch.Tensor, offset: torch.Tensor | None = None, *, folds: torch.Tensor | None = None
    ) -> torch.Tensor:
        """See `ProbeStack`; the batch norm, before which the offset is added, uses the running statistics."""
        hidden_weights, scale, shift, weights, bias = (self._of_folds(layer, folds) for layer in self._layers)
        hidden = self._first_layer(features, hidden_weights)
        if offset is not None:
            hidden += offset
        hidden.sub_(self._of_folds(self._running_mean, folds))
        hidden.mul_(torch.rsqrt(self._of_folds(self._running_variance, folds) + _EPSILON))
        active = torch.relu_(hidden.mul_(scale).add_(shift))
        return torch.baddbmm(bias, active, weights.transpose(1, 2))

    def keep(self, folds: torch.Tensor) -> None:
        """See `ProbeStack`."""
        super().keep(folds)
        self._running_mean = self._of_folds(self._running_mean, folds)
        self._running_variance = self._of_folds(self._running_variance, folds)


def _shapes(n_features: int, hidden: int, n_outputs: int) -> list[tuple[int, int]]:
    """Hidden weights, scale and shift of the batch norm, output weights, output bias."""
    return [(hidden, n_features), (1, hidden), (1, hidden), (n_outputs, hidden), (1, n_outputs)]
