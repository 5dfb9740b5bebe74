"""Sparse features: epochs of logistic probes, entry by entry.

Features (n, D) are a matrix in rows (values, columns, starts of the rows) less the same shift (D,) in every row.
"""

import numpy as np

from sentflow.probing.kernels.loops.common import clip_factor, compiled, move, write_residual


@compiled(
    "void(f4[::1], i8[::1], i8[::1], f4[::1], i8[::1], i8[:,:,::1], f4[:,:,::1], f4[:,:,::1], f4[:,:,::1],"
    " f4[:,:,::1], f4, f4[:,::1], f4[:,:,:,::1])"
)
def train_epoch(
    values: np.ndarray,
    columns: np.ndarray,
    starts: np.ndarray,
    shift: np.ndarray,
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
    """Train S logistic probes on their batches; what is no entry of the features is as in `logistic.train_epoch`.

    `values`, `columns`, `starts`: (E,) float32, (E,) int64 and (n + 1,) int64. `shift`: (D,) float32.
    """
    n_batches, n = rows.shape[1:]
    n_outputs, width = weights.shape[1:]
    gradient = np.empty_like(weights[0])
    residual = np.empty((n_outputs, n), np.float32)
    for probe in range(len(rows)):
        own = weights[probe]
        for step in range(n_batches):
            batch, out = rows[probe, step], logits[probe, step]
            for k in range(n_outputs):
                level = np.float32(0)
                for j in range(width):
                    level += shift[j] * own[k, j]
                for i in range(n):
                    logit = -level
                    for entry in range(starts[batch[i]], starts[batch[i] + 1]):
                        logit += values[entry] * own[k, columns[entry]]
                    out[k, i] = logit
            for i in range(n):
                write_residual(out, labels[batch[i]], i, residual)
            for k in range(n_outputs):
                total = np.float32(0)
                for i in range(n):
                    total += residual[k, i]
                for j in range(width):
                    gradient[k, j] = -total * shift[j]
                for i in range(n):
                    for entry in range(starts[batch[i]], starts[batch[i] + 1]):
                        gradient[k, columns[entry]] += residual[k, i] * values[entry]
            clip = clip_factor(gradient, multiplicity, max_norm)
            move(own, gradient, first[probe], second[probe], clip, scalars[step, probe])
