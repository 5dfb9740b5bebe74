"""Similarities of the two vectors of sentence pairs."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

_PAIRS_AT_ONCE = 2048  # two blocks of them in double precision: 32 MB for vectors of 1,024 values

# Cosines that agree to so many digits are ties. Vectors are of single precision, so that later digits are rounding:
# without this, the order of pairs with equal sentences would hang on the order of sums.
_COSINE_DIGITS = 12


@dataclass(frozen=True)
class Similarities:
    """Similarities of n pairs."""

    # columns: measure → (n,) float64; the larger, the more similar: distances are negative
    columns: dict[str, np.ndarray]
    n_zero: int  # pairs with a vector of length zero; their cosine counts as 0


def pair_similarities(embeddings: np.ndarray, rows_a: np.ndarray, rows_b: np.ndarray) -> Similarities:
    """The measures of `MEASURES` for every pair.

    Parameters
    ----------
    embeddings
        (m, d) float32, finite.
    rows_a, rows_b
        (n,) int64 rows of the two sides.

    Notes
    -----
    Computed in double precision, block by block: memory does not grow with the number of pairs. The cosine of a zero
    vector is 0 as in the evaluators of the field (princeton-nlp/SimCSE@7edb07e, ``SentEval/senteval/sts.py``, turns
    the NaN into 0); the number of such pairs is told.
    """
    columns = {measure: np.empty(len(rows_a)) for measure in MEASURES}
    n_zero = 0
    for start in range(0, len(rows_a), _PAIRS_AT_ONCE):
        block = slice(start, start + _PAIRS_AT_ONCE)
        a = embeddings[rows_a[block]].astype(np.float64)
        b = embeddings[rows_b[block]].astype(np.float64)
        for measure, similarity in MEASURES.items():
            columns[measure][block] = similarity(a, b)
        n_zero += int(np.sum(~a.any(axis=1) | ~b.any(axis=1)))
    return Similarities(columns, n_zero)


def cosine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(n,) cosines in [-1, 1] of the rows of two (n, d) arrays, to twelve digits; 0 for a zero vector."""
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    products = dot(a, b)
    cosines = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return np.asarray(np.clip(cosines.round(_COSINE_DIGITS), -1.0, 1.0))


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(n,) dot products of rows."""
    return np.asarray(np.einsum("nd,nd->n", a, b))


def negative_euclidean(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(n,) Euclidean distances of rows, as negative numbers."""
    return -np.asarray(np.linalg.norm(a - b, axis=1))


def negative_manhattan(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(n,) sums of absolute differences of rows, as negative numbers."""
    return -np.asarray(np.abs(a - b).sum(axis=1))


MEASURES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "cosine": cosine,
    "euclidean": negative_euclidean,
    "manhattan": negative_manhattan,
    "dot": dot,
}
