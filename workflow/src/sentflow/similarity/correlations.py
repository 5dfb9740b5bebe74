"""Correlations of similarities with gold scores."""

import math

import numpy as np

from sentflow.stats.ranks import average_ranks

# Values that differ by less than this share of the largest are one value: the order of a sum decides the rest.
_EQUAL = 1e-12


def pearson(first: np.ndarray, second: np.ndarray) -> float:
    """Pearson's r in [-1, 1]; NaN where it is undefined: one of the two has a single value, or there is one pair.

    Raises
    ------
    ValueError
        The lengths differ, or a value is not finite.
    """
    first, second = _checked(first, second)
    if is_constant(first) or is_constant(second):
        return math.nan
    a, b = first - first.mean(), second - second.mean()
    r = float((a / np.linalg.norm(a)) @ (b / np.linalg.norm(b)))
    return min(1.0, max(-1.0, r))  # rounding


def spearman(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman's ρ in [-1, 1]: Pearson's r of average ranks; NaN where it is undefined, see `pearson`.

    Unchanged by a strictly monotone transform of either side.
    """
    first, second = _checked(first, second)
    if is_constant(first) or is_constant(second):
        return math.nan
    return pearson(average_ranks(first), average_ranks(second))


def is_constant(values: np.ndarray) -> bool:
    """Whether values, but for rounding, are one value."""
    return len(values) < 2 or bool(np.ptp(values) <= _EQUAL * np.abs(values).max())


CORRELATIONS = {"spearman": spearman, "pearson": pearson}


def _checked(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(
            f"a correlation needs two columns of the same length, not {first.shape} and {second.shape}"
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("a correlation needs finite values; some are not")
    return first.astype(np.float64), second.astype(np.float64)
