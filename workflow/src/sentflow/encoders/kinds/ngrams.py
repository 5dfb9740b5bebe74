"""Counts of word n-grams, for encoders that are fitted again and again on parts of the same texts."""

from collections.abc import Sequence
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer


class NgramCounter:
    """Counts n-grams as scikit-learn's `CountVectorizer` cuts them; every distinct text is cut once.

    In a cross-validation each text is in most of the training parts: cutting it once instead of once per
    fold is nearly all of the time that TF-IDF takes.
    """

    def __init__(self, *, ngram_range: tuple[int, int], stop_words: Sequence[str]) -> None:
        vectorizer = CountVectorizer(ngram_range=ngram_range, stop_words=list(stop_words) or None)
        self._cut = vectorizer.build_analyzer()
        self._ids: dict[str, int] = {}
        self._terms: list[str] = []
        self._known: dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    def counts(self, texts: Sequence[str]) -> csr_matrix:
        """(n, terms met so far) int64. A term keeps its column; texts met later add columns at the right."""
        rows = [self._counts_of(text) for text in texts]
        starts = np.cumsum([0, *(len(ids) for ids, _ in rows)])
        columns = np.concatenate([np.empty(0, np.int64), *(ids for ids, _ in rows)])
        values = np.concatenate([np.empty(0, np.int64), *(counts for _, counts in rows)])
        return csr_matrix((values, columns, starts), shape=(len(texts), len(self._terms)))

    def terms(self, columns: NDArray[np.int64]) -> NDArray[np.str_]:
        """The n-grams of some columns."""
        return np.asarray([self._terms[column] for column in columns], dtype=np.str_)

    def _counts_of(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if text not in self._known:
            ids = [self._id(term) for term in self._cut(normalize("NFC", text))]
            self._known[text] = np.unique(np.asarray(ids, dtype=np.int64), return_counts=True)
        return self._known[text]

    def _id(self, term: str) -> int:
        column = self._ids.setdefault(term, len(self._terms))
        if column == len(self._terms):
            self._terms.append(term)
        return column
