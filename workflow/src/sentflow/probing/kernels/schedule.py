"""The scalars of every training step, losses, and the classes that logits mean."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sentflow.probing.settings import ProbeProtocol, Setting


def mean_losses(logits: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Mean cross-entropy of each of S sets of rows.

    `logits`: (S, n, 1) float32 for two classes, (S, n, K) for more. `labels`: (S, n) int64. Returns (S,) float64.

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

    `logits`: of every row of the part, by one probe or by several. `as_probabilities`: two classes: compare a probe's
    logits with 0.5 where all of them lie in [0, 1]. Without it class 1 is logit > 0.

    Two classes: torchmetrics takes logits for probabilities when all of them lie in [0, 1], and the published numbers
    were made so.
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


@dataclass(frozen=True)
class Schedule:
    """What AdamW (Loshchilov and Hutter 2019, algorithm 2) multiplies by at each step of S probes."""

    # scalars: (steps, S, 5) float32: factor of the weights, epsilon, minus the rate, β₁, β₂; of moments without their
    # factors 1 − β₁ and 1 − β₂, which are in the rate and in epsilon
    scalars: np.ndarray
    # decay: (steps + 1, S, 1) float64: what weight decay alone has left of a weight before this step
    decay: np.ndarray
    max_norm: np.float32  # of clipping


def adamw_schedule(
    settings: Sequence[Setting], protocol: ProbeProtocol, *, n_steps: int, warmup_steps: int
) -> Schedule:
    """The schedule of S settings.

    `settings`: one per probe. `protocol`: Gives weight decay, warm-up, clipping. `n_steps`: most steps that will be
    taken. `warmup_steps`: Steps until the learning rate reaches its full value; 0 keeps it at `warmup_start` for ever,
    as the published evaluator does for training parts below 512 rows.
    """
    learning_rate, beta1, beta2 = (np.array(values)[:, None] for values in zip(*settings, strict=True))
    steps = np.arange(1, n_steps + 1)[:, None, None]
    factors = warmup_factors(n_steps, warmup_steps=warmup_steps, start=protocol.warmup_start)
    rates = learning_rate * factors[:, None, None]
    keep = 1 - rates * protocol.weight_decay
    root = np.sqrt(1 - beta2**steps) / np.sqrt(1 - beta2)
    minus_rate = -rates / (1 - beta1**steps) * (1 - beta1) * root
    scalars = np.broadcast_arrays(keep, protocol.epsilon * root, minus_rate, beta1, beta2)
    return Schedule(
        scalars=np.concatenate(scalars, axis=-1).astype(np.float32),
        decay=np.concatenate([np.ones_like(keep[:1]), keep.cumprod(axis=0)]),
        max_norm=np.float32(protocol.max_gradient_norm),
    )


def warmup_factors(n_steps: int, *, warmup_steps: int, start: float) -> np.ndarray:
    """(n_steps,) factor of the learning rate at each step, `start` to 1 after `warmup_steps`."""
    if warmup_steps == 0:
        return np.full(n_steps, start)
    progress = np.minimum(np.arange(n_steps) / warmup_steps, 1)
    return start + (1 - start) * progress
