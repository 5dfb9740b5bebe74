"""Similarities of two vectors, their correlations with gold scores, and averages over parts."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from sentflow.stats.ranks import average_ranks

SEVEN_TASKS = ("STS12", "STS13", "STS14", "STS15", "STS16", "STSB", "SICKR")


def seven_task_average(values: Mapping[str, float | None]) -> float:
    """Mean of the seven tasks × 100; NaN where one of them is missing or undefined.

    `values`: task of `SEVEN_TASKS` → Spearman's ρ in [-1, 1] over all pairs of the test part (4,927 of SICK-R). SimCSE
    averages what it printed with two digits (princeton-nlp/SimCSE@49fa580, ``evaluation.py``), and so does this.
    """
    cells = [100 * float(math.nan if (value := values.get(task)) is None else value) for task in SEVEN_TASKS]
    return sum(float(f"{cell:.2f}") for cell in cells) / len(cells)


# Values that differ by less than this share of the largest are one value: the order of a sum decides the rest.
_EQUAL = 1e-12


def pearson(first: np.ndarray, second: np.ndarray) -> float:
    """Pearson's r in [-1, 1]; NaN of a side with a single value. ValueError: other lengths, or not finite."""
    first, second = _checked(first, second)
    if is_constant(first) or is_constant(second):
        return math.nan
    a, b = first - first.mean(), second - second.mean()
    r = float((a / np.linalg.norm(a)) @ (b / np.linalg.norm(b)))
    return min(1.0, max(-1.0, r))  # rounding


def spearman(first: np.ndarray, second: np.ndarray) -> float:
    """Spearman's ρ in [-1, 1]: Pearson's r of average ranks; NaN where it is undefined, see `pearson`."""
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


_PAIRS_AT_ONCE = 2048  # two blocks of them in double precision: 32 MB for vectors of 1,024 values

# Cosines that agree to so many digits are ties: later ones are rounding of single precision
_COSINE_DIGITS = 12


@dataclass(frozen=True)
class Similarities:
    """Similarities of n pairs."""

    # columns: measure → (n,) float64; the larger, the more similar: distances are negative
    columns: dict[str, np.ndarray]
    n_zero: int  # pairs with a vector of length zero; their cosine counts as 0


def pair_similarities(embeddings: np.ndarray, rows_a: np.ndarray, rows_b: np.ndarray) -> Similarities:
    """The measures of `MEASURES` for n pairs of rows of (m, d) float32 embeddings, block by block in double precision.

    The cosine of a zero vector is 0 as in the evaluators of the field (princeton-nlp/SimCSE@7edb07e,
    ``SentEval/senteval/sts.py``, turns the NaN into 0); the number of such pairs is told.
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
