"""What the loops of training share: how they are compiled, a step of AdamW, the derivative of the loss, shuffles."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite.binding import get_host_cpu_name

F = TypeVar("F", bound=Callable[..., Any])

# Sums may be reordered and products fused with them, as BLAS does; infinities and NaN keep their meaning.
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz"}}


def compiled(signature: str) -> Callable[[F], F]:
    """Compile for one signature when the module is imported, or read what an earlier process compiled."""
    return numba.njit(signature, cache=True, **_OPTIONS)  # type: ignore[no-any-return]


def inlined(function: F) -> F:
    """Compile as a part of the loops that call it.

    Without force, LLVM may leave it a function of its own; and a process that reads two loops from the cache calls the
    copy of one of them in both, which may have other bits than the copy that the loop was compiled with.
    """
    result: F = numba.njit(forceinline=True, **_OPTIONS)(function)
    return result


def _cache_folder() -> str:
    """Beside this file, one folder per processor and state of all loops.

    Numba notes in its cache for which processor a loop was compiled, and its index loses entries where processes write
    it at the same time; so machines of two kinds that share a disk get a folder each. It looks at the age of the one
    file in which a loop is written, but not of those whose loops are parts of it; so the folder has the digest of all.
    """
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for module in sorted(here.glob("*.py")):
        digest.update(module.read_bytes())
    return str(here / "__pycache__" / f"{get_host_cpu_name()}-{digest.hexdigest()[:16]}")


if not numba.config.CACHE_DIR:  # NUMBA_CACHE_DIR
    numba.config.CACHE_DIR = _cache_folder()

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


@compiled("void(u4[:,:], i8[:,::1])")
def shuffle(words: np.ndarray, orders: np.ndarray) -> None:
    """Write (epochs, n) int64 orders from (epochs, n − 1) words: position i swaps with i + word mod (n − i)."""
    epochs, n = orders.shape
    for epoch in range(epochs):
        order = orders[epoch]
        for i in range(n):
            order[i] = i
        for i in range(n - 1):
            partner = i + np.int64(words[epoch, i] % np.uint32(n - i))
            order[i], order[partner] = order[partner], order[i]
