"""Features on the scale of the training part."""

import logging
from collections.abc import Sequence

import numpy as np

logger = logging.getLogger(__name__)

_ROWS_AT_ONCE = 64  # float32 sums of so few squares are exact enough to be added up in float64


def standardised(
    parts: Sequence[np.ndarray], *, ones: bool, torch_rounding: bool = False, unscaled_constant: bool = False
) -> list[np.ndarray]:
    """Standardise by the first (training) part: (x − mean) / (1e-12 + std), std unbiased, in float32.

    Parameters
    ----------
    parts
        Features (n, D) float32 of the training, evaluation and test part.
    ones
        Append the column of ones that carries a logistic probe's bias.
    torch_rounding
        Sum as torch does, as the published evaluator; else in float64, which is faster and differs in the last bit.
        An MLP carries that bit into the fifth digit of its losses.
    unscaled_constant
        Columns that are constant on the training part become x − mean, instead of (x − mean) · 1e12.
    """
    if torch_rounding:
        mean, std = _torch_moments(parts[0])
    else:
        mean, std = _moments(parts[0])
    scale = std + np.float32(1e-12)
    if unscaled_constant:
        constant = (parts[0] == parts[0][0]).all(axis=0)
        mean[constant], scale[constant] = parts[0][0][constant], 1
        if constant.any():
            logger.info(
                "%d of %d columns are constant on the training part: left unscaled",
                constant.sum(),
                len(scale),
            )
    results = []
    for features in parts:
        scaled = np.ones((len(features), len(mean) + ones), np.float32)
        inner = scaled[:, : len(mean)]
        np.subtract(features, mean, out=inner)
        inner /= scale
        results.append(scaled)
    return results


def _moments(features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    mean = features.mean(axis=0, dtype=np.float64).astype(np.float32)
    squares = np.zeros(len(mean))
    for start in range(0, len(features), _ROWS_AT_ONCE):
        deviations = features[start : start + _ROWS_AT_ONCE] - mean
        squares += np.square(deviations, out=deviations).sum(axis=0)
    return mean, np.sqrt(squares / (len(features) - 1)).astype(np.float32)


def _torch_moments(features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    import torch

    std, mean = torch.std_mean(torch.from_numpy(features), dim=0)
    return mean.numpy(), std.numpy()
