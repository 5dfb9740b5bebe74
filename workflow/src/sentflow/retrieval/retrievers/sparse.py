"""Exact search of weights of terms; candidates may be ordered again by the vectors of their terms."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from sentflow.encoders.vectors.sparse import SPARSE_FORM, TERM_FORM, SparseForm, TermEmbeddings
from sentflow.errors import DataError
from sentflow.files.io import read_json
from sentflow.retrieval.ranking import Ranked, blocks, even, merged, top
from sentflow.retrieval.retrievers.dense import (
    Reader,
    Vectors,
    document_vectors,
    question_vectors,
    readings,
)
from sentflow.retrieval.search import Search, SearchInputs, cost_of
from sentflow.retrieval.settings import Sparse
from sentflow.texts.collection import read_texts, rows_of
from sentflow.texts.lookup import TextVectors

# What must be equal in the descriptions of two files for their columns to be the same terms by the same model
_SAME = ("model", "files_sha256", "vocabulary_sha256")
_BLOCK_ROWS = 1 << 15  # vectors of documents that are searched at a time
_QUESTIONS = 128  # at a time: 128 × 32,768 scores, with the column of each, are 50 MB
_BLOCK_DOCUMENTS = 1 << 13  # candidates at a time: with 256 terms each, their entries take 50 MB


def reader_of(by: Sparse) -> Reader:
    """What reads the weights of terms, with the vectors of these where they order candidates."""
    return partial(_read, form=TERM_FORM if by.candidates else SPARSE_FORM)


def _read(texts: Path, npz: Path, info: Path, *, form: SparseForm) -> TextVectors:
    distinct = read_texts(texts)
    return TextVectors(distinct, form.read(npz, info, distinct), rows_of(distinct, file=texts))


def refuse_other_terms(documents: Path, questions: Path) -> None:
    """Refuse documents and questions whose terms are not the same."""
    first, second = (read_json(info) for info in (documents, questions))
    if differ := [key for key in _SAME if first.get(key) != second.get(key)]:
        raise DataError(
            f"{documents} and {questions} describe weights that cannot be compared: {', '.join(differ)} differ. One "
            "model must weigh the terms of documents and of questions. Delete both with their .npz and run snakemake "
            "again."
        )


def rounded(weights: csr_array, bits: int | None) -> tuple[csr_array, float]:
    """Weights, none below 0, as whole numbers whose largest is that of so many bits, and what 1 stands for.

    `weights`: (n, d) float32. `bits`: 1 to 8; None leaves them as they are. Returns (n, d) uint8 without zeros; a
    weight and its number times the step differ by half a step at most.
    """
    if bits is None:
        return weights, 1.0
    step = float(weights.data.max(initial=0)) / (2**bits - 1) or 1.0
    data = np.rint(weights.data.astype(np.float64) / step).astype(np.uint8)
    values = csr_array((data, weights.indices.copy(), weights.indptr.copy()), shape=weights.shape)
    values.eliminate_zeros()
    return values, step


def search_weights(questions: csr_array, corpus: Vectors, k: int, *, step: float = 1.0) -> Iterator[Ranked]:
    """The k best documents of each question that share a term with it; once all are there.

    A score is a sum in float64 over the terms of the question in the order of the vocabulary, whatever the blocks are.
    `questions`: (q, d) float32, none below 0, columns ascending. `corpus`: of weights alone. `step`: multiplies scores,
    see `rounded`. Beside the results, memory holds 50 MB of scores and a copy of 32,768 vectors.
    """
    asked = questions.astype(np.float64)
    best: list[Ranked] = []
    for block in blocks(corpus.documents, _BLOCK_ROWS):
        # a term → the documents that have it: only what is shared is multiplied
        inverted = csr_array(corpus.values[block].T, dtype=np.float64)
        found = list(_of_block(asked, inverted, corpus.documents[block], k, step))
        best = [merged(pair, k) for pair in zip(best, found, strict=True)] if best else found
    yield from best or [top(np.zeros(0), k)] * asked.shape[0]


def _of_block(
    asked: csr_array, inverted: csr_array, documents: np.ndarray, k: int, step: float
) -> Iterator[Ranked]:
    """The k best documents of each question among those of some vectors."""
    size = even(asked.shape[0], _QUESTIONS)
    for start in range(0, asked.shape[0], size):
        scores = asked[start : start + size] @ inverted
        for first, last in zip(scores.indptr[:-1], scores.indptr[1:], strict=True):
            own, values = _best_of(documents[scores.indices[first:last]], scores.data[first:last])
            yield top(values * step, k, above=0.0, rows=own)


def _best_of(documents: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Documents, each once, and their best scores."""
    order = np.argsort(documents, kind="stable")
    documents, scores = documents[order], scores[order]
    first = np.flatnonzero(np.diff(documents, prepend=-1))
    return documents[first], np.maximum.reduceat(scores, first) if len(first) else scores


def reordered(
    candidates: Iterable[Ranked], questions: TermEmbeddings, corpus: Vectors, k: int
) -> Iterator[Ranked]:
    """The k candidates of each question with the greatest Σ_j e^q_j · e^d_j over the terms j that both texts have.

    Products of half-precision values are taken, and summed, in float64. `candidates`: of each question; scores are not
    read. Yields documents of a score above 0 alone; equal ones in the order of the corpus.
    """
    # The place of each term of the vocabulary among those of the question, −1 where it has no such term
    places = np.full(questions.shape[1], -1, dtype=np.int64)
    indptr = questions.weights.indptr
    for found, first, last in zip(candidates, indptr[:-1], indptr[1:], strict=True):
        terms = questions.weights.indices[first:last]
        places[terms] = np.arange(len(terms))
        asked, rows = questions.vectors[first:last].astype(np.float64), np.sort(found.rows)
        size = even(len(rows), _BLOCK_DOCUMENTS)
        parts = [
            _scores(rows[start : start + size], places, asked, corpus) for start in range(0, len(rows), size)
        ]
        documents, scores = map(np.concatenate, zip(*parts, strict=True)) if parts else (rows, np.zeros(0))
        yield top(scores, k, above=0.0, rows=documents)
        places[terms] = -1


def _scores(
    rows: np.ndarray, places: np.ndarray, asked: np.ndarray, corpus: Vectors
) -> tuple[np.ndarray, np.ndarray]:
    """Those of the documents, whose rows ascend, that have a text, and their best scores."""
    weights, vectors = corpus.values.weights, corpus.values.vectors
    texts = _ranges(*(np.searchsorted(corpus.documents, rows, side=side) for side in ("left", "right")))
    first, last = weights.indptr[texts], weights.indptr[texts + 1]
    entries = _ranges(first, last)
    of_question = places[weights.indices[entries]]
    shared = of_question >= 0
    owners = np.repeat(np.arange(len(texts)), last - first)[shared]
    products = np.einsum("ij,ij->i", vectors[entries[shared]].astype(np.float64), asked[of_question[shared]])
    scores = np.bincount(owners, weights=products, minlength=len(texts))
    return _best_of(corpus.documents[texts], scores)


def _ranges(first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """All whole numbers from first[i] to last[i] − 1, one range after the other; int64."""
    lengths = (last - first).astype(np.int64)
    ends = np.cumsum(lengths)
    return np.asarray(np.arange(lengths.sum()) + np.repeat(first - (ends - lengths), lengths))


def sparsity(
    questions: csr_array, documents: csr_array, *, vectors: np.ndarray | None = None
) -> dict[str, Any]:
    """What a search costs.

    `questions`, `documents`: (q, d), (n, d); numbers that are stored count as terms. `vectors`: of the terms of
    documents, where they are searched, too. ``expected_matches`` is Σ_j P(j ∈ q) P(j ∈ d), the terms that a question
    and a document share on average (Paria et al. 2020, arXiv 2004.05665, call it FLOPS), as is ``flops``.
    """
    arrays = (documents.data, documents.indices, documents.indptr, *([] if vectors is None else [vectors]))
    size = sum(array.nbytes for array in arrays)
    counts = [
        (np.bincount(one.indices, minlength=one.shape[1]), max(one.shape[0], 1))
        for one in (questions, documents)
    ]
    (asked, n_asked), (held, n_vectors) = counts
    matches = float((asked / n_asked) @ (held / n_vectors))
    return {
        "terms_per_question": questions.nnz / n_asked,
        "terms_per_document": documents.nnz / n_vectors,
        "expected_matches": matches,
        **cost_of(documents.shape[0], size, flops=matches),
    }


def search(job: Search, inputs: SearchInputs) -> None:
    """The documents of the greatest products of weights; or these, ordered by vectors of terms."""
    by = job.settings.by
    assert isinstance(by, Sparse)
    refuse_other_terms(inputs.documents[-1], inputs.queries[-1])
    documents = document_vectors(inputs.documents, inputs.passages, job.corpus, read=reader_of(by))
    queries = question_vectors(inputs.queries, job.questions, read=reader_of(by))
    held, asked = (one.values.weights if by.candidates else one.values for one in (documents, queries))
    held, step = rounded(held, by.impacts)
    ranked = search_weights(asked, Vectors(held, documents.documents), by.candidates or job.k, step=step)
    vectors = None
    if by.candidates:
        ranked, vectors = reordered(ranked, queries.values, documents, job.k), documents.values.vectors
    cost = sparsity(asked, held, vectors=vectors)
    job.write(ranked, cost=cost, reading=readings(documents, queries))
