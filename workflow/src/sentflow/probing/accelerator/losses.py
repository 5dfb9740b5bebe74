"""Losses of stacks of probes, as tensors."""

import torch
from torch.nn import functional


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
