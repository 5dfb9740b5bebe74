"""The scalars of every training step, computed beforehand."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sentflow.probing.settings import ProbeProtocol, Setting


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

    Parameters
    ----------
    settings
        One per probe.
    protocol
        Gives weight decay, warm-up, clipping.
    n_steps
        Most steps that will be taken.
    warmup_steps
        Steps until the learning rate reaches its full value; 0 keeps it at `warmup_start` for ever, as the
        published evaluator does for training parts below 512 rows.
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
