"""Questions worth reading: the hardest, and those on which two systems differ most."""

import numpy as np

_DIGITS = 12  # to which values are rounded before they are sorted: sums in another order must not break ties


def hardest(scores: np.ndarray, *, limit: int) -> np.ndarray:
    """Questions with the lowest mean over the systems.

    Parameters
    ----------
    scores
        (m, n) float64 of m systems on n questions.
    limit
        At most so many.

    Returns
    -------
    np.ndarray
        int64 numbers of questions, the hardest first; of equal ones the one that comes first in the data.
    """
    return _lowest(scores.mean(axis=0), limit)


def most_different(scores: np.ndarray, a: int, b: int, *, limit: int) -> np.ndarray:
    """Questions on which system a differs most from system b, either way.

    Parameters
    ----------
    scores
        (m, n) float64 of m systems on n questions.
    a, b
        Rows of the two.
    limit
        At most so many. Questions with equal scores are never among them.

    Returns
    -------
    np.ndarray
        int64 numbers of questions, the largest difference first; of equal ones the one that comes first in the data.
    """
    differences = np.abs(scores[a] - scores[b])
    found = _lowest(-differences, limit)
    chosen: np.ndarray = found[np.round(differences[found], _DIGITS) > 0]
    return chosen


def _lowest(values: np.ndarray, limit: int) -> np.ndarray:
    order: np.ndarray = np.argsort(np.round(values, _DIGITS), kind="stable")
    return order[:limit]
