"""Nearest neighbours, and what their distances and counts say."""

from dataclasses import dataclass

import numpy as np

from sentflow.geometry.vectors import squared_distances

_BLOCK_ROWS = 512
# Unit vectors of single precision that are nearer than this are the same but for rounding.
SAME = 1e-6
_DISCARDED = 0.1  # Facco et al. 2017: the largest ratios are left out of the fit


@dataclass(frozen=True)
class Neighbours:
    """The k nearest other vectors of each vector."""

    rows: np.ndarray  # (n, k) int64, the nearest first; of equal distances the lower row
    distances: np.ndarray  # (n, k) float64 Euclidean distances, ascending


def nearest(unit: np.ndarray, k: int) -> Neighbours:
    """The k nearest others by Euclidean distance, on vectors of length one those of greatest cosine.

    Parameters
    ----------
    unit
        (n, d) float64, n > k.
    k
        At least 1.

    Raises
    ------
    ValueError
        There are not so many others.
    """
    n = len(unit)
    if not 1 <= k < n:
        raise ValueError(f"{k} neighbours of {n} vectors: write a number from 1 to {n - 1}")
    rows, distances = np.empty((n, k), np.int64), np.empty((n, k))
    for start in range(0, n, _BLOCK_ROWS):
        block = squared_distances(unit[start : start + _BLOCK_ROWS], unit)
        own = np.arange(len(block))
        block[own, start + own] = np.inf
        # by value, then by row: what lies at the k-th distance is taken from the lowest row on
        kth = np.partition(block, k - 1, axis=1)[:, k - 1 : k]
        for place, (values, limit) in enumerate(zip(block, kth, strict=True)):
            near = np.flatnonzero(values <= limit)
            order = near[np.argsort(values[near], kind="stable")][:k]
            rows[start + place] = order
            distances[start + place] = np.sqrt(values[order])
    return Neighbours(rows, distances)


def hubness(neighbours: Neighbours) -> float:
    """Skewness of the k-occurrences: in how many lists of k neighbours each vector occurs.

    Returns
    -------
    float
        Above 0 where a few vectors, hubs, are neighbours of many; 0 if occurrences are symmetric about k. NaN if all
        occur equally often.

    Notes
    -----
    Radovanović, Nanopoulos & Ivanović 2010, eq. 1: E[(N − μ)³] / σ³, with the plain moments of all n counts.
    """
    counts = np.bincount(neighbours.rows.ravel(), minlength=len(neighbours.rows)).astype(float)
    centred = counts - counts.mean()
    spread = np.sqrt((centred**2).mean())
    return float((centred**3).mean() / spread**3) if spread > 0 else float("nan")


def dimension_two_nn(neighbours: Neighbours) -> float:
    """Intrinsic dimension from the ratio of the second to the first distance.

    Parameters
    ----------
    neighbours
        Of k >= 2. Vectors whose nearest neighbour is the same vector (`SAME`) are left out.

    Returns
    -------
    float
        Above 0; NaN where fewer than two ratios are above 1.

    Notes
    -----
    Facco, d'Errico, Rodriguez & Laio 2017, steps 1 to 5 of "The two-NN estimator": the slope of a line through the
    origin fitted to (ln μ, −ln(1 − F(μ))), F the empirical distribution, without the greatest tenth of the ratios μ.
    """
    first, second = neighbours.distances[:, 0], neighbours.distances[:, 1]
    kept = first > SAME
    ratios = np.sort(second[kept] / first[kept])
    n = len(ratios)
    n_used = int(np.floor(n * (1 - _DISCARDED)))
    x = np.log(ratios[:n_used])
    y = -np.log1p(-np.arange(1, n_used + 1) / n)
    return float(x @ y / (x @ x)) if n_used > 1 and x.any() else float("nan")


def dimension_mle(neighbours: Neighbours) -> float:
    """Intrinsic dimension by maximum likelihood from the distances of k neighbours.

    Parameters
    ----------
    neighbours
        Of k >= 2. Vectors whose nearest neighbour is the same vector (`SAME`) are left out.

    Returns
    -------
    float
        Above 0; NaN if no distances differ.

    Notes
    -----
    Levina & Bickel 2004, eq. 8, averaged over vectors as inverses, as MacKay & Ghahramani 2005 advise.
    """
    distances = neighbours.distances[neighbours.distances[:, 0] > SAME]
    k = distances.shape[1]
    if not len(distances) or k < 2:
        return float("nan")
    inverse = np.log(distances[:, -1:] / distances[:, :-1]).sum(axis=1) / (k - 1)
    mean = inverse.mean()
    return float(1 / mean) if mean > 0 else float("nan")
