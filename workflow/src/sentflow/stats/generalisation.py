"""The interval for claims: where would the score be on another sample of texts from the same population?"""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit


@dataclass(frozen=True)
class GeneralisationInterval:
    """A corrected interval of the mean of repeated cross-validation scores.

    Attributes
    ----------
    low, high
        Not cut to the range of the metric.
    degenerate
        All scores are equal, so the zero width says nothing.
    """

    low: float
    high: float
    degenerate: bool


def nadeau_bengio_interval(scores: np.ndarray, *, folds: int, level: float) -> GeneralisationInterval:
    """Corrected resampled t interval of the mean of J = repetitions × folds scores.

    Parameters
    ----------
    scores
        (J,) float64, J >= 2.
    folds
        k of the cross-validation; the ratio of test to training rows is 1 / (k − 1).
    level
        Confidence level in (0, 1).

    Notes
    -----
    mean ± t(1 − α/2; J − 1) · s · √(1/J + 1/(k − 1)). Nadeau and Bengio 2003, Inference for the
    generalization error, with the ratio of Bouckaert and Frank 2004.
    """
    n = len(scores)
    degenerate = bool((scores == scores[0]).all())
    # the mean of equal numbers may be rounded away from them
    mean = float(scores[0] if degenerate else np.mean(scores))
    std = 0.0 if degenerate else float(np.std(scores, ddof=1))
    half_width = float(stdtrit(n - 1, (1 + level) / 2)) * std * (1 / n + 1 / (folds - 1)) ** 0.5
    return GeneralisationInterval(mean - half_width, mean + half_width, degenerate=degenerate)
