"""Texts as sets of character n-grams, and all pairs of texts whose sets are nearly equal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, hstack

from sentflow.texts.plain import plain

LENGTH = 5  # characters of an n-gram
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ over the golden ratio, odd: spreads code points over 64 bits


@dataclass(frozen=True)
class NgramSets:
    """One set of n-grams per row."""

    # rows: (n, number of n-grams) int64, 1 where a row has an n-gram; rarer n-grams come first
    rows: csr_array
    # side: (number of n-grams,) int64: which text of a row an n-gram is of, 0 for text a, 1 for text b
    side: np.ndarray


def ngram_sets(sides: Sequence[Sequence[str]]) -> NgramSets:
    """The n-grams of rows of one or two texts, at least one of each text."""
    parts = [ngram_matrix(*distinct_ngrams(texts), len(texts))[0] for texts in sides]
    by_number = hstack(parts, format="csr")
    by_rarity = np.argsort(np.bincount(by_number.indices, minlength=by_number.shape[1]), kind="stable")
    rank = np.empty(len(by_rarity), np.int64)
    rank[by_rarity] = np.arange(len(rank))
    rows = csr_array((by_number.data, rank[by_number.indices], by_number.indptr), by_number.shape)
    rows.sort_indices()
    return NgramSets(rows, np.repeat(np.arange(len(sides)), [part.shape[1] for part in parts])[by_rarity])


def ngram_matrix(
    hashes: np.ndarray, rows: np.ndarray, n_rows: int, known: np.ndarray | None = None
) -> tuple[csr_array, np.ndarray]:
    """What `distinct_ngrams` gives as (n_rows, v) int64 zeros and ones, and its v hashes; or those known already."""
    if known is None:
        known, columns = np.unique(hashes, return_inverse=True)
    else:
        columns = np.searchsorted(known, hashes)
        there = known.take(columns, mode="clip") == hashes if len(known) else np.zeros(len(hashes), bool)
        columns, rows = columns[there], rows[there]
    ones = np.ones(len(rows), np.int64)
    return csr_array((ones, (rows, columns)), (n_rows, len(known))), known


def shared_ngrams(one: csr_array, other: csr_array, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(p,) int64: how many n-grams the row `first` of one matrix shares with the row `second` of another."""
    parts = [slice(start, start + _PAIRS) for start in range(0, len(first), _PAIRS)]
    counts = [one[first[part]].multiply(other[second[part]]).sum(axis=1) for part in parts]
    return np.concatenate([np.zeros(0, np.int64), *counts])


def distinct_ngrams(texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The n-grams of each text, each once."""
    hashes, rows = _hashed(texts)
    order = np.lexsort((hashes, rows))
    hashes, rows = hashes[order], rows[order]
    keep = np.ones(len(hashes), bool)
    keep[1:] = (hashes[1:] != hashes[:-1]) | (rows[1:] != rows[:-1])
    return hashes[keep], rows[keep]


def _hashed(texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """(m,) uint64 hash and (m,) int64 row of every n-gram of the texts, repeats included."""
    padded = [f" {plain(text)} ".ljust(LENGTH) for text in texts]
    lengths = np.array([len(text) for text in padded], dtype=np.int64)
    # lone surrogates are legal in a str, and utf-32 must let them pass
    points = np.frombuffer("".join(padded).encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    rows = np.repeat(np.arange(len(padded)), lengths)
    n = max(0, len(points) - LENGTH + 1)
    hashes = np.zeros(n, np.uint64)
    for offset in range(LENGTH):
        hashes = (hashes ^ points[offset : offset + n]) * _FACTOR  # wraps around
        hashes ^= hashes >> np.uint64(29)
    within = rows[:n] == rows[LENGTH - 1 :]  # not across the border of two texts
    return hashes[within], rows[:n][within]


NEAR = 0.8  # Jaccard similarity of character 5-grams: one changed word in a sentence of fifteen
_CHUNK = 4_000_000  # pairs looked at in one go, and
_PAIRS = 10_000  # of pairs that are compared as a whole: bound the memory
_ROUNDING = 1e-9  # threshold · size is an integer in exact arithmetic where it is nearly one here


@dataclass(frozen=True)
class SimilarPairs:
    """Pairs of rows."""

    # first, second: (p,) int64 rows, first < second, in ascending order
    first: np.ndarray
    second: np.ndarray
    # similarity: (p,) float64 in [threshold, 1]; with two texts per row, that of the less similar texts
    similarity: np.ndarray


def similar_pairs(sets: NgramSets, *, threshold: float, first_below: int | None = None) -> SimilarPairs:
    """All pairs of rows both of whose texts are at least so similar."""
    if not 0 < threshold <= 1:
        raise ValueError(f"the threshold must be above 0 and at most 1; got {threshold}")
    n_first = sets.rows.shape[0] if first_below is None else first_below
    chunks = list(_candidates(sets.rows, threshold=threshold, n_first=n_first))
    first, second = np.concatenate([np.zeros((2, 0), np.int64), *chunks], axis=1)
    similarity = np.ones(len(first))
    for side in range(int(sets.side.max(initial=0)) + 1):
        rows = sets.rows[:, np.flatnonzero(sets.side == side)]
        sizes = np.diff(rows.indptr)
        shared = shared_ngrams(rows, rows, first, second)
        similarity = np.minimum(similarity, shared / (sizes[first] + sizes[second] - shared))
    keep = similarity >= threshold - _ROUNDING
    return SimilarPairs(first[keep], second[keep], similarity[keep])


def _candidates(rows: csr_array, *, threshold: float, n_first: int) -> Iterator[np.ndarray]:
    """Pairs that may be similar, as (2, p) int64 in ascending order: they share enough of their rarest n-grams.

    Of similar sets x and y at least t·|x| members are shared, so the |x| − ⌈t·|x|⌉ + 1 rarest of x (its prefix) hold
    one that is in the prefix of y. All further shared members lie behind the prefix that ends first, which bounds them.
    """
    sizes = np.diff(rows.indptr)
    behind = np.ceil(threshold * sizes - _ROUNDING).astype(np.int64) - 1  # members behind the prefix
    row_of = np.repeat(np.arange(len(sizes)), sizes)
    in_prefix = np.arange(rows.nnz) - rows.indptr[row_of] < (sizes - behind)[row_of]
    members, row_of = rows.indices[in_prefix], row_of[in_prefix]
    prefixes = csr_array((np.ones(len(members), np.int64), (row_of, members)), rows.shape)
    last = members[np.cumsum(sizes - behind) - 1] if len(members) else members  # of each row's prefix
    met = prefixes @ np.bincount(members, minlength=rows.shape[1])
    borders = np.flatnonzero(np.diff(np.cumsum(met[:n_first]) // _CHUNK)) + 1
    for start, end in zip([0, *borders], [*borders, n_first], strict=True):
        shared = (prefixes[start:end] @ prefixes[start:].T).tocoo()
        first, second = shared.row + start, shared.col + start
        smaller, larger = np.minimum(sizes[first], sizes[second]), np.maximum(sizes[first], sizes[second])
        wanted = threshold / (1 + threshold) * (sizes[first] + sizes[second]) - _ROUNDING
        further = np.where(last[first] <= last[second], behind[first], behind[second])
        keep = (
            (first < second) & (smaller >= threshold * larger - _ROUNDING) & (shared.data + further >= wanted)
        )
        order = np.lexsort((second[keep], first[keep]))
        yield np.stack([first[keep][order], second[keep][order]]).astype(np.int64)
