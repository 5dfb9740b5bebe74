"""What follows the first layer of an MLP probe, forward and back, unit by unit: a unit's batch stays in the cache.

And a step of AdamW in one pass over the weights.
"""

import numpy as np

from sentflow.probing.kernels.loops.common import clip_factor, compiled, inlined, move, write_residual

MOMENTUM = 0.1  # torch.nn.BatchNorm1d's defaults
EPSILON = 1e-5


@inlined
def _standardise(values: np.ndarray) -> tuple[np.float32, np.float32]:
    """Take the mean from (B,) values; gives it and the biased variance."""
    n = np.float32(len(values))
    total = np.float32(0)
    for i in range(len(values)):
        total += values[i]
    mean = total / n
    squares = np.float32(0)
    for i in range(len(values)):
        values[i] -= mean
        squares += values[i] * values[i]
    return mean, squares / n


@inlined
def _back(
    normed: np.ndarray,
    active: np.ndarray,
    residual: np.ndarray,
    weights: np.ndarray,
    h: int,
    g_scale: np.ndarray,
    g_shift: np.ndarray,
    g_weights: np.ndarray,
) -> None:
    """From the outputs back to the batch norm of unit h; its derivative (B,) is written over `active`."""
    n_outputs, n = residual.shape
    for k in range(n_outputs):
        total = np.float32(0)
        for i in range(n):
            total += residual[k, i] * active[i]
        g_weights[k, h] = total
    by_scale = by_shift = np.float32(0)
    for i in range(n):
        back = np.float32(0)
        for k in range(n_outputs):
            back += residual[k, i] * weights[k, h]
        active[i] = back if active[i] > np.float32(0) else np.float32(0)
        by_scale += active[i] * normed[i]
        by_shift += active[i]
    g_scale[h], g_shift[h] = by_scale, by_shift


@compiled(
    "void(f4[:,::1], i8[::1], f4[::1], f4[::1], f4[:,::1], f4[::1], f4[::1], f4[::1], f4[:,::1], f4[::1],"
    " f4[::1], f4[::1], f4[:,::1])"
)
def forward_and_back(
    hidden: np.ndarray,
    labels: np.ndarray,
    scale: np.ndarray,
    shift: np.ndarray,
    weights: np.ndarray,
    bias: np.ndarray,
    g_scale: np.ndarray,
    g_shift: np.ndarray,
    g_weights: np.ndarray,
    g_bias: np.ndarray,
    running_mean: np.ndarray,
    running_variance: np.ndarray,
    logits: np.ndarray,
) -> None:
    """Batch norm, ReLU, output layer, loss, and back.

    `hidden`: (H, B) float32 values of the hidden units; the derivative of the loss by them is written over them.
    `labels`: (B,) int64 of the rows of the batch. `scale`, `shift`, `weights`, `bias`: (H,), (H,), (K, H) and (K,)
    float32 parameters; `g_…` are written: the derivative by each. `running_mean`, `running_variance`: (H,) float32 of
    the batch norm, moved towards those of the batch. `logits`: (K, B) float32, written.
    """
    n_hidden, n = hidden.shape
    n_outputs = len(weights)
    active = np.empty((n_hidden, n), np.float32)
    inverse_std = np.empty(n_hidden, np.float32)
    for k in range(n_outputs):
        for i in range(n):
            logits[k, i] = bias[k]
    for h in range(n_hidden):
        mean, variance = _standardise(hidden[h])
        inverse_std[h] = np.float32(1) / np.sqrt(variance + np.float32(EPSILON))
        running_mean[h] += np.float32(MOMENTUM) * (mean - running_mean[h])
        unbiased = variance * (np.float32(n) / np.float32(n - 1))
        running_variance[h] += np.float32(MOMENTUM) * (unbiased - running_variance[h])
        for i in range(n):
            hidden[h, i] *= inverse_std[h]
            active[h, i] = max(hidden[h, i] * scale[h] + shift[h], np.float32(0))
        for k in range(n_outputs):
            for i in range(n):
                logits[k, i] += weights[k, h] * active[h, i]
    residual = np.empty((n_outputs, n), np.float32)
    for i in range(n):
        write_residual(logits, labels[i], i, residual)
    for k in range(n_outputs):
        total = np.float32(0)
        for i in range(n):
            total += residual[k, i]
        g_bias[k] = total
    for h in range(n_hidden):
        _back(hidden[h], active[h], residual, weights, h, g_scale, g_shift, g_weights)
        # Ioffe and Szegedy 2015, section 3: derivative of batch normalisation by its input
        factor = scale[h] * inverse_std[h]
        mean_shift, mean_scale = g_shift[h] / np.float32(n), g_scale[h] / np.float32(n)
        for i in range(n):
            hidden[h, i] = (active[h, i] - mean_shift - hidden[h, i] * mean_scale) * factor


@compiled("void(f4[:,::1], f4[:,::1], f4[:,::1], f4[:,::1], f4[:,::1], f4, f4[::1])")
def clip_and_move(
    weights: np.ndarray,
    gradient: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    multiplicity: np.ndarray,
    max_norm: np.float32,
    scalars: np.ndarray,
) -> None:
    """A whole step, see `clip_factor` and `move`."""
    move(weights, gradient, first, second, clip_factor(gradient, multiplicity, max_norm), scalars)
