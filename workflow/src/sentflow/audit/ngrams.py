"""Texts as sets of character n-grams, and all pairs of texts whose sets are nearly equal."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
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


NEAR = 0.8  # Jaccard similarity of character 5-grams: one changed word in a sentence of fifteen
_CHUNK = 4_000_000  # pairs looked at in one go: bounds the memory
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
    n_first = len(sets.sizes) if first_below is None else first_below
    found = [
        _verified(sets, first, second, threshold)
        for first, second in _candidates(sets, threshold=threshold, n_first=n_first)
    ]
    if not found:
        return SimilarPairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    first, second, similarity = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.lexsort((second, first))
    return SimilarPairs(first[order], second[order], similarity[order])


def _candidates(
    sets: NgramSets, *, threshold: float, n_first: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Pairs that may be similar, in chunks without repeats: they share enough of their rarest n-grams.

    Of similar sets x and y at least t·|x| members are shared, so the |x| − ⌈t·|x|⌉ + 1 rarest of x (its prefix) hold
    one that is in the prefix of y. All further shared members lie behind the prefix that ends first, which bounds them.
    """
    sizes, n_rows = sets.sizes, len(sets.sizes)
    behind = np.ceil(threshold * sizes - _ROUNDING).astype(np.int64) - 1  # members behind the prefix
    prefix = sizes - behind
    row_of = np.repeat(np.arange(n_rows), sizes)
    in_prefix = np.arange(len(sets.tokens)) - sets.starts[row_of] < prefix[row_of]
    tokens, rows = sets.tokens[in_prefix], row_of[in_prefix]
    last = tokens[np.cumsum(prefix) - 1]  # of each row's prefix
    order = np.argsort(tokens, kind="stable")
    tokens, rows = tokens[order], rows[order]
    # every member of a prefix is paired with the later rows that have it in theirs
    ends = np.searchsorted(tokens, tokens, side="right")
    partners = ends - np.arange(len(tokens)) - 1
    by_row = np.argsort(rows, kind="stable")
    by_row = by_row[partners[by_row] > 0]
    for part in _chunks(by_row, rows[by_row], partners[by_row]):
        counts = partners[part]
        first = np.repeat(rows[part], counts)
        steps = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
        second = rows[np.repeat(part, counts) + 1 + steps]
        smaller, larger = np.minimum(sizes[first], sizes[second]), np.maximum(sizes[first], sizes[second])
        fits = (smaller >= threshold * larger - _ROUNDING) & (np.minimum(first, second) < n_first)
        pairs, shared = _counted(first[fits] * n_rows + second[fits])
        first, second = np.divmod(pairs, n_rows)
        wanted = threshold / (1 + threshold) * (sizes[first] + sizes[second]) - _ROUNDING
        further = np.where(last[first] <= last[second], behind[first], behind[second])
        keep = shared + further >= wanted
        if keep.any():
            yield first[keep], second[keep]


def _chunks(members: np.ndarray, rows: np.ndarray, counts: np.ndarray) -> Iterator[np.ndarray]:
    """Members in order, cut into parts of about `_CHUNK` pairs; all members of a row are in one part."""
    if not len(members):
        return
    part_of = (np.cumsum(counts) - counts) // _CHUNK
    first_of_row = np.searchsorted(rows, rows, side="left")
    borders = np.flatnonzero(np.diff(part_of[first_of_row])) + 1
    yield from np.split(members, borders)


def _counted(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sorted distinct values, and how often each occurs."""
    ordered = np.sort(values)
    starts = (
        np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(ordered) else ordered
    )
    return ordered[starts], np.diff(np.append(starts, len(ordered)))


def _verified(
    sets: NgramSets, first: np.ndarray, second: np.ndarray, threshold: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Those of the pairs (sorted by their first row) that are similar, with their similarity."""
    similarity = np.empty(len(first))
    n_sides = int(sets.side.max()) + 1
    starts, sizes = sets.starts, sets.sizes
    sizes_of_side = [
        np.add.reduceat((sets.side[sets.tokens] == side).astype(np.int64), starts) for side in range(n_sides)
    ]
    marked = np.zeros(len(sets.side), bool)
    borders = np.flatnonzero(np.diff(first)) + 1
    for lines in np.split(np.arange(len(first)), borders):
        row, others = int(first[lines[0]]), second[lines]
        own = sets.tokens[starts[row] : starts[row] + sizes[row]]
        marked[own] = True
        lengths = sizes[others]
        offsets = np.cumsum(lengths) - lengths
        places = np.arange(lengths.sum()) + np.repeat(starts[others] - offsets, lengths)
        tokens = sets.tokens[places]
        hits, side_of = marked[tokens], sets.side[tokens]
        least = np.ones(len(others))
        for side in range(n_sides):
            shared = np.add.reduceat((hits & (side_of == side)).astype(np.int64), offsets)
            either = sizes_of_side[side][row] + sizes_of_side[side][others] - shared
            least = np.minimum(least, shared / either)
        similarity[lines] = least
        marked[own] = False
    keep = similarity >= threshold - _ROUNDING
    return first[keep], second[keep], similarity[keep]
