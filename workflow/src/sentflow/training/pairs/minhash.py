"""Rows that are nearly equal to an earlier one, among millions: MinHash with banding, then the true similarity.

Broder, On the resemblance and containment of documents, SEQUENCES 1997; banding after Indyk and Motwani, STOC 1998. The
memory is bounded: rows may lie in files, bands are looked at one after the other, and texts are asked for in parts.
Libraries of MinHash keep their tables of buckets in memory, several kilobytes per row, and know other n-grams than our
audits.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from sentflow.audit.ngrams import distinct_ngrams

BANDS, ROWS_OF_BAND = 25, 5
"""A pair of similarity s becomes a candidate with probability 1 − (1 − s⁵)²⁵: .99995 at .8, .55 at .5, .06 at .3."""
LENGTH = BANDS * ROWS_OF_BAND
_SEED = 20261124  # of the hash functions; part of the result
_CANDIDATES = 2000  # pairs whose texts are in memory at a time
_SLACK = 0.25  # below the threshold a signature may agree this much less often: six of its standard errors
_MIX = np.uint64(0x9E3779B97F4A7C15)


class Rows(Protocol):
    """Rows that are compared, wherever they are kept."""

    def keys_of_band(self, band: int) -> np.ndarray:
        """(n,) uint64 of all rows: `keys_of_bands` of one band."""

    def signatures_of(self, rows: np.ndarray) -> np.ndarray:
        """(k, `LENGTH`) uint32 `signatures` of k rows, of all texts of a row together."""

    def texts(self, rows: np.ndarray) -> Sequence[Sequence[str]]:
        """The first texts of k rows, then their second ones, and so on."""


def signatures(texts: Sequence[str]) -> np.ndarray:
    """(n, `LENGTH`) uint32 signatures of n texts.

    The share of places where two of them agree estimates the Jaccard similarity of their character 5-grams.
    """
    hashes, rows = distinct_ngrams(texts)
    starts = np.searchsorted(rows, np.arange(len(texts)))
    draws = np.random.default_rng(_SEED)
    factors = draws.integers(1, 1 << 63, LENGTH, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    shifts = draws.integers(0, 1 << 63, LENGTH, dtype=np.uint64)
    found = np.empty((len(texts), LENGTH), np.uint32)
    for place, (factor, shift) in enumerate(zip(factors, shifts, strict=True)):
        values = ((hashes * factor + shift) >> np.uint64(32)).astype(np.uint32)
        found[:, place] = np.minimum.reduceat(values, starts)
    return found


def keys_of_bands(signed: np.ndarray) -> Iterator[np.ndarray]:
    """For each band (n,) uint64: equal where signatures of n texts agree in the whole band."""
    for band in range(BANDS):
        keys = np.zeros(len(signed), np.uint64)
        for column in signed[:, band * ROWS_OF_BAND : (band + 1) * ROWS_OF_BAND].T:
            keys = (keys ^ column) * _MIX
            keys ^= keys >> np.uint64(29)
        yield keys


def near_copies(known: Rows, rows: np.ndarray, *, threshold: float) -> np.ndarray:
    """Which rows are nearly equal to an earlier one; of each cluster of near copies the first row is none.

    `rows`: (m,) int64, ascending: those that are compared with one another. `threshold`: Jaccard similarity of
    character 5-grams that each side must have, above 0 and at most 1: two questions about one paragraph are no copies.
    Rows that are so similar to one of a cluster belong to it (single linkage). Returns: (m,) bool.
    """
    first = np.arange(len(rows))
    for pairs in _candidates(known, rows):
        apart = pairs[_roots(first, pairs[:, 0]) != _roots(first, pairs[:, 1])]
        for start in range(0, len(apart), _CANDIDATES):
            part = apart[start : start + _CANDIDATES]
            one, other = rows[part].T
            same = known.signatures_of(one) == known.signatures_of(other)
            agree = same.mean(axis=1) >= threshold - _SLACK
            part, one, other = part[agree], one[agree], other[agree]
            if len(part):
                sides = zip(known.texts(one), known.texts(other), strict=True)
                least = np.min([similarity(*pair) for pair in sides], axis=0)
                _join(first, part[least >= threshold])
    return _roots(first, np.arange(len(rows))) < np.arange(len(rows))


def similarity(first: Sequence[str], second: Sequence[str]) -> np.ndarray:
    """(n,) float64 Jaccard similarity of the character 5-grams of n pairs of texts."""
    sides = [distinct_ngrams(texts) for texts in (first, second)]
    hashes, rows = (np.concatenate(parts) for parts in zip(*sides, strict=True))
    order = np.lexsort((hashes, rows))
    hashes, rows = hashes[order], rows[order]
    twice = rows[1:][(hashes[1:] == hashes[:-1]) & (rows[1:] == rows[:-1])]
    shared = np.bincount(twice, minlength=len(first))
    return np.asarray(shared / (np.bincount(rows, minlength=len(first)) - shared), dtype=np.float64)


def _candidates(known: Rows, rows: np.ndarray) -> Iterator[np.ndarray]:
    """(p, 2) int64 places of rows for each band: every row with the first of its bucket."""
    for band in range(BANDS):
        keys = known.keys_of_band(band)[rows]
        order = np.argsort(keys, kind="stable")
        if not len(order):
            continue
        begins = np.concatenate([[True], keys[order][1:] != keys[order][:-1]])
        firsts = order[np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))]
        yield np.stack([firsts[~begins], order[~begins]], axis=1)


def _roots(first: np.ndarray, rows: np.ndarray) -> np.ndarray:
    found: np.ndarray = first[rows]
    while len(again := np.flatnonzero(first[found] != found)):
        found[again] = first[found[again]]
    return found


def _join(first: np.ndarray, pairs: np.ndarray) -> None:
    for one, other in pairs.tolist():
        low, high = sorted((_root(first, one), _root(first, other)))
        first[high] = low


def _root(first: np.ndarray, row: int) -> int:
    while first[row] != row:
        row = int(first[row])
    return row
