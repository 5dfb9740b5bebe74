"""Axes, isotropy and neighbours of vectors."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sentflow.encoders.vectors.storage import FloatArray, unit_rows
from sentflow.stats.resampling import Bootstrap, multinomial_counts, percentile_limits

BLOCK_ROWS = 1000


def unit_vectors(vectors: FloatArray | np.ndarray) -> np.ndarray:
    """(n, d) vectors divided by their length, float64; a zero vector stays zero (see `count_zeros`)."""
    return unit_rows(np.asarray(vectors, dtype=np.float64))


def count_zeros(vectors: FloatArray | np.ndarray) -> int:
    """How many of (n, d) vectors are zero, so that they have no direction."""
    return int((~np.any(vectors, axis=1)).sum())


def squared_distances(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(n, m) squared Euclidean distances of (n, d) and (m, d) float64 vectors; never below 0."""
    products: np.ndarray = first @ second.T
    products *= -2
    products += np.einsum("ij,ij->i", first, first)[:, None]
    products += np.einsum("ij,ij->i", second, second)[None, :]
    # rounding takes distances of equal vectors below zero
    np.maximum(products, 0, out=products)
    return products


def distances_of_pairs(vectors: np.ndarray, *, block_rows: int = BLOCK_ROWS) -> Iterator[np.ndarray]:
    """Squared distances of all pairs i < j of (n, d) float64 vectors, each once, in flat blocks of `block_rows`²."""
    starts = range(0, len(vectors), block_rows)
    for start in starts:
        rows = vectors[start : start + block_rows]
        own = squared_distances(rows, rows)
        yield own[np.triu_indices(len(rows), k=1)]
        for other in range(start + block_rows, len(vectors), block_rows):
            yield squared_distances(rows, vectors[other : other + block_rows]).ravel()


def log_mean_exp(blocks: Iterator[np.ndarray]) -> tuple[float, int]:
    """The logarithm of the mean of exp(x) over all values of all blocks, and how many there are; NaN, 0 of none.

    Each block is shifted by its largest value, so that large distances do not underflow.
    """
    total, count = -np.inf, 0
    for block in blocks:
        if len(block):
            top = block.max()
            total = np.logaddexp(total, top + np.log(np.exp(block - top).sum()))
            count += len(block)
    return (float(total - np.log(count)), count) if count else (float("nan"), 0)


# Of the mean square of all vectors: axes with less variance hold the rounding of single precision alone.
_LEAST_SHARE = 1e-14


def whitened(vectors: np.ndarray) -> np.ndarray:
    """(n, r) float64 whitened vectors of (n, d), n >= 2, the axes of greatest variance first.

    Su, Cao, Liu & Ou 2021 (BERT-whitening), algorithm 1: x → (x − mean) kernel, covariance (over n) = U Λ Uᵀ, kernel =
    U Λ^(−1/2); the first k columns are those of k dimensions. Axes without variance are left out, so that r may be less
    than d: rounding divided by rounding would be noise.
    """
    wide = np.asarray(vectors, dtype=np.float64)
    centred = wide - wide.mean(axis=0)
    values, axes = np.linalg.eigh(centred.T @ centred / len(wide))
    values, axes = values[::-1], axes[:, ::-1]
    kept = values > _LEAST_SHARE * np.einsum("ij,ij->", wide, wide) / len(wide)
    return np.asarray(centred @ (axes[:, kept] / np.sqrt(values[kept])))


def spectrum(vectors: np.ndarray) -> np.ndarray:
    """(d,) shares of the variance of (n, d) float64 vectors, n >= 2, along their principal axes, descending.

    NaN if all vectors are one.
    """
    centred = vectors - vectors.mean(axis=0)
    values = np.clip(np.linalg.eigvalsh(centred.T @ centred)[::-1], 0, None)
    total = values.sum()
    # what rounding leaves of vectors that are all the same is no variance
    if total <= 1e-24 * max(float(np.einsum("ij,ij->", vectors, vectors)), 1e-300):
        return np.full(len(values), np.nan)
    return np.asarray(values / total)


def effective_rank(shares: np.ndarray) -> float:
    """exp of the entropy of the singular values (Roy & Vetterli 2007, definition 1), in [1, d]; NaN for NaN.

    `shares`: (d,) of `spectrum`: squared singular values up to a factor. 1 if all vectors lie on one line.
    """
    singular = np.sqrt(shares)
    parts = singular / singular.sum()
    used = parts[parts > 0]
    return float(np.exp(-(used * np.log(used)).sum())) if len(used) else float("nan")


def average_cosine(unit: np.ndarray) -> float:
    """Mean cosine of all pairs i < j of (n, d) float64 unit vectors (Ethayarajh 2019, "anisotropy" of sentences).

    In [−1/(n − 1), 1]: about 0 for directions that cancel; NaN for n < 2; zero vectors have the cosine 0. All cosines,
    also of a vector with itself, sum to ‖Σ u‖², so no pair is formed.
    """
    n = len(unit)
    if n < 2:
        return float("nan")
    total = unit.sum(axis=0)
    return float((total @ total - np.einsum("ij,ij->", unit, unit)) / (n * (n - 1)))


def average_cosine_interval(unit: np.ndarray, bootstrap: Bootstrap) -> tuple[float, float]:
    """Percentile interval of `average_cosine` over (n, d) float64 unit vectors, n >= 2, drawn with replacement.

    Two draws of the same sentence are no pair: they would pull every resample towards 1.
    """
    own = np.einsum("ij,ij->i", unit, unit)
    found = []
    for weights in multinomial_counts(len(unit), bootstrap):
        totals = weights @ unit
        squares = weights**2
        pairs = len(unit) ** 2 - squares.sum(axis=1)
        found.append((np.einsum("ij,ij->i", totals, totals) - squares @ own) / pairs)
    return percentile_limits(np.concatenate(found), bootstrap.level)


def partition_ratio(unit: np.ndarray) -> float:
    """Least over greatest value of the partition function Z(a) = Σ exp(a · u) over principal directions, in (0, 1].

    `unit`: (n, d) float64 unit vectors, n >= 1. Mu & Viswanath 2018, section 2.2, over the eigenvectors a of WᵀW, after
    Arora et al. 2016. Ours: vectors have length one, and each direction counts with both signs, for the sign of an
    eigenvector is the whim of a library.
    """
    _, directions = np.linalg.eigh(unit.T @ unit)
    along = unit @ directions
    sums = np.concatenate([np.exp(along).sum(axis=0), np.exp(-along).sum(axis=0)])
    return float(sums.min() / sums.max())


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
    """The k >= 1 nearest others of (n, d) float64 unit vectors by Euclidean distance. ValueError: too few others."""
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
    """Skewness of the k-occurrences: in how many lists of k neighbours each vector occurs; above 0 with hubs.

    Radovanović, Nanopoulos & Ivanović 2010, eq. 1: E[(N − μ)³] / σ³, with plain moments. NaN if all occur equally
    often.
    """
    counts = np.bincount(neighbours.rows.ravel(), minlength=len(neighbours.rows)).astype(float)
    centred = counts - counts.mean()
    spread = np.sqrt((centred**2).mean())
    return float((centred**3).mean() / spread**3) if spread > 0 else float("nan")


def dimension_two_nn(neighbours: Neighbours) -> float:
    """Intrinsic dimension from the ratios μ of the second to the first distance, k >= 2; NaN without two above 1.

    Facco, d'Errico, Rodriguez & Laio 2017, steps 1 to 5 of "The two-NN estimator": the slope of a line through the
    origin fitted to (ln μ, −ln(1 − F(μ))), F the empirical distribution, without the greatest tenth of the ratios.
    Vectors whose nearest neighbour is the same vector (`SAME`) are left out.
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
    """Intrinsic dimension by maximum likelihood from the distances of k >= 2 neighbours; NaN if no distances differ.

    Levina & Bickel 2004, eq. 8, averaged over vectors as inverses, as MacKay & Ghahramani 2005 advise. Vectors whose
    nearest neighbour is the same vector (`SAME`) are left out.
    """
    distances = neighbours.distances[neighbours.distances[:, 0] > SAME]
    k = distances.shape[1]
    if not len(distances) or k < 2:
        return float("nan")
    inverse = np.log(distances[:, -1:] / distances[:, :-1]).sum(axis=1) / (k - 1)
    mean = inverse.mean()
    return float(1 / mean) if mean > 0 else float("nan")
