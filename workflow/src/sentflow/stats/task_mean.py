"""The mean score over tasks: where is the mean of the expected scores, for new texts of the same tasks?"""

import math
from collections.abc import Hashable, Sequence

import numpy as np
from scipy.special import stdtrit

from sentflow.stats.generalisation import corrected_error, degrees_of_freedom


def task_mean_interval(
    fold_scores: Sequence[np.ndarray],
    sources: Sequence[Hashable],
    *,
    folds: int,
    level: float,
    documents: Sequence[float],
) -> tuple[float, float]:
    """Limits of the mean over N tasks of the expected scores of one encoder.

    `fold_scores`: N of (J,) float64 test scores, J >= 2. `sources`: (N,) what tasks have in common, say the dataset:
    those of one source may share texts. `folds`: k of the cross-validation. `documents`: N effective numbers of
    documents that the folds keep together, infinite where folds are made of rows. The limits are not cut to the range of a
    metric; NaN where a task has too few documents.

    The error of each task is that of its generalisation interval (`corrected_error`). Errors of one source are added,
    as if they always went together: how far tasks share texts is not known, and this is the largest that their mean can
    have. Those of different sources are independent, so their squares are added. Degrees of freedom: Satterthwaite
    1946, each source with the fewest of its tasks.
    """
    errors = [
        corrected_error(float(np.std(scores, ddof=1)), len(scores), folds=folds, documents=kept)
        for scores, kept in zip(fold_scores, documents, strict=True)
    ]
    freedom = [
        degrees_of_freedom(len(scores), kept) for scores, kept in zip(fold_scores, documents, strict=True)
    ]
    mean = float(np.mean([scores.mean() for scores in fold_scores]))
    return mean_limits(mean, errors, freedom, sources, level=level)


def mean_limits(
    mean: float,
    errors: Sequence[float],
    freedom: Sequence[float],
    sources: Sequence[Hashable],
    *,
    level: float,
) -> tuple[float, float]:
    """Limits of the mean of N numbers by their standard errors, as in `task_mean_interval`.

    `errors`, `freedom`, `sources`: (N,) standard errors, their degrees of freedom, and what the numbers have in common.
    """
    numbers = np.unique([str(source) for source in sources], return_inverse=True)[1]
    sums = np.zeros(int(numbers.max()) + 1)
    fewest = np.full(len(sums), math.inf)
    for number, error, own in zip(numbers, errors, freedom, strict=True):
        sums[number] += error
        fewest[number] = min(fewest[number], own)
    variance = float((sums**2).sum())
    if variance == 0 or math.isnan(variance):
        return mean + 0 * variance, mean + 0 * variance
    shared = variance**2 / float((sums**4 / fewest).sum())
    half_width = float(stdtrit(shared, (1 + level) / 2)) * math.sqrt(variance) / len(errors)
    return mean - half_width, mean + half_width
