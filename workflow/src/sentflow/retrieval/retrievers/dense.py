"""Exact search by vectors."""

from sentflow.retrieval import dense
from sentflow.retrieval.dense import document_vectors, question_vectors, readings
from sentflow.retrieval.search import Search, SearchInputs
from sentflow.retrieval.settings import Dense
from sentflow.retrieval.sparsity import cost_of_vectors


def search(job: Search, inputs: SearchInputs) -> None:
    """The documents whose vectors are nearest."""
    assert isinstance(job.settings.by, Dense)
    documents = document_vectors(inputs.documents, inputs.passages, job.corpus)
    queries = question_vectors(inputs.queries, job.questions)
    ranked = dense.search(queries.values, documents, job.k, similarity=job.settings.by.similarity)
    job.write(ranked, cost=cost_of_vectors(documents.values), reading=readings(documents, queries))
