"""Search by an approximate index of vectors or of weights."""

from pathlib import Path

from sentflow.retrieval import approximate
from sentflow.retrieval.indexes.files import Indexed
from sentflow.retrieval.search import Search, SearchInputs
from sentflow.retrieval.vector_files import readings


def search(job: Search, inputs: SearchInputs) -> None:
    """The documents that are nearest, about."""
    assert isinstance(inputs.index, Path)
    indexed = Indexed.of(job.settings.by, inputs.documents, inputs.passages, job.corpus)
    queries = indexed.questions(inputs.queries, job.questions)
    index = approximate.read_index(inputs.index, indexed.settings, indexed.corpus)
    ranked = approximate.search(index, queries.values, indexed.corpus, job.k)
    cost = indexed.corpus.cost(queries.values)
    cost.pop("index_bytes", None)  # files are searched, and not arrays
    reading = readings(indexed.read, queries)
    job.write(ranked, index=[inputs.index, inputs.documents[1]], cost=cost, reading=reading)
