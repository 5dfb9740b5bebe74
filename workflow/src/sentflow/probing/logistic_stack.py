"""A stack of logistic probes with a hand-written gradient, on tensors: for accelerators."""

import torch

from sentflow.probing.tensor_losses import loss_and_residual


class LogisticStack:
    """S linear probes with the same initial weights, trained side by side on the same features.

    The bias is the weight of a last feature that is 1 in every row.

    Parameters
    ----------
    features
        (n, D + 1) float32 training rows, standardised, with the column of ones.
    labels
        (n,) int64.
    initial
        (P,) float32 from `logistic_parameters`.
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
        n_outputs: int,
        size: int,
    ) -> None:
        self._features = features
        self._labels = labels
        self.parameters = initial.repeat(size, 1)
        self.gradient = torch.zeros_like(self.parameters)
        self._weights = self.parameters.view(size, n_outputs, features.shape[1])
        self._weight_gradient = self.gradient.view(size, n_outputs, features.shape[1])
        self._buffer = torch.empty(0)

    def compute_gradient(self, rows: torch.Tensor) -> torch.Tensor:
        """Fill `gradient` from a batch per probe.

        Parameters
        ----------
        rows
            (S, B) int64 row numbers.

        Returns
        -------
        torch.Tensor
            (S,) mean loss of each batch before the step.
        """
        size, n = rows.shape
        if self._buffer.shape[:2] != (size, n):
            self._buffer = self._features.new_empty(size, n, self._features.shape[1])
        torch.index_select(self._features, 0, rows.reshape(-1), out=self._buffer.view(size * n, -1))
        logits = torch.bmm(self._buffer, self._weights.transpose(1, 2))
        loss, residual = loss_and_residual(logits, self._labels[rows])
        torch.bmm(residual.transpose(1, 2), self._buffer, out=self._weight_gradient)
        return loss

    def logits(self, features: torch.Tensor, offset: torch.Tensor | None = None) -> torch.Tensor:
        """(S, m, outputs) for (m, D + 1) features, plus the `offset` (S, m, outputs)."""
        logits = features @ self._weights.transpose(1, 2)
        return logits if offset is None else logits + offset
