"""Texts as sets of character n-grams, all texts at once."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LENGTH = 5  # characters of an n-gram
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ over the golden ratio, odd: spreads code points over 64 bits
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class NgramSets:
    """One set of n-grams per row, laid end to end."""

    # tokens: (m,) int64 numbers of n-grams, row after row. Within a row they ascend; rarer n-grams have lower numbers,
    # so the rarest of a row come first.
    tokens: np.ndarray
    sizes: np.ndarray  # (n,) int64, n-grams of each row, at least 1
    # side: (number of n-grams,) int64: which text of a row an n-gram is of, 0 for text a and 1 for text b
    side: np.ndarray

    @property
    def starts(self) -> np.ndarray:
        """(n,) int64, where the n-grams of each row begin."""
        starts: np.ndarray = np.cumsum(self.sizes) - self.sizes
        return starts


def plain(text: str) -> str:
    """A text without what an edit changes first: case, punctuation, runs of white space, forms of characters.

    A text without letters (emoji, "!!!") stays as it is.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_WORD.findall(folded)) or folded.strip()


def ngram_sets(sides: Sequence[Sequence[str]]) -> NgramSets:
    """The n-grams of rows of one or two texts."""
    parts = [_hashed(texts) for texts in sides]
    distinct = [_distinct(hashes) for hashes, _ in parts]
    first = np.cumsum([0, *(len(found) for found in distinct)])
    numbers = [
        np.searchsorted(found, hashes) + start
        for (hashes, _), found, start in zip(parts, distinct, first, strict=False)
    ]
    n_rows, n_grams = len(sides[0]), int(first[-1])
    keys = np.concatenate([rows * n_grams + tokens for (_, rows), tokens in zip(parts, numbers, strict=True)])
    rows, tokens = np.divmod(_distinct(keys), n_grams)
    by_rarity = np.argsort(np.bincount(tokens, minlength=n_grams), kind="stable")
    rank = np.empty(n_grams, np.int64)
    rank[by_rarity] = np.arange(n_grams)
    keys = rows * n_grams + rank[tokens]
    keys.sort()
    return NgramSets(
        tokens=keys % n_grams,
        sizes=np.bincount(rows, minlength=n_rows),
        side=np.repeat(np.arange(len(sides)), np.diff(first))[by_rarity],
    )


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


def _distinct(values: np.ndarray) -> np.ndarray:
    """The sorted distinct values; ``np.unique`` without what makes it slow for integers."""
    ordered = np.sort(values)
    keep = np.ones(len(ordered), bool)
    keep[1:] = ordered[1:] != ordered[:-1]
    return ordered[keep]
