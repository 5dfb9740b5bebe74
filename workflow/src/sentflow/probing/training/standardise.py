"""Features on the scale of the training part."""

import logging
from collections.abc import Iterator, Sequence

import numpy as np

from sentflow.probing.features.sources import SelectedRows

logger = logging.getLogger(__name__)

_ROWS_AT_ONCE = 64  # float32 sums of so few squares are exact enough to be added up in float64


def standardised(
    parts: Sequence[np.ndarray | SelectedRows],
    *,
    ones: bool,
    unscaled_constant: bool = False,
) -> list[np.ndarray]:
    """Standardise by the first (training) part: (x − mean) / (1e-12 + std), std unbiased, in float32.

    `parts`: features (n, D) float32 of the training, evaluation and test part; they are left as they are.
    `unscaled_constant`: columns that are constant on the training part become x − mean, instead of (x − mean) · 1e12.
    """
    copies = [_copy(part, ones=ones) for part in parts]
    inner = [copy[:, : parts[0].shape[1]] for copy in copies]
    train = inner[0]
    mean, std = _moments(train)
    scale = std + np.float32(1e-12)
    if unscaled_constant:
        constant = np.all([(some == train[0]).all(axis=0) for some in _blocks(train)], axis=0)
        mean[constant], scale[constant] = train[0][constant], 1
        if constant.any():
            logger.info(
                "%d of %d columns are constant on the training part: left unscaled",
                constant.sum(),
                len(scale),
            )
    for values in inner:
        values -= mean
        values /= scale
    return copies


def _copy(part: np.ndarray | SelectedRows, *, ones: bool) -> np.ndarray:
    """(n, D) or, with a last column of ones, (n, D + 1): the only copy of a part that is made."""
    n, width = part.shape
    copy = np.empty((n, width + ones), np.float32)
    if isinstance(part, SelectedRows):
        part.write_to(copy[:, :width])
    else:
        copy[:, :width] = part
    copy[:, width:] = 1
    return copy


def _blocks(features: np.ndarray) -> Iterator[np.ndarray]:
    for start in range(0, len(features), _ROWS_AT_ONCE):
        yield features[start : start + _ROWS_AT_ONCE]


def _moments(features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    mean = features.mean(axis=0, dtype=np.float64).astype(np.float32)
    squares = np.zeros(len(mean))
    for rows in _blocks(features):
        deviations = rows - mean
        squares += np.square(deviations, out=deviations).sum(axis=0)
    return mean, np.sqrt(squares / (len(features) - 1)).astype(np.float32)
