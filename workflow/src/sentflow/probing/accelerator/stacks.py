"""Stacks of probes with hand-written gradients: F folds × S probes, those of the first fold first."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import torch

from sentflow.probing.accelerator.losses import loss_and_residual
from sentflow.probing.accelerator.resident import TrainingRows
from sentflow.probing.kernels.loops.mlp import EPSILON, MOMENTUM


class ProbeStack(ABC):
    """P = F · S probes that are trained side by side; those of one fold start from the same weights.

    Parameters
    ----------
    rows
        Features and labels of all rows.
    initial
        (F, Q) float32 parameters of a probe of each fold.
    shapes
        Of a probe's layers in the order of the parameters.

    Attributes
    ----------
    parameters, gradient
        (P, Q) float32.
    """

    def __init__(
        self, rows: TrainingRows, initial: torch.Tensor, *, shapes: Sequence[tuple[int, int]]
    ) -> None:
        self._rows, self._shapes, self._size = rows, shapes, rows.size
        self._bind(initial.repeat_interleave(rows.size, dim=0))

    @abstractmethod
    def compute_gradient(self, rows: torch.Tensor) -> torch.Tensor:
        """Fill `gradient` from a batch per probe.

        Parameters
        ----------
        rows
            (p, B) int64 row numbers of the first p probes, which are those of whole folds.

        Returns
        -------
        torch.Tensor
            (p,) float64 mean loss of each batch before the step.
        """

    @abstractmethod
    def logits(self, features: torch.Tensor, *, folds: torch.Tensor | None = None) -> torch.Tensor:
        """(P, m, outputs) logits of standardised features.

        Parameters
        ----------
        features
            (F, m, D) with the rows of each fold.
        folds
            (k,) int64: these folds alone; F and P are then theirs.
        """

    def keep(self, folds: torch.Tensor) -> None:
        """Go on with some folds, given their (k,) int64 numbers; `parameters` and `gradient` are new tensors."""
        self._rows.keep(folds)
        self._bind(self._of_folds(self.parameters, folds))

    def _bind(self, parameters: torch.Tensor) -> None:
        self.parameters, self.gradient = parameters, torch.zeros_like(parameters)
        self._layers, self._layer_gradients = self._split(self.parameters), self._split(self.gradient)

    def _of_folds(self, values: torch.Tensor, folds: torch.Tensor | None) -> torch.Tensor:
        """The rows of (P, …) values that belong to some folds, or to all."""
        return values if folds is None else torch.unflatten(values, 0, (-1, self._size))[folds].flatten(0, 1)

    def _first_layer(self, features: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        """(P, m, units) of (F, m, D) features and (P, units, D) weights: one product per fold."""
        n_folds, n_rows, width = features.shape
        together = weights.reshape(n_folds, -1, width)
        units = torch.bmm(features, together.transpose(1, 2)).view(n_folds, n_rows, self._size, -1)
        return units.transpose(1, 2).reshape(len(weights), n_rows, -1)

    def _split(self, flat: torch.Tensor) -> list[torch.Tensor]:
        pieces = torch.split_with_sizes(flat, [rows * columns for rows, columns in self._shapes], dim=1)
        return [torch.unflatten(piece, 1, shape) for piece, shape in zip(pieces, self._shapes, strict=True)]


class LogisticStack(ProbeStack):
    """Linear probes, see `ProbeStack`; initial parameters from `logistic_parameters`.

    The bias is the weight of a last feature that is 1 in every row.
    """

    def __init__(self, rows: TrainingRows, initial: torch.Tensor, *, n_outputs: int) -> None:
        super().__init__(rows, initial, shapes=[(n_outputs, rows.width)])

    def compute_gradient(self, rows: torch.Tensor) -> torch.Tensor:
        """See `ProbeStack`."""
        n_probes = len(rows)
        [weights], [g_weights] = self._layers, self._layer_gradients
        batch, labels = self._rows.batch(rows)
        logits = torch.bmm(batch, weights[:n_probes].transpose(1, 2))
        loss, residual = loss_and_residual(logits, labels)
        torch.bmm(residual.transpose(1, 2), batch, out=g_weights[:n_probes])
        return loss

    def logits(self, features: torch.Tensor, *, folds: torch.Tensor | None = None) -> torch.Tensor:
        """See `ProbeStack`."""
        return self._first_layer(features, self._of_folds(self._layers[0], folds))


class MlpStack(ProbeStack):
    """Probes with one hidden layer of H units, see `ProbeStack`; initial parameters from `mlp_parameters`."""

    def __init__(self, rows: TrainingRows, initial: torch.Tensor, *, hidden: int, n_outputs: int) -> None:
        # hidden weights, scale and shift of the batch norm, output weights, output bias
        shapes = [(hidden, rows.width), (1, hidden), (1, hidden), (n_outputs, hidden), (1, n_outputs)]
        super().__init__(rows, initial, shapes=shapes)
        self._running_mean = initial.new_zeros(len(self.parameters), 1, hidden)
        self._running_variance = initial.new_ones(len(self.parameters), 1, hidden)

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
        self._running_mean[:n_probes].lerp_(mean, MOMENTUM)
        self._running_variance[:n_probes].lerp_(variance * (n / (n - 1)), MOMENTUM)
        inverse_std = torch.rsqrt(variance + EPSILON)
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

    def logits(self, features: torch.Tensor, *, folds: torch.Tensor | None = None) -> torch.Tensor:
        """See `ProbeStack`; the batch norm uses the running statistics."""
        hidden_weights, scale, shift, weights, bias = (self._of_folds(layer, folds) for layer in self._layers)
        hidden = self._first_layer(features, hidden_weights)
        hidden.sub_(self._of_folds(self._running_mean, folds))
        hidden.mul_(torch.rsqrt(self._of_folds(self._running_variance, folds) + EPSILON))
        active = torch.relu_(hidden.mul_(scale).add_(shift))
        return torch.baddbmm(bias, active, weights.transpose(1, 2))

    def keep(self, folds: torch.Tensor) -> None:
        """See `ProbeStack`."""
        super().keep(folds)
        self._running_mean = self._of_folds(self._running_mean, folds)
        self._running_variance = self._of_folds(self._running_variance, folds)
