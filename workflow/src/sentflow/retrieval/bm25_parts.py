"""BM25 of a part of a corpus with the counts of the whole, so that its scores are those of the whole."""

from collections.abc import Sequence
from typing import Any

import bm25s
import numpy as np
import scipy.sparse as sp
from bm25s import scoring

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
