"""A stack of one-hidden-layer probes with a hand-written gradient: linear → batch norm → ReLU → linear."""

import torch

from sentflow.probing.tensor_losses import loss_and_residual

_MOMENTUM = 0.1  # torch.nn.BatchNorm1d's defaults
_EPSILON = 1e-5


class MlpStack:
    """S probes with one hidden layer and the same initial weights, trained side by side.

    Parameters
    ----------
    features
        (n, D) float32 training rows, standardised.
    labels
        (n,) int64.
    initial
        (P,) float32 from `mlp_parameters`.
    hidden
        H, units of the hidden layer.
    n_outputs
        1 for two classes, else the number of classes.
    size
        S.
    """

    def __init__(
        self,
        features: torch.Tensor,
        labels: torch.Tensor,
        initial: torch.Tensor,
        *,
        hidden: int,
        n_outputs: int,
        size: int,
    ) -> None:
        self._features = features
        self._labels = labels
        self._shapes = _shapes(features.shape[1], hidden, n_outputs)
        self.parameters = initial.repeat(size, 1)
        self.gradient = torch.zeros_like(self.parameters)
        self._views = self._split(self.parameters)
        self._gradient_views = self._split(self.gradient)
        self._running_mean = features.new_zeros(size, 1, hidden)
        self._running_variance = features.new_ones(size, 1, hidden)

    def compute_gradient(self, rows: torch.Tensor) -> torch.Tensor:
        """Fill `gradient` from a batch (S, B) of row numbers per probe; returns the (S,) mean losses."""
        size, n = rows.shape
        hidden_weights, scale, shift, weights, bias = self._views
        g_hidden_weights, g_scale, g_shift, g_weights, g_bias = self._gradient_views

        batch = self._features[rows.reshape(-1)].view(size, n, -1)
        hidden = torch.bmm(batch, hidden_weights.transpose(1, 2))  # (S, B, H)
        variance, mean = torch.var_mean(hidden, dim=1, correction=0, keepdim=True)
        self._running_mean.lerp_(mean, _MOMENTUM)
        self._running_variance.lerp_(variance * (n / (n - 1)), _MOMENTUM)
        inverse_std = torch.rsqrt(variance + _EPSILON)
        normed = hidden.sub_(mean).mul_(inverse_std)
        active = torch.relu_(normed * scale + shift)
        logits = torch.baddbmm(bias, active, weights.transpose(1, 2))  # (S, B, outputs)

        loss, residual = loss_and_residual(logits, self._labels[rows])
        torch.bmm(residual.transpose(1, 2), active, out=g_weights)
        torch.sum(residual, dim=1, keepdim=True, out=g_bias)
        back = torch.bmm(residual, weights).mul_(active > 0)
        torch.sum(back * normed, dim=1, keepdim=True, out=g_scale)
        torch.sum(back, dim=1, keepdim=True, out=g_shift)
        # Ioffe and Szegedy 2015, section 3: derivative of batch normalisation by its input
        back.sub_(g_shift / n).sub_(normed * (g_scale / n)).mul_(scale * inverse_std)
        torch.bmm(back.transpose(1, 2), batch, out=g_hidden_weights)
        return loss

    def logits(self, features: torch.Tensor, offset: torch.Tensor | None = None) -> torch.Tensor:
        """(S, m, outputs) for (m, D) features, with the running statistics.

        `offset` (S, m, H) is added to the hidden units before the batch norm.
        """
        hidden_weights, scale, shift, weights, bias = self._views
        hidden = torch.matmul(features, hidden_weights.transpose(1, 2))
        if offset is not None:
            hidden += offset
        normed = (hidden - self._running_mean) * torch.rsqrt(self._running_variance + _EPSILON)
        return torch.baddbmm(bias, torch.relu(normed * scale + shift), weights.transpose(1, 2))

    def _split(self, flat: torch.Tensor) -> list[torch.Tensor]:
        pieces = torch.split_with_sizes(flat, [rows * columns for rows, columns in self._shapes], dim=1)
        return [torch.unflatten(piece, 1, shape) for piece, shape in zip(pieces, self._shapes, strict=True)]


def _shapes(n_features: int, hidden: int, n_outputs: int) -> list[tuple[int, int]]:
    """Hidden weights, scale and shift of the batch norm, output weights, output bias."""
    return [(hidden, n_features), (1, hidden), (1, hidden), (n_outputs, hidden), (1, n_outputs)]
