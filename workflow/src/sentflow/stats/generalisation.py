"""The interval for claims: where is the expected score, that over all samples of as many texts from the population?"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from sentflow.stats.effective import FEWEST_DOCUMENTS


@dataclass(frozen=True)
class GeneralisationInterval:
    """A corrected interval of the mean of repeated cross-validation scores."""

    # low, high: not cut to the range of the metric; NaN where there are too few documents
    low: float
    high: float
    degenerate: bool  # all scores are equal, so the zero width says nothing


def nadeau_bengio_interval(
    scores: np.ndarray, *, folds: int, level: float, documents: float = math.inf
) -> GeneralisationInterval:
    """Corrected resampled t interval of the mean of J = repetitions × folds scores.

    `scores`: (J,) float64, J >= 2. `folds`: k of the cross-validation; the ratio of test to training rows is
    1 / (k − 1). `documents`: how many documents of equal size say as much as those that the folds keep together
    (`effective_clusters`); infinite where folds are made of rows.

    mean ± t(1 − α/2; ν) · s · √(1/J + 1/(k − 1)), ν = J − 1. Nadeau and Bengio 2003, Inference for the generalization
    error, with the ratio of Bouckaert and Frank 2004. ν is `degrees_of_freedom` where documents are kept together.
    """
    n = len(scores)
    degenerate = bool((scores == scores[0]).all())
    # the mean of equal numbers may be rounded away from them
    mean = float(scores[0] if degenerate else np.mean(scores))
    std = 0.0 if degenerate else float(np.std(scores, ddof=1))
    quantile = float(stdtrit(degrees_of_freedom(n, documents), (1 + level) / 2))
    half_width = quantile * corrected_error(std, n, folds=folds, documents=documents)
    return GeneralisationInterval(mean - half_width, mean + half_width, degenerate=degenerate)


def degrees_of_freedom(n_scores: int, documents: float) -> float:
    """Scores less one, or documents less one where these are fewer: a few large ones decide the score of any fold."""
    return min(n_scores, documents) - 1


def corrected_error(std: float, n_scores: int, *, folds: int, documents: float) -> float:
    """Standard error of the mean of cross-validation scores of a standard deviation; NaN of too few documents."""
    if documents < FEWEST_DOCUMENTS:
        return math.nan
    return std * math.sqrt(1 / n_scores + 1 / (folds - 1))
