"""Sparse features: epochs of logistic probes, and the first layer of an MLP probe, entry by entry.

Features (n, D) are a matrix in rows (values, columns, starts of the rows) less the same shift (D,) in every row.
Weights of a layer are (D, H), a line per column of the features, for an entry meets all units of its column. The rows
of a batch have entries in some of the columns; of the others the gradient is 0, and is neither written nor read, since
at these sizes (millions of weights) memory decides how long a step takes.
"""

import numpy as np

from sentflow.probing.kernels.loops.common import clip_factor, clip_of, compiled, move, moved, write_residual


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


@compiled("void(f4[::1], i8[::1], i8[::1], i8[::1], f4[:,::1], f4[::1], f4[:,::1])")
def multiply_rows(
    values: np.ndarray,
    columns: np.ndarray,
    starts: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
    level: np.ndarray,
    out: np.ndarray,
) -> None:
    """Products of some rows (B,) with (D, H) weights, less a level (H,), written to (H, B)."""
    sums = np.empty(weights.shape[1], np.float32)
    for i in range(len(rows)):
        sums[:] = np.float32(0)
        for entry in range(starts[rows[i]], starts[rows[i] + 1]):
            value, column = values[entry], columns[entry]
            for h in range(len(sums)):
                sums[h] += value * weights[column, h]
        for h in range(len(sums)):
            out[h, i] = sums[h] - level[h]


@compiled("void(f4[::1], i8[::1], i8[::1], i8[::1], f4[:,::1], f4[:,::1], b1[::1])")
def add_rows(
    values: np.ndarray,
    columns: np.ndarray,
    starts: np.ndarray,
    rows: np.ndarray,
    factors: np.ndarray,
    out: np.ndarray,
    met: np.ndarray,
) -> None:
    """Sum of the rows (B,), each times its factors (H, B), written to the columns of (D, H) that they meet.

    Which those are is written to (D,) `met`; the other lines of `out` are left as they are.
    """
    met[:] = False
    own = np.empty(len(factors), np.float32)
    for i in range(len(rows)):
        for h in range(len(own)):
            own[h] = factors[h, i]
        for entry in range(starts[rows[i]], starts[rows[i] + 1]):
            value, column = values[entry], columns[entry]
            if not met[column]:
                met[column] = True
                for h in range(len(own)):
                    out[column, h] = value * own[h]
            else:
                for h in range(len(own)):
                    out[column, h] += value * own[h]


@compiled(
    "void(f4[:,::1], f4[:,::1], f4[:,::1], f4[:,::1], b1[::1], f4[::1], f4[:,::1], f4[:,::1], f4[:,::1], f4[:,::1],"
    " f4[::1], f4[::1], f4, f4[::1])"
)
def clip_and_move_columns(
    weights: np.ndarray,
    gradient: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    met: np.ndarray,
    multiplicity: np.ndarray,
    others: np.ndarray,
    others_gradient: np.ndarray,
    others_first: np.ndarray,
    others_second: np.ndarray,
    shift: np.ndarray,
    level: np.ndarray,
    max_norm: np.float32,
    scalars: np.ndarray,
) -> None:
    """A whole step, as `mlp.clip_and_move` takes it.

    `weights`, `gradient`, `first`, `second`: (D, H) float32 weights, gradient and moments of the first layer. `met`:
    (D,) bool: where the gradient is not 0; other lines of it are not read. `multiplicity`: (D,) float32: how many
    equal weights each stands for; its gradient is the sum of theirs. `others`, `others_gradient`, `others_first`,
    `others_second`: (1, P) float32 of the later layers. `shift`, `level`: (D,) and (H,) float32: the product of the
    shift and the moved weights is written to `level`.
    """
    n_hidden = weights.shape[1]
    squares = np.float32(0)
    for j in range(others_gradient.shape[1]):
        squares += others_gradient[0, j] * others_gradient[0, j]
    for column in range(len(weights)):
        if met[column]:
            own = np.float32(0)
            for h in range(n_hidden):
                gradient[column, h] /= multiplicity[column]
                own += gradient[column, h] * gradient[column, h]
            squares += own * multiplicity[column]
    clip = clip_of(squares, max_norm)
    move(others, others_gradient, others_first, others_second, clip, scalars)
    level[:] = np.float32(0)
    none = np.zeros(n_hidden, np.float32)
    for column in range(len(weights)):
        slopes = gradient[column] if met[column] else none
        for h in range(n_hidden):
            weights[column, h], first[column, h], second[column, h] = moved(
                weights[column, h], first[column, h], second[column, h], slopes[h] * clip, scalars
            )
            level[h] += shift[column] * weights[column, h]
