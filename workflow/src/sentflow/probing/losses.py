"""Losses, their derivative, and the classes that logits mean."""

import numpy as np
import torch
from scipy.special import expit, log_softmax, softmax
from torch.nn import functional


def mean_losses(logits: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Mean cross-entropy of each of S sets of rows.

    Parameters
    ----------
    logits
        (S, n, 1) float32 for two classes, (S, n, K) for more.
    labels
        (S, n) int64.

    Returns
    -------
    np.ndarray
        (S,) float64.

    Notes
    -----
    Two classes: the sum runs in float64, because the published evaluator's binary labels are float64.
    """
    if logits.shape[-1] == 1:
        values = logits[..., 0]
        losses = np.logaddexp(np.float32(0), values) - labels.astype(np.float32) * values
    else:
        losses = -np.take_along_axis(log_softmax(logits, axis=-1), labels[..., None], axis=-1)[..., 0]
    means: np.ndarray = losses.mean(axis=1, dtype=np.float64)
    return means


def loss_and_residual(logits: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean loss per probe as in `mean_losses`, and its derivative by the logits.

    Parameters
    ----------
    logits, labels
        Tensors of the shapes of `mean_losses`.

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


def predicted_classes(logits: np.ndarray) -> np.ndarray:
    """(n,) int64 from the logits (n, 1) or (n, K) of one probe on a whole part.

    Notes
    -----
    Two classes: torchmetrics takes logits for probabilities when all of them lie in [0, 1], and the published
    numbers were made so.
    """
    if logits.shape[-1] > 1:
        return np.asarray(logits.argmax(axis=-1))
    values = logits[:, 0]
    if values.min() < 0 or values.max() > 1:
        values = expit(values)
    return np.asarray(values > 0.5, dtype=np.int64)


def class_scores(logits: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """(n,) probabilities: of class 1 for two classes, of the predicted class for more."""
    if logits.shape[-1] == 1:
        scores: np.ndarray = expit(logits[:, 0])
        return scores
    return np.take_along_axis(softmax(logits, axis=-1), predicted[:, None], axis=-1)[:, 0]
