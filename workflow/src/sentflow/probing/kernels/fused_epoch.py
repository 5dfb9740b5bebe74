"""One epoch of logistic probes as compiled loops (numba): every row of a batch is read from memory once.

The derivative of a row's loss depends on the logit of that row alone, so a row is multiplied forward and at once back,
while it lies in the first-level cache; then a step of AdamW is one pass over the weights. The numbers are those of
`LogisticTraining` but for the order of float32 sums.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

# Rows that are multiplied together: enough that reads of several rows are under way at a time.
_TOGETHER = 4


def _compiled(function: F) -> F:
    """Compile at the first call, or read what an earlier process compiled for this processor.

    Sums may be reordered and products fused with them, as BLAS does; infinities and NaN keep their meaning.
    """
    result: F = numba.njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})(function)
    return result


@_compiled
def train_epoch(
    features: np.ndarray,
    labels: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    keep: np.ndarray,
    epsilon: np.ndarray,
    minus_rate: np.ndarray,
    beta1: np.ndarray,
    beta2: np.ndarray,
    max_norm: np.float32,
    multiplicity: np.ndarray,
    logits: np.ndarray,
) -> None:
    """Train S probes on their batches, one probe after the other.

    Parameters
    ----------
    features
        (n, P) float32.
    labels
        (n,) int64.
    rows
        (S, batches, B) int64 row numbers.
    weights, first, second
        (S, K, P) float32, changed in place: K outputs, and the moments of AdamW as `ArrayAdamW` keeps them.
    keep, epsilon, minus_rate
        (batches, S) float32 scalars of the steps, see `step_scalars`.
    beta1, beta2
        (S,) float32.
    max_norm
        Of a gradient.
    multiplicity
        (K, P) float32: weights that each parameter stands for; (0, 0) where each is one.
    logits
        (S, batches, K, B) float32, written: before each step.
    """
    n_batches, n = rows.shape[1:]
    gradient = np.empty_like(weights[0])
    residual = np.empty((weights.shape[1], n), np.float32)
    for probe in range(len(rows)):
        for step in range(n_batches):
            gradient[:] = np.float32(0)
            own = rows[probe, step]
            whole = n - n % _TOGETHER
            for start in range(0, whole, _TOGETHER):
                _multiply_four(features, own, start, weights[probe], logits[probe, step])
                for i in range(start, start + _TOGETHER):
                    _write_residual(logits[probe, step], labels[own[i]], i, residual)
                _add_four(features, own, start, residual, gradient)
            for i in range(whole, n):
                _multiply_one(features, own, i, weights[probe], logits[probe, step])
                _write_residual(logits[probe, step], labels[own[i]], i, residual)
                _add_one(features, own, i, residual, gradient)
            clip = _clip(gradient, multiplicity, max_norm)
            _move(
                weights[probe],
                gradient,
                first[probe],
                second[probe],
                clip,
                keep[step, probe],
                epsilon[step, probe],
                minus_rate[step, probe],
                beta1[probe],
                beta2[probe],
            )


@_compiled
def _multiply_four(
    features: np.ndarray, rows: np.ndarray, start: int, weights: np.ndarray, logits: np.ndarray
) -> None:
    one, two, three, four = rows[start], rows[start + 1], rows[start + 2], rows[start + 3]
    for k in range(len(weights)):
        a = b = c = d = np.float32(0)
        for j in range(weights.shape[1]):
            weight = weights[k, j]
            a += features[one, j] * weight
            b += features[two, j] * weight
            c += features[three, j] * weight
            d += features[four, j] * weight
        logits[k, start], logits[k, start + 1], logits[k, start + 2], logits[k, start + 3] = a, b, c, d


@_compiled
def _add_four(
    features: np.ndarray, rows: np.ndarray, start: int, residual: np.ndarray, gradient: np.ndarray
) -> None:
    one, two, three, four = rows[start], rows[start + 1], rows[start + 2], rows[start + 3]
    for k in range(len(gradient)):
        a, b = residual[k, start], residual[k, start + 1]
        c, d = residual[k, start + 2], residual[k, start + 3]
        for j in range(gradient.shape[1]):
            gradient[k, j] += (a * features[one, j] + b * features[two, j]) + (
                c * features[three, j] + d * features[four, j]
            )


@_compiled
def _multiply_one(
    features: np.ndarray, rows: np.ndarray, i: int, weights: np.ndarray, logits: np.ndarray
) -> None:
    row = rows[i]
    for k in range(len(weights)):
        logit = np.float32(0)
        for j in range(weights.shape[1]):
            logit += features[row, j] * weights[k, j]
        logits[k, i] = logit


@_compiled
def _add_one(
    features: np.ndarray, rows: np.ndarray, i: int, residual: np.ndarray, gradient: np.ndarray
) -> None:
    row = rows[i]
    for k in range(len(gradient)):
        share = residual[k, i]
        for j in range(gradient.shape[1]):
            gradient[k, j] += share * features[row, j]


@_compiled
def _write_residual(logits: np.ndarray, label: int, i: int, residual: np.ndarray) -> None:
    """Derivative of the mean loss by the logits of row i: (σ(z) − y) / B, or (softmax(z) − onehot) / B."""
    n_outputs, n = logits.shape
    if n_outputs == 1:
        share = np.float32(1) / (np.float32(1) + np.exp(-logits[0, i]))
        residual[0, i] = (share - np.float32(label)) / np.float32(n)
        return
    highest = logits[0, i]
    for k in range(1, n_outputs):
        highest = max(highest, logits[k, i])
    total = np.float32(0)
    for k in range(n_outputs):
        residual[k, i] = np.exp(logits[k, i] - highest)
        total += residual[k, i]
    for k in range(n_outputs):
        share = residual[k, i] / total
        residual[k, i] = (share - np.float32(k == label)) / np.float32(n)


@_compiled
def _clip(gradient: np.ndarray, multiplicity: np.ndarray, max_norm: np.float32) -> np.float32:
    """Factor that brings the gradient's norm down to the largest one; sums become means of equal weights' gradients."""
    squares = np.float32(0)
    if multiplicity.size == 0:
        for k in range(gradient.shape[0]):
            for j in range(gradient.shape[1]):
                squares += gradient[k, j] * gradient[k, j]
    else:
        for k in range(gradient.shape[0]):
            for j in range(gradient.shape[1]):
                gradient[k, j] /= multiplicity[k, j]
                squares += gradient[k, j] * gradient[k, j] * multiplicity[k, j]
    return min(max_norm / (np.sqrt(squares) + np.float32(1e-6)), np.float32(1))


@_compiled
def _move(
    weights: np.ndarray,
    gradient: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    clip: np.float32,
    keep: np.float32,
    epsilon: np.float32,
    minus_rate: np.float32,
    beta1: np.float32,
    beta2: np.float32,
) -> None:
    """A step of AdamW, see `ArrayAdamW`."""
    for k in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            slope = gradient[k, j] * clip
            first[k, j] = first[k, j] * beta1 + slope
            second[k, j] = second[k, j] * beta2 + slope * slope
            step = first[k, j] / (np.sqrt(second[k, j]) + epsilon)
            weights[k, j] = weights[k, j] * keep + step * minus_rate
