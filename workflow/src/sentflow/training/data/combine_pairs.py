"""Cleaned relations into one table of pairs, without copies and near copies, in bounded memory.

MinHash with banding, then the true similarity: Broder, On the resemblance and containment of documents, SEQUENCES 1997;
banding after Indyk and Motwani, STOC 1998. Rows lie in files, read and not mapped; bands are looked at one after the
other. Libraries of MinHash keep kilobytes per row in memory, and know other n-grams than our audits.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np

from sentflow.audit.ngrams import distinct_ngrams
from sentflow.files.parquet import DescribedParts, DescribedWriter
from sentflow.texts.plain import plain

BANDS, ROWS_OF_BAND = 25, 5
"""A pair of similarity s becomes a candidate with probability 1 − (1 − s⁵)²⁵: .99995 at .8, .55 at .5, .06 at .3."""
LENGTH = BANDS * ROWS_OF_BAND
_SEED = 20261124  # of the hash functions; part of the result
_CANDIDATES = 2000  # pairs whose texts are in memory at a time
_SLACK = 0.25  # below the threshold a signature may agree this much less often: six of its standard errors
_MIX = np.uint64(0x9E3779B97F4A7C15)


def signatures(texts: Sequence[str]) -> np.ndarray:
    """(n, `LENGTH`) uint32: where they agree estimates the Jaccard similarity of character 5-grams of n texts."""
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


def near_copies(known: "Scratch", rows: np.ndarray, *, threshold: float) -> np.ndarray:
    """(m,) bool: which rows are nearly equal to an earlier one; of each cluster of near copies the first row is none.

    `rows`: (m,) int64, ascending: those that are compared. `threshold`: Jaccard similarity of character 5-grams that
    each side must have: two questions about one paragraph are no copies. Clusters are of single linkage.
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


def _candidates(known: "Scratch", rows: np.ndarray) -> Iterator[np.ndarray]:
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
    for pair in pairs:
        low, high = np.sort(_roots(first, pair))
        first[high] = low


_KEY, _SIGNATURE = np.dtype(np.uint64).itemsize, LENGTH * np.dtype(np.uint32).itemsize


class Scratch(ExitStack):
    """All rows of the relations, to be read in any order.

    `folder`: where three files without a name are put, which end with the process; about as large as the texts, and
    700 bytes per row. `parts`: tables of cleaned relations, in order. `keys`: (n,) uint64: the same for pairs of the
    same texts but for case and punctuation, in either order.
    """

    def __init__(self, folder: Path, parts: Sequence[Path]) -> None:
        super().__init__()
        tables = [DescribedParts(part) for part in parts]
        self.n_of_part = [table.n_rows for table in tables]
        self._n = sum(self.n_of_part)
        self.keys = np.zeros(self._n, np.uint64)
        self._starts = np.zeros(2 * self._n + 1, np.int64)  # of each text, in bytes
        files = [TemporaryFile(dir=folder) for _ in range(3)]  # noqa: SIM115 - closed at the end
        self._texts, self._signatures, self._bands = map(self.enter_context, files)
        self._store(tables)

    def texts(self, rows: np.ndarray) -> tuple[list[str], list[str]]:
        """Both texts of some rows."""
        texts, others = [], []
        for row in rows.tolist():
            start, middle, end = self._starts[2 * row : 2 * row + 3].tolist()
            both = os.pread(self._texts.fileno(), end - start, start)
            texts.append(both[: middle - start].decode())
            others.append(both[middle - start :].decode())
        return texts, others

    def keys_of_band(self, band: int) -> np.ndarray:
        """(n,) uint64 of all rows: `keys_of_bands` of one band."""
        stored = os.pread(self._bands.fileno(), self._n * _KEY, band * self._n * _KEY)
        return np.frombuffer(stored, np.uint64)

    def signatures_of(self, rows: np.ndarray) -> np.ndarray:
        """(k, `LENGTH`) uint32 `signatures` of k rows, of both texts of a row together."""
        file = self._signatures.fileno()
        stored = b"".join(os.pread(file, _SIGNATURE, row * _SIGNATURE) for row in rows.tolist())
        return np.frombuffer(stored, np.uint32).reshape(len(rows), LENGTH)

    def _store(self, tables: Sequence[DescribedParts]) -> None:
        row = 0
        for batch in (batch for table in tables for batch in table.batches("text", "other")):
            texts, others = batch.column("text").to_pylist(), batch.column("other").to_pylist()
            stored = [side.encode() for pair in zip(texts, others, strict=True) for side in pair]
            ends = np.cumsum([len(side) for side in stored]) + self._starts[2 * row]
            self._starts[2 * row + 1 : 2 * row + 1 + len(stored)] = ends
            self._texts.write(b"".join(stored))
            signed = signatures([f"{text}\n{other}" for text, other in zip(texts, others, strict=True)])
            self._signatures.write(signed.tobytes())
            for band, keys in enumerate(keys_of_bands(signed)):
                self._bands.seek((band * self._n + row) * _KEY)
                self._bands.write(keys.tobytes())
            self.keys[row : row + len(texts)] = _keys(texts, others)
            row += len(texts)
        for file in (self._texts, self._signatures, self._bands):
            file.flush()


def _keys(texts: Sequence[str], others: Sequence[str]) -> np.ndarray:
    """(n,) uint64: the same for pairs of the same texts but for case and punctuation, in either order."""
    sides = ("\0".join(sorted(map(plain, pair))) for pair in zip(texts, others, strict=True))
    digests = (blake2b(side.encode("utf-8", "surrogatepass"), digest_size=8).digest() for side in sides)
    return np.frombuffer(b"".join(digests), "<u8")


COLUMNS = ("text", "other", "relation")
_ROWS = 1 << 13  # of a batch, and of a group of rows of the result


@dataclass(frozen=True)
class Combined:
    """What became of the rows of the relations."""

    relations: Sequence[str]  # their names, in order
    relation: np.ndarray  # (n,) int64: that of each row
    # copy: (n,) bool: an earlier row has the same two texts, in either order, but for case and punctuation
    copy: np.ndarray
    near: np.ndarray  # (n,) bool: it is no copy, but nearly equal to an earlier row

    @property
    def kept(self) -> np.ndarray:
        """(n,) bool: the others."""
        return np.asarray(~(self.copy | self.near))

    def facts(self) -> list[dict[str, Any]]:
        """Counts of each relation, as JSON holds them."""
        which = {"copies": self.copy, "near": self.near, "rows": self.kept}
        return [
            {
                "relation": name,
                **{key: int((rows & (self.relation == place)).sum()) for key, rows in which.items()},
            }
            for place, name in enumerate(self.relations)
        ]


def combined(scratch: Scratch, relations: Sequence[str], *, near: float) -> Combined:
    """Which rows are copies of earlier ones, or nearly so, by a Jaccard similarity of both texts of `near` or more."""
    relation = np.repeat(np.arange(len(relations)), scratch.n_of_part)
    copy = np.ones(len(relation), bool)
    copy[np.unique(scratch.keys, return_index=True)[1]] = False
    others = np.flatnonzero(~copy)
    nearly = np.zeros(len(relation), bool)
    nearly[others] = near_copies(scratch, others, threshold=near)
    return Combined(relations, relation, copy, nearly)


def write_rows(writer: DescribedWriter, scratch: Scratch, found: Combined) -> None:
    """Write the rows that are kept, in order."""
    kept = np.flatnonzero(found.kept)
    for start in range(0, max(len(kept), 1), _ROWS):
        rows = kept[start : start + _ROWS]
        texts, others = scratch.texts(rows)
        names = [found.relations[one] for one in found.relation[rows].tolist()]
        writer.write(dict(zip(COLUMNS, (texts, others, names), strict=True)))
