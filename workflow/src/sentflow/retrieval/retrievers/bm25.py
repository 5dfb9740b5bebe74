"""BM25 over the terms of documents."""

import time
from pathlib import Path

from sentflow.retrieval.analysers import analyser_of
from sentflow.retrieval.bm25 import Bm25
from sentflow.retrieval.search import Search, SearchInputs
from sentflow.retrieval.settings import BM25
from sentflow.retrieval.sparsity import sparsity_of_terms
from sentflow.retrieval.terms import read_counts, read_terms


def search(job: Search, inputs: SearchInputs) -> None:
    """The documents that BM25 ranks first."""
    assert isinstance(job.settings.by, BM25) and isinstance(inputs.terms, Path)
    analyser = analyser_of(job.settings)
    documents = read_terms(inputs.terms)
    index = Bm25(documents, job.settings.by, read_counts(inputs.counts) if inputs.counts else None)
    start = time.perf_counter()
    # one question after the other, as they are asked: cutting them into terms is part of answering
    queries = [analyser.terms([text])[0] for text in job.questions.texts]
    cost = {"question_seconds": time.perf_counter() - start}
    cost |= sparsity_of_terms(queries, documents, index.n_bytes)
    job.write(index.search(queries, job.k), cost=cost)
