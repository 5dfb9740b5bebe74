"""A stack of logistic probes with a hand-written gradient, on tensors: for accelerators."""

import torch

from sentflow.probing.accelerator.probe_stack import ProbeStack
from sentflow.probing.accelerator.tensor_batches import Scaling
from sentflow.probing.kernels.tensor_losses import loss_and_residual


class LogisticStack(ProbeStack):
    """Linear probes, see `ProbeStack`; initial parameters from `logistic_parameters`.

    The bias is the weight of a last feature that is 1 in every row.
    """

    def __init__(
        self,
        features: torch.Tensor,
        labels: torch.Tensor,
        initial: torch.Tensor,
        *,
        n_outputs: int,
        size: int,
        scaling: Scaling | None = None,
    ) -> None:
        shapes = [(n_outputs, features.shape[1])]
        super().__init__(features, labels, initial, shapes=shapes, size=size, scaling=scaling)

    def compute_gradient(self, rows: torch.Tensor) -> torch.Tensor:
        """See `ProbeStack`."""
        n_probes = len(rows)
        [weights], [g_weights] = self._layers, self._layer_gradients
        batch, labels = self._rows.batch(rows)
        logits = torch.bmm(batch, weights[:n_probes].transpose(1, 2))
        loss, residual = loss_and_residual(logits, labels)
        torch.bmm(residual.transpose(1, 2), batch, out=g_weights[:n_probes])
        return loss

    def logits(
        self, features: torch.Tensor, offset: torch.Tensor | None = None, *, folds: torch.Tensor | None = None
    ) -> torch.Tensor:
        """See `ProbeStack`."""
        logits = self._first_layer(features, self._of_folds(self._layers[0], folds))
        return logits if offset is None else logits + offset
