"""BM25 by bm25s: every variant with its parameters, and the closed form that it stands for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sentflow.retrieval.ranking import Ranked, top
from sentflow.retrieval.settings import BM25
from sentflow.retrieval.terms import TermCounts


class Bm25:
    """An index of a corpus.

    `settings`: variant and parameters, as Kamphuis et al. 2020 ("Which BM25 do you mean?") name them. ``lucene``:
    idf = ln(1 + (N − df + ½) / (df + ½)), tf / (tf + k1 (1 − b + b dl / avgdl)). `counts`: of the corpus that the
    documents are a part of; None where they are all of it.
    """

    def __init__(
        self, terms: Sequence[Sequence[str]], settings: BM25, counts: TermCounts | None = None
    ) -> None:
        self._n_documents = len(terms)
        named: dict[str, Any] = {
            "method": settings.variant,
            "k1": settings.k1,
            "b": settings.b,
            "delta": settings.delta,
            "dtype": "float32",
        }
        self._index: Any
        if counts is None:
            import bm25s

            self._index = bm25s.BM25(**named)
            if any(terms):  # bm25s cannot index nothing
                self._index.index([list(document) for document in terms], show_progress=False)
        else:
            from sentflow.retrieval.bm25_parts import IndexOfPart

            self._index = IndexOfPart(counts, **named)
            if counts.n_documents_with:
                self._index.index_terms(terms)
        self._vocabulary: Mapping[str, int] = getattr(self._index, "vocab_dict", {})

    @property
    def n_bytes(self) -> int:
        """Of the arrays that are searched: a score and a document per posting, and where each term begins."""
        stored = getattr(self._index, "scores", None) or {}  # none where no document has a term
        return sum(array.nbytes for array in stored.values() if isinstance(array, np.ndarray))

    def scores(self, terms: Sequence[str]) -> np.ndarray:
        """(n,) float32 scores of all documents; a term that repeats counts each time.

        Variants that add `delta` give documents without any of the terms a score above 0.
        """
        known = [self._vocabulary[term] for term in terms if term in self._vocabulary]
        if not known:
            return np.zeros(self._n_documents, dtype=np.float32)
        found: np.ndarray = self._index.get_scores_from_ids(known)
        return found

    def _holds(self, terms: Sequence[str]) -> np.ndarray:
        """(n,) bool: documents with at least one of the terms. Their score may be 0: a weight of a term may be."""
        found = np.zeros(self._n_documents, dtype=bool)
        for number in {self._vocabulary[term] for term in terms if term in self._vocabulary}:
            start, end = self._index.scores["indptr"][number : number + 2]
            found[self._index.scores["indices"][start:end]] = True
        return found

    def search(self, questions: Iterable[Sequence[str]], k: int) -> Iterator[Ranked]:
        """The k best documents of each question that hold at least one of its terms."""
        for terms in questions:
            scores = self.scores(terms)
            scores[~self._holds(terms)] = -np.inf
            yield top(scores, k)
