"""BM25 of terms: the variants of bm25s, and what each term of a question adds."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import bm25s
import numpy as np
import scipy.sparse as sp
from bm25s import scoring

from sentflow.retrieval.ranking import Ranked, top
from sentflow.retrieval.settings import CountsTerms
from sentflow.retrieval.terms import TermCounts


class IndexOfPart(bm25s.BM25):  # type: ignore[misc]  # the library has no types
    """An index of bm25s whose document frequencies and mean length are given.

    Its vocabulary is that of the whole, because variants that add `delta` also score terms that a document lacks.

    `settings`: of `bm25s.BM25`.

    Overrides the method that bm25s offers for indexes of another kind (its docstring says so), by the same steps.
    """

    def __init__(self, counts: TermCounts, **settings: Any) -> None:
        super().__init__(**settings)
        self._counts = counts

    def index_terms(self, terms: Sequence[Sequence[str]]) -> None:
        """Index the terms of each document of the part."""
        vocabulary = {term: number for number, term in enumerate(self._counts.n_documents_with)}
        documents = [[vocabulary[term] for term in document] for document in terms]
        self.index((documents, vocabulary), show_progress=False)

    def build_index_from_ids(
        self,
        unique_token_ids: list[int],
        corpus_token_ids: list[list[int]],
        **_: Any,
    ) -> dict[str, Any]:
        """See bm25s."""
        counts = self._counts
        common = {"k1": self.k1, "b": self.b, "delta": self.delta, "dtype": self.dtype}
        frequencies = dict(enumerate(counts.n_documents_with.values()))
        idf = scoring._select_idf_scorer(self.idf_method)  # noqa: SLF001
        # As bm25s has it: a plain float would let NumPy compute in float32
        mean_length = np.float64(counts.n_terms) / counts.n_documents
        whole = {"doc_frequencies": frequencies, "n_docs": counts.n_documents, "compute_idf_fn": idf}
        self.nonoccurrence_array = None
        if self.method in self.methods_requiring_nonoccurrence:
            self.nonoccurrence_array = scoring._build_nonoccurrence_array(  # noqa: SLF001
                **whole,
                calculate_tfc_fn=scoring._select_tfc_scorer(self.method),  # noqa: SLF001
                l_d=mean_length,
                l_avg=mean_length,
                **common,
            )
        scores, documents, terms = scoring._build_scores_and_indices_for_matrix(  # noqa: SLF001
            corpus_token_ids=corpus_token_ids,
            idf_array=scoring._build_idf_array(**whole, dtype=self.dtype),  # noqa: SLF001
            avg_doc_len=mean_length,
            doc_frequencies={
                0: sum(len(set(own)) for own in corpus_token_ids)
            },  # only their sum, a size, is read
            nonoccurrence_array=self.nonoccurrence_array,
            method=self.method,
            int_dtype=self.int_dtype,
            show_progress=False,
            **common,
        )
        n_documents = len(corpus_token_ids)
        shape = (n_documents, len(unique_token_ids))
        matrix = sp.csc_matrix((scores, (documents, terms)), shape=shape, dtype=np.dtype(self.dtype))
        return {
            "data": matrix.data,
            "indices": matrix.indices,
            "indptr": matrix.indptr,
            "num_docs": n_documents,
        }


class Bm25:
    """An index of a corpus.

    `settings`: variant and parameters, as Kamphuis et al. 2020 ("Which BM25 do you mean?") name them. ``lucene``:
    idf = ln(1 + (N − df + ½) / (df + ½)), tf / (tf + k1 (1 − b + b dl / avgdl)). `counts`: of the corpus that the
    documents are a part of; None where they are all of it.
    """

    def __init__(
        self, terms: Sequence[Sequence[str]], settings: CountsTerms, counts: TermCounts | None = None
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
            self._index = bm25s.BM25(**named)
            if any(terms):  # bm25s cannot index nothing
                self._index.index([list(document) for document in terms], show_progress=False)
        else:
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

    def holds(self, terms: Sequence[str]) -> np.ndarray:
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
            scores[~self.holds(terms)] = -np.inf
            yield top(scores, k)
