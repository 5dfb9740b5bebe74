"""Vectors of length one, and sums over all pairs of vectors: block by block, so that memory is bounded."""

from collections.abc import Iterator

import numpy as np

from sentflow.encoders.arrays import FloatArray
from sentflow.encoders.vectors.storage import unit_rows

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
    """Squared distances of all pairs i < j, each once, in flat float64 arrays of at most `block_rows` squared.

    Parameters
    ----------
    vectors
        (n, d) float64.
    block_rows
        Rows that are compared with so many others at once.
    """
    starts = range(0, len(vectors), block_rows)
    for start in starts:
        rows = vectors[start : start + block_rows]
        own = squared_distances(rows, rows)
        yield own[np.triu_indices(len(rows), k=1)]
        for other in range(start + block_rows, len(vectors), block_rows):
            yield squared_distances(rows, vectors[other : other + block_rows]).ravel()


def log_mean_exp(blocks: Iterator[np.ndarray]) -> tuple[float, int]:
    """The logarithm of the mean of exp(x) over all values of all blocks, and how many there are.

    Each block is shifted by its largest value, so that distances of vectors that are not of length one do not
    underflow. Without a value: NaN, 0.
    """
    total, count = -np.inf, 0
    for block in blocks:
        if len(block):
            top = block.max()
            total = np.logaddexp(total, top + np.log(np.exp(block - top).sum()))
            count += len(block)
    return (float(total - np.log(count)), count) if count else (float("nan"), 0)
