"""A step of AdamW with gradient clipping in one pass over the weights of a probe."""

import numpy as np

from sentflow.probing.kernels.loops.compiling import inlined

NO_MULTIPLICITY = np.empty((0, 0), np.float32)  # every parameter is one weight


@inlined
def clip_factor(gradient: np.ndarray, multiplicity: np.ndarray, max_norm: np.float32) -> np.float32:
    """Factor that brings the norm of a gradient (K, P) down to the largest one.

    With a multiplicity (K, P), sums over equal weights become the gradient of each of them; (0, 0) means ones.
    """
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
    return clip_of(squares, max_norm)


@inlined
def clip_of(squares: np.float32, max_norm: np.float32) -> np.float32:
    """The factor for a gradient of this squared norm, as torch.nn.utils.clip_grad_norm_ takes it."""
    return min(max_norm / (np.sqrt(squares) + np.float32(1e-6)), np.float32(1))


@inlined
def moved(
    weight: np.float32, first: np.float32, second: np.float32, slope: np.float32, scalars: np.ndarray
) -> tuple[np.float32, np.float32, np.float32]:
    """One weight and its moments, which are kept without their factors 1 − β, after a step along its slope.

    Scalars are those of one step of one probe, see `Schedule.scalars`.
    """
    keep, epsilon, minus_rate, beta1, beta2 = scalars[0], scalars[1], scalars[2], scalars[3], scalars[4]
    first = first * beta1 + slope
    second = second * beta2 + slope * slope
    return weight * keep + first / (np.sqrt(second) + epsilon) * minus_rate, first, second


@inlined
def move(
    weights: np.ndarray,
    gradient: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    clip: np.float32,
    scalars: np.ndarray,
) -> None:
    """Move (K, P) weights by their clipped gradient, see `moved`."""
    for k in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            weights[k, j], first[k, j], second[k, j] = moved(
                weights[k, j], first[k, j], second[k, j], gradient[k, j] * clip, scalars
            )
