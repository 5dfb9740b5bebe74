"""Losses, and the classes that logits mean."""

import numpy as np


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
        shifted = logits - logits.max(axis=-1, keepdims=True)
        own = np.take_along_axis(shifted, labels[..., None], axis=-1)[..., 0]
        losses = np.log(np.exp(shifted).sum(axis=-1)) - own
    means: np.ndarray = losses.mean(axis=1, dtype=np.float64)
    return means


def sigmoid(values: np.ndarray) -> np.ndarray:
    """1 / (1 + e^−z), elementwise."""
    with np.errstate(over="ignore"):  # e^−z is infinite where the result is 0
        result: np.ndarray = 1 / (1 + np.exp(-values))
    return result


def predicted_classes(logits: np.ndarray, *, as_probabilities: bool = True) -> np.ndarray:
    """(…, n) int64 from the logits (…, n, 1) or (…, n, K) of probes on a whole part.

    Parameters
    ----------
    logits
        Of every row of the part, by one probe or by several.
    as_probabilities
        Two classes: compare a probe's logits with 0.5 where all of them lie in [0, 1]. Without it class 1 is logit > 0.

    Notes
    -----
    Two classes: torchmetrics takes logits for probabilities when all of them lie in [0, 1], and the published
    numbers were made so.
    """
    if logits.shape[-1] > 1:
        return np.asarray(logits.argmax(axis=-1))
    values = logits[..., 0]
    if not as_probabilities:
        return np.asarray(values > 0, dtype=np.int64)
    inside = (values.min(axis=-1, keepdims=True) >= 0) & (values.max(axis=-1, keepdims=True) <= 1)
    return np.asarray(np.where(inside, values, sigmoid(values)) > 0.5, dtype=np.int64)


def class_scores(logits: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """(n,) probabilities: of class 1 for two classes, of the predicted class for more."""
    if logits.shape[-1] == 1:
        return sigmoid(logits[:, 0])
    shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    scores: np.ndarray = np.take_along_axis(shares, predicted[:, None], axis=-1)[:, 0]
    return scores
