"""Products of weights of terms; candidates may be ordered again by the vectors of their terms."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sentflow.encoders.vectors.terms import TermEmbeddings
from sentflow.retrieval import sparse
from sentflow.retrieval.dense import document_vectors, question_vectors, readings
from sentflow.retrieval.ranking import Ranked, even, top
from sentflow.retrieval.search import Search, SearchInputs
from sentflow.retrieval.settings import Sparse
from sentflow.retrieval.sparse import (
    Impacts,
    SparseVectors,
    best_of_documents,
    read_terms,
    read_weights,
    refuse_other_terms,
)
from sentflow.retrieval.sparsity import sparsity

_BLOCK_DOCUMENTS = 1 << 13  # candidates at a time: with 256 terms each, their entries take 50 MB


@dataclass(frozen=True)
class TermCorpus:
    """Terms with their vectors that stand for documents."""

    values: TermEmbeddings  # n texts
    # documents: (n,) int64 row of the document of each text in the corpus, ascending; a document counts by its best
    # text
    documents: np.ndarray


def reordered(
    candidates: Iterable[Ranked], questions: TermEmbeddings, corpus: TermCorpus, k: int
) -> Iterator[Ranked]:
    """The k candidates of each question with the greatest Σ_j e^q_j · e^d_j over the terms j that both texts have.

    Products of half-precision values are taken, and summed, in float64. With all documents as candidates these are the
    best of all.

    `candidates`: of each question, in their order; scores are not read. `k`: at least 1. Yields documents of a score
    above 0 alone, as in the first stage; equal ones in the order of the corpus.
    """
    # The place of each term of the vocabulary among those of the question, −1 where it has no such term
    places = np.full(questions.shape[1], -1, dtype=np.int64)
    indptr = questions.weights.indptr
    for found, first, last in zip(candidates, indptr[:-1], indptr[1:], strict=True):
        terms = questions.weights.indices[first:last]
        places[terms] = np.arange(len(terms))
        asked = questions.vectors[first:last].astype(np.float64)
        yield _best(np.sort(found.rows), places, asked, corpus, k)
        places[terms] = -1


def _best(rows: np.ndarray, places: np.ndarray, asked: np.ndarray, corpus: TermCorpus, k: int) -> Ranked:
    """The k best of documents, whose rows ascend."""
    size = even(len(rows), _BLOCK_DOCUMENTS)
    blocks = (rows[start : start + size] for start in range(0, len(rows), size))
    parts = [_scores(block, places, asked, corpus) for block in blocks]
    if not parts:
        return top(np.zeros(0), k)
    documents, scores = (np.concatenate(both) for both in zip(*parts, strict=True))
    return top(scores, k, above=0.0, rows=documents)


def _scores(
    rows: np.ndarray, places: np.ndarray, asked: np.ndarray, corpus: TermCorpus
) -> tuple[np.ndarray, np.ndarray]:
    """Those of the documents that have a text, and their best scores."""
    weights, vectors = corpus.values.weights, corpus.values.vectors
    texts = _ranges(*(np.searchsorted(corpus.documents, rows, side=side) for side in ("left", "right")))
    first, last = weights.indptr[texts], weights.indptr[texts + 1]
    entries = _ranges(first, last)
    of_question = places[weights.indices[entries]]
    shared = of_question >= 0
    owners = np.repeat(np.arange(len(texts)), last - first)[shared]
    products = np.einsum("ij,ij->i", vectors[entries[shared]].astype(np.float64), asked[of_question[shared]])
    scores = np.bincount(owners, weights=products, minlength=len(texts))
    return best_of_documents(corpus.documents[texts], scores)


def _ranges(first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """All whole numbers from first[i] to last[i] − 1, one range after the other; int64."""
    lengths = (last - first).astype(np.int64)
    ends = np.cumsum(lengths)
    found: np.ndarray = np.arange(lengths.sum()) + np.repeat(first - (ends - lengths), lengths)
    return found


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
