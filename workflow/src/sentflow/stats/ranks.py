"""Ranks of values; equal values share the mean of their ranks.

In NumPy, for `scipy.stats` takes ten times as long to import as a pair set takes to score.
"""

import numpy as np


def average_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks along the last axis, 1 for the lowest.

    `values`: (…, n) real numbers, n >= 1. Returns (…, n) float64 in [1, n], whole or half numbers; those of a line with
    a NaN are all NaN.

    As ``scipy.stats.rankdata`` by its defaults, along the last axis.
    """
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    begins = np.ones(values.shape, bool)
    begins[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    # groups of equal values, all lines one after the other: a line begins a group
    starts = np.flatnonzero(begins)
    sizes = np.diff(np.append(starts, values.size))
    middle = starts % values.shape[-1] + (sizes + 1) / 2
    found = np.empty(values.shape)
    np.put_along_axis(found, order, np.repeat(middle, sizes).reshape(values.shape), axis=-1)
    found[np.isnan(values).any(axis=-1)] = np.nan
    return found
