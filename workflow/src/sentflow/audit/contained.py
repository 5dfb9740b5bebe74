"""Texts that contain a known text, or are contained in one: what must not be trained on.

Stricter than the near copies of `sentflow.audit.ngrams`: a summary within the whole bill, an article within its law,
and a text with a few words masked are found, too. A text is contained in another where at least a share of its
character 5-grams occur there. As there, prefix filtering (Bayardo, Ma and Srikant, WWW 2007) finds all such pairs
without comparing every pair: where m n-grams of the smaller text may be missing, all but m of its 2m + 1 rarest are
shared. Of shorter texts, which are in many others by chance, near copies are found: at least that share of the n-grams
of both.
"""

from collections.abc import Sequence

import numpy as np

from sentflow.audit.ngrams import distinct_ngrams, plain

LEAST_CHARACTERS = (
    40  # of a contained text; shorter ones are in many others by chance, and must be nearly equal as a whole
)
_ROUNDING = 1e-9
_PART = 500  # texts that are looked up at a time: bounds the memory


class KnownTexts:
    """Texts that others are compared with."""

    def __init__(self, texts: Sequence[str], *, share: float) -> None:
        self._share = share
        bare = list(map(plain, texts))
        self._equal = {text: place for place, text in reversed(list(enumerate(bare)))}
        self._is_long = np.array([len(text) >= LEAST_CHARACTERS for text in bare], bool)
        self._hashes: np.ndarray
        self._hashes, rows = distinct_ngrams(texts)
        self._sizes = np.bincount(rows, minlength=len(texts))
        self._starts = np.cumsum(self._sizes) - self._sizes
        order = np.argsort(self._hashes, kind="stable")
        # n-gram → the texts that have it, and how many they are
        self._everywhere = self._hashes[order], rows[order]
        self._rarest = self._postings_of_prefixes(rows, order)
        few = self._is_few(self._sizes)[rows[order]]
        self._of_few = self._hashes[order][few], rows[order][few]

    def __len__(self) -> int:
        return len(self._sizes)

    def found_in(self, texts: Sequence[str]) -> np.ndarray:
        """(m,) int64: for each of m texts a known text that equals it; else one that nearly equals it, of short ones;
        else the first that contains or is contained in it; or -1.

        Case, punctuation, white space and forms of characters do not count; see `sentflow.audit.ngrams.plain`.
        """
        parts = [self._found_in(texts[start : start + _PART]) for start in range(0, len(texts), _PART)]
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)

    def _found_in(self, texts: Sequence[str]) -> np.ndarray:
        bare = list(map(plain, texts))
        found = np.array([self._equal.get(text, -1) for text in bare], dtype=np.int64)
        is_long = np.array([len(text) >= LEAST_CHARACTERS for text in bare], bool)
        hashes, rows = distinct_ngrams(texts)
        sizes = np.bincount(rows, minlength=len(texts))
        self._find_short(found, hashes, rows, sizes, is_long)
        wanted = self._in_prefix(self._counts(hashes), hashes, rows, sizes) & is_long[rows]
        new, known, shared = self._met(self._rarest, hashes, rows)
        within = (self._sizes[known] <= sizes[new]) & (shared >= self._least_shared(self._sizes[known]))
        candidates = [new[within] * len(self) + known[within]]
        new, known, shared = self._met(self._everywhere, hashes[wanted], rows[wanted])
        within = (sizes[new] <= self._sizes[known]) & (shared >= self._least_shared(sizes[new]))
        candidates.append(new[within] * len(self) + known[within])
        new, known = np.divmod(np.unique(np.concatenate(candidates)), max(len(self), 1))
        open_ = found[new] < 0
        new, known = new[open_], known[open_]
        if not len(new):
            return found
        smaller = np.minimum(sizes[new], self._sizes[known])
        counted = np.where(sizes[new] <= self._sizes[known], is_long[new], self._is_long[known])
        shared = self._shared(new, known, hashes, np.cumsum(sizes) - sizes, sizes)
        hit = counted & (shared >= self._share * smaller - _ROUNDING)
        first, place = np.unique(new[hit], return_index=True)  # pairs ascend: the first known text of each
        found[first] = known[hit][place]
        return found

    def _find_short(
        self, found: np.ndarray, hashes: np.ndarray, rows: np.ndarray, sizes: np.ndarray, is_long: np.ndarray
    ) -> None:
        """Where nothing is found yet, put the first near copy if it or the text is short."""
        few = self._is_few(sizes)[rows] & (found[rows] < 0)
        new, known, shared = self._met(self._of_few, hashes[few], rows[few])
        either = sizes[new] + self._sizes[known] - shared
        near = ~(is_long[new] & self._is_long[known]) & (shared >= self._share * either - _ROUNDING)
        first, place = np.unique(new[near], return_index=True)
        found[first] = known[near][place]

    def _is_few(self, sizes: np.ndarray) -> np.ndarray:
        """Which texts have so few n-grams that they may be near copies of one under `LEAST_CHARACTERS`."""
        few: np.ndarray = sizes * self._share <= LEAST_CHARACTERS
        return few

    def _counts(self, hashes: np.ndarray) -> np.ndarray:
        """How many known texts have each n-gram."""
        left, right = (np.searchsorted(self._everywhere[0], hashes, side=side) for side in ("left", "right"))
        counts: np.ndarray = right - left
        return counts

    def _in_prefix(
        self, counts: np.ndarray, hashes: np.ndarray, rows: np.ndarray, sizes: np.ndarray
    ) -> np.ndarray:
        """Which n-grams are among the rarest of their text, of which a text that contains it has most."""
        order = np.lexsort((hashes, counts, rows))
        prefix = 2 * self._missing(sizes) + 1
        place = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        chosen = np.zeros(len(rows), bool)
        chosen[order] = place < np.repeat(prefix, sizes)
        return chosen

    def _missing(self, sizes: np.ndarray) -> np.ndarray:
        """How many n-grams of texts of so many a text that contains them may lack."""
        missing: np.ndarray = sizes - np.ceil(self._share * sizes - _ROUNDING).astype(np.int64)
        return missing

    def _least_shared(self, sizes: np.ndarray) -> np.ndarray:
        """How many of the rarest n-grams of texts of so many a text that contains them has at least."""
        missing = self._missing(sizes)
        least: np.ndarray = np.minimum(sizes, 2 * missing + 1) - missing
        return least

    def _postings_of_prefixes(self, rows: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rarest n-grams of the known texts, ascending, given the order in which all ascend, and their texts."""
        ascending = self._everywhere[0]
        begins = np.flatnonzero(np.concatenate([[True], ascending[1:] != ascending[:-1]])[: len(ascending)])
        repeats = np.diff(begins, append=len(ascending))
        counts = np.empty(len(ascending), np.int64)
        counts[order] = np.repeat(repeats, repeats)  # searching for each n-gram takes three times as long
        wanted = self._in_prefix(counts, self._hashes, rows, self._sizes) & self._is_long[rows]
        chosen = order[wanted[order]]
        return self._hashes[chosen], rows[chosen]

    def _met(
        self, postings: tuple[np.ndarray, np.ndarray], hashes: np.ndarray, rows: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows, the known texts with an n-gram of theirs in the postings, and how many n-grams each two share there."""
        left, right = (np.searchsorted(postings[0], hashes, side=side) for side in ("left", "right"))
        counts = right - left
        steps = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        met = np.repeat(rows, counts) * len(self) + postings[1][np.repeat(left, counts) + steps]
        pairs, shared = np.unique(met, return_counts=True)
        return *np.divmod(pairs, max(len(self), 1)), shared

    def _shared(
        self, new: np.ndarray, known: np.ndarray, hashes: np.ndarray, starts: np.ndarray, sizes: np.ndarray
    ) -> np.ndarray:
        """How many n-grams the two texts of each pair have in common; pairs are sorted by the first."""
        shared = np.zeros(len(new), np.int64)
        borders = np.flatnonzero(np.diff(new)) + 1
        for lines in np.split(np.arange(len(new)), borders):
            row, others = new[lines[0]], known[lines]
            own = hashes[starts[row] : starts[row] + sizes[row]]  # ascending
            lengths = self._sizes[others]
            offsets = np.cumsum(lengths) - lengths
            places = np.arange(lengths.sum()) + np.repeat(self._starts[others] - offsets, lengths)
            theirs = self._hashes[places]
            at = np.minimum(np.searchsorted(own, theirs), len(own) - 1)
            shared[lines] = np.add.reduceat((own[at] == theirs).astype(np.int64), offsets)
        return shared
