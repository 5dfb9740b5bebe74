"""Losses, their derivative, and the classes that logits mean."""

import torch
from torch.nn import functional


def loss_and_residual(logits: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean loss per probe, and its derivative by the logits.

    Parameters
    ----------
    logits
        (S, n, 1) for two classes, (S, n, K) for more.
    labels
        (S, n) int64.

    Returns
    -------
    tuple
        (S,) float64 losses; (S, n, outputs) float32 derivative (σ(z) − y) / n, or (softmax(z) − onehot) / n.

    Notes
    -----
    Two classes: the sum runs in float64, because the published evaluator's binary labels are float64.
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


def predicted_classes(logits: torch.Tensor) -> torch.Tensor:
    """(n,) int64 from the logits (n, 1) or (n, K) of one probe on a whole part.

    Notes
    -----
    Two classes: torchmetrics takes logits for probabilities when all of them lie in [0, 1], and the published
    numbers were made so.
    """
    if logits.shape[-1] > 1:
        return logits.argmax(dim=-1)
    values = logits.squeeze(-1)
    if bool(((values < 0) | (values > 1)).any()):
        values = torch.sigmoid(values)
    return (values > 0.5).long()


def class_scores(logits: torch.Tensor, predicted: torch.Tensor) -> torch.Tensor:
    """(n,) probabilities: of class 1 for two classes, of the predicted class for more."""
    if logits.shape[-1] == 1:
        return torch.sigmoid(logits.squeeze(-1))
    return functional.softmax(logits, dim=-1).gather(-1, predicted.unsqueeze(-1)).squeeze(-1)
