"""Search by an approximate index of vectors."""

from pathlib import Path

from sentflow.retrieval import approximate
from sentflow.retrieval.dense import question_vectors, readings
from sentflow.retrieval.search import Search, SearchInputs


def search(job: Search, inputs: SearchInputs) -> None:
    """The documents that are nearest, about."""
    assert isinstance(inputs.index, Path)
    indexed, read = approximate.read_indexed(job.settings.by, inputs.documents, inputs.passages, job.corpus)
    queries = question_vectors(inputs.queries, job.questions)
    ranked = approximate.search(approximate.read_index(inputs.index), queries.values, indexed, job.k)
    job.write(ranked, index=[inputs.index, inputs.documents[1]], reading=readings(read, queries))
