"""The derivative of the mean loss by the logits of one row."""

import numpy as np

from sentflow.probing.kernels.loops.compiling import inlined


@inlined
def write_residual(logits: np.ndarray, label: int, i: int, residual: np.ndarray) -> None:
    """Column i of (K, B) from that of the logits (K, B): (σ(z) − y) / B, or (softmax(z) − onehot) / B."""
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
