"""Exact search by weights of terms, and perhaps a new order by vectors of terms."""

from typing import Any

from sentflow.retrieval import sparse
from sentflow.retrieval.search import Search, SearchInputs
from sentflow.retrieval.second_stage import TermCorpus, reordered
from sentflow.retrieval.settings import Sparse
from sentflow.retrieval.sparse import Impacts, SparseVectors
from sentflow.retrieval.sparse_files import read_terms, read_weights, refuse_other_terms
from sentflow.retrieval.sparsity import sparsity
from sentflow.retrieval.vector_files import document_vectors, question_vectors, readings


def search(job: Search, inputs: SearchInputs) -> None:
    """The documents of the greatest products of weights; or these, ordered by vectors of terms."""
    by = job.settings.by
    assert isinstance(by, Sparse)
    refuse_other_terms(inputs.documents[-1], inputs.queries[-1])
    read = read_terms if by.candidates else read_weights
    documents: Any = document_vectors(inputs.documents, inputs.passages, job.corpus, read=read)
    queries: Any = question_vectors(inputs.queries, job.questions, read=read)
    held, asked = (one.values.weights if by.candidates else one.values for one in (documents, queries))
    impacts = None if by.impacts is None else Impacts.of(held, by.impacts)
    searched = SparseVectors(impacts.values if impacts else held, documents.documents)
    ranked = sparse.search(asked, searched, by.candidates or job.k, step=impacts.step if impacts else 1.0)
    vectors = None
    if by.candidates:
        ordered = TermCorpus(documents.values, documents.documents)
        ranked, vectors = reordered(ranked, queries.values, ordered, job.k), ordered.values.vectors
    cost = sparsity(asked, searched.values, vectors=vectors)
    job.write(ranked, cost=cost, reading=readings(documents, queries))
