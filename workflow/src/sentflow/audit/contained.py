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
from scipy.sparse import csr_array

from sentflow.audit.ngrams import distinct_ngrams, ngram_matrix, shared_ngrams
from sentflow.texts.plain import plain

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
        hashes, rows = distinct_ngrams(texts)
        self._rows, self._ngrams = ngram_matrix(hashes, rows, len(texts))
        self._sizes = np.bincount(rows, minlength=len(texts))
        self._frequency = np.bincount(self._rows.indices, minlength=len(self._ngrams))
        rare = self._in_prefix(hashes, rows, self._sizes) & self._is_long[rows]
        self._rarest = ngram_matrix(hashes[rare], rows[rare], len(texts), self._ngrams)[0]
        self._few = np.flatnonzero(self._is_few(self._sizes))

    def __len__(self) -> int:
        return len(self._sizes)

    def found_in(self, texts: Sequence[str]) -> np.ndarray:
        """(m,) int64: for each of m texts a known text that equals it; else one that nearly equals it, of short ones;
        else the first that contains or is contained in it; or -1.

        Case, punctuation, white space and forms of characters do not count; see `sentflow.texts.plain`.
        """
        parts = [self._found_in(texts[start : start + _PART]) for start in range(0, len(texts), _PART)]
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)

    def _found_in(self, texts: Sequence[str]) -> np.ndarray:
        bare = list(map(plain, texts))
        found = np.array([self._equal.get(text, -1) for text in bare], dtype=np.int64)
        is_long = np.array([len(text) >= LEAST_CHARACTERS for text in bare], bool)
        hashes, rows = distinct_ngrams(texts)
        sizes = np.bincount(rows, minlength=len(texts))
        all_of_new, _ = ngram_matrix(hashes, rows, len(texts), self._ngrams)
        self._find_short(found, all_of_new, sizes, is_long)
        wanted = self._in_prefix(hashes, rows, sizes) & is_long[rows]
        rarest, _ = ngram_matrix(hashes[wanted], rows[wanted], len(texts), self._ngrams)
        new, known, shared = _met(all_of_new, self._rarest)
        within = (self._sizes[known] <= sizes[new]) & (shared >= self._least_shared(self._sizes[known]))
        candidates = [new[within] * len(self) + known[within]]
        new, known, shared = _met(rarest, self._rows)
        within = (sizes[new] <= self._sizes[known]) & (shared >= self._least_shared(sizes[new]))
        candidates.append(new[within] * len(self) + known[within])
        new, known = np.divmod(np.unique(np.concatenate(candidates)), max(len(self), 1))
        new, known = new[found[new] < 0], known[found[new] < 0]
        smaller = np.minimum(sizes[new], self._sizes[known])
        counted = np.where(sizes[new] <= self._sizes[known], is_long[new], self._is_long[known])
        shared = shared_ngrams(all_of_new, self._rows, new, known)
        self._keep_first(found, new, known, counted & (shared >= self._share * smaller - _ROUNDING))
        return found

    def _find_short(self, found: np.ndarray, rows: csr_array, sizes: np.ndarray, is_long: np.ndarray) -> None:
        """Where nothing is found yet, put the first near copy if it or the text is short."""
        few = np.flatnonzero(self._is_few(sizes) & (found < 0))
        new, known, shared = _met(rows[few], self._rows[self._few])
        new, known = few[new], self._few[known]
        either = sizes[new] + self._sizes[known] - shared
        near = ~(is_long[new] & self._is_long[known]) & (shared >= self._share * either - _ROUNDING)
        self._keep_first(found, new, known, near)

    def _keep_first(self, found: np.ndarray, new: np.ndarray, known: np.ndarray, hit: np.ndarray) -> None:
        """Put the first known text of each new one; pairs ascend."""
        first, place = np.unique(new[hit], return_index=True)
        found[first] = known[hit][place]

    def _is_few(self, sizes: np.ndarray) -> np.ndarray:
        """Which texts have so few n-grams that they may be near copies of one under `LEAST_CHARACTERS`."""
        few: np.ndarray = sizes * self._share <= LEAST_CHARACTERS
        return few

    def _in_prefix(self, hashes: np.ndarray, rows: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Which n-grams are among the rarest of their text, of which a text that contains it has most."""
        counts = np.zeros(len(hashes), np.int64)
        if len(self._ngrams):
            at = np.searchsorted(self._ngrams, hashes)
            there = self._ngrams.take(at, mode="clip") == hashes
            counts[there] = self._frequency[at[there]]
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


def _met(new: csr_array, known: csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of two matrices that share n-grams, in ascending order, and how many."""
    shared = new @ known.T
    shared.sort_indices()
    pairs = shared.tocoo()
    return pairs.row.astype(np.int64), pairs.col.astype(np.int64), pairs.data
