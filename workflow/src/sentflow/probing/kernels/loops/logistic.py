"""One epoch of logistic probes on dense features: every row of a batch is read from memory once.

The derivative of a row's loss depends on the logit of that row alone, so a row is multiplied forward and at once back,
while it lies in the first-level cache; then a step of AdamW is one pass over the weights.
"""

import numpy as np

from sentflow.probing.kernels.loops.common import clip_factor, compiled, inlined, move, write_residual

# Rows that are multiplied together: enough that reads of several rows are under way at a time.
_TOGETHER = 4


@inlined
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


@inlined
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


@inlined
def _multiply_one(
    features: np.ndarray, rows: np.ndarray, i: int, weights: np.ndarray, logits: np.ndarray
) -> None:
    row = rows[i]
    for k in range(len(weights)):
        logit = np.float32(0)
        for j in range(weights.shape[1]):
            logit += features[row, j] * weights[k, j]
        logits[k, i] = logit


@inlined
def _add_one(
    features: np.ndarray, rows: np.ndarray, i: int, residual: np.ndarray, gradient: np.ndarray
) -> None:
    row = rows[i]
    for k in range(len(gradient)):
        share = residual[k, i]
        for j in range(gradient.shape[1]):
            gradient[k, j] += share * features[row, j]


@compiled(
    "void(f4[:,::1], i8[::1], i8[:,:,::1], f4[:,:,::1], f4[:,:,::1], f4[:,:,::1], f4[:,:,::1], f4,"
    " f4[:,::1], f4[:,:,:,::1])"
)
def train_epoch(
    features: np.ndarray,
    labels: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    scalars: np.ndarray,
    max_norm: np.float32,
    multiplicity: np.ndarray,
    logits: np.ndarray,
) -> None:
    """Train S probes on their batches, one probe after the other.

    `features`: (n, P) float32. `labels`: (n,) int64. `rows`: (S, batches, B) int64 row numbers. `weights`, `first`,
    `second`: (S, K, P) float32, changed in place: K outputs, and the moments of AdamW as `move` keeps them. `scalars`:
    (batches, S, 5) float32, see `Schedule.scalars`. `multiplicity`: (K, P) float32: weights that each parameter stands
    for; (0, 0) where each is one. `logits`: (S, batches, K, B) float32, written: before each step.
    """
    n_batches, n = rows.shape[1:]
    gradient = np.empty_like(weights[0])
    residual = np.empty((weights.shape[1], n), np.float32)
    whole = n - n % _TOGETHER
    for probe in range(len(rows)):
        for step in range(n_batches):
            gradient[:] = np.float32(0)
            own = rows[probe, step]
            for start in range(0, whole, _TOGETHER):
                _multiply_four(features, own, start, weights[probe], logits[probe, step])
                for i in range(start, start + _TOGETHER):
                    write_residual(logits[probe, step], labels[own[i]], i, residual)
                _add_four(features, own, start, residual, gradient)
            for i in range(whole, n):
                _multiply_one(features, own, i, weights[probe], logits[probe, step])
                write_residual(logits[probe, step], labels[own[i]], i, residual)
                _add_one(features, own, i, residual, gradient)
            clip = clip_factor(gradient, multiplicity, max_norm)
            move(weights[probe], gradient, first[probe], second[probe], clip, scalars[step, probe])
