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

    Parameters
    ----------
    fold_scores
        N of (J,) float64 test scores, J >= 2.
    sources
        (N,) what tasks have in common, say the dataset: those of one source may share texts.
    folds
        k of the cross-validation.
    level
        Confidence level in (0, 1).
    documents
        N effective numbers of documents that the folds keep together, infinite where folds are made of rows.

    Returns
    -------
    tuple of float
        Not cut to the range of a metric; NaN where a task has too few documents.

    Notes
    -----
    The error of each task is that of its generalisation interval (`corrected_error`). Errors of one source are added,
    as if they always went together: how far tasks share texts is not known, and this is the largest that their mean can
    have. Those of different sources are independent, so their squares are added. Degrees of freedom: Satterthwaite
    1946, each source with the fewest of its tasks.
    """
    numbers = np.unique([str(source) for source in sources], return_inverse=True)[1]
    errors = np.zeros(int(numbers.max()) + 1)
    freedom = np.full(len(errors), math.inf)
    for number, scores, kept in zip(numbers, fold_scores, documents, strict=True):
        std = float(np.std(scores, ddof=1))
        errors[number] += corrected_error(std, len(scores), folds=folds, documents=kept)
        freedom[number] = min(freedom[number], degrees_of_freedom(len(scores), kept))
    mean = float(np.mean([scores.mean() for scores in fold_scores]))
    variance = float((errors**2).sum())
    if variance == 0 or math.isnan(variance):
        return mean + 0 * variance, mean + 0 * variance
    shared = variance**2 / float((errors**4 / freedom).sum())
    half_width = float(stdtrit(shared, (1 + level) / 2)) * math.sqrt(variance) / len(fold_scores)
    return mean - half_width, mean + half_width
