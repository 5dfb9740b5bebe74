"""Exact search of weights of terms, and the files that they are read from."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from sentflow.encoders.vectors.sparse import SPARSE_FORM, SparseForm, read_sparse
from sentflow.encoders.vectors.terms import TERM_FORM
from sentflow.errors import DataError
from sentflow.files.io import read_json
from sentflow.retrieval.ranking import Ranked, blocks, even, merged, top
from sentflow.texts.collection import read_texts, rows_of
from sentflow.texts.lookup import TextVectors

# What must be equal in the descriptions of two files for their columns to be the same terms by the same model
_SAME = ("model", "files_sha256", "vocabulary_sha256")


def read_weights(texts: Path, npz: Path, info: Path) -> TextVectors:
    """Read the texts of a collection, the weights of their terms, and what describes these; no vectors of terms."""
    return _read(texts, npz, info, SPARSE_FORM)


def read_terms(texts: Path, npz: Path, info: Path) -> TextVectors:
    """The same with vectors of terms: `sentflow.encoders.vectors.terms.TermEmbeddings`."""
    return _read(texts, npz, info, TERM_FORM)


def _read(texts: Path, npz: Path, info: Path, form: SparseForm) -> TextVectors:
    distinct = read_texts(texts)
    return TextVectors(distinct, read_sparse(npz, info, distinct, form=form), rows_of(distinct, file=texts))


def refuse_other_terms(documents: Path, questions: Path) -> None:
    """Refuse documents and questions whose terms are not the same."""
    first, second = (read_json(info) for info in (documents, questions))
    if differ := [key for key in _SAME if first.get(key) != second.get(key)]:
        raise DataError(
            f"{documents} and {questions} describe weights that cannot be compared: {', '.join(differ)} differ. One "
            "model must weigh the terms of documents and of questions. Delete both with their .npz and run snakemake "
            "again."
        )


_BLOCK_ROWS = 1 << 15  # vectors of documents that are searched at a time
_QUESTIONS = 128  # at a time: 128 × 32,768 scores, with the column of each, are 50 MB


@dataclass(frozen=True)
class SparseVectors:
    """Weights of terms that stand for documents."""

    values: csr_array  # (n, d) float32, none below 0, columns ascending within a row
    # documents: (n,) int64 row of the document of each vector in the corpus, ascending; a document counts by its best
    # vector
    documents: np.ndarray


@dataclass(frozen=True)
class Impacts:
    """Weights that were rounded to whole numbers of few bits."""

    values: csr_array  # (n, d) uint8, none 0: weights that are nearer to 0 than to the first step are gone
    step: float  # what 1 stands for. A weight and its impact times this differ by half of it at most.

    @classmethod
    def of(cls, weights: csr_array, bits: int) -> "Impacts":
        """Round weights, none of them below 0, so that the largest of all is the largest number of `bits` bits.

        `weights`: (n, d) float32. `bits`: 1 to 8.
        """
        step = float(weights.data.max(initial=0)) / (2**bits - 1) or 1.0
        data = np.rint(weights.data.astype(np.float64) / step).astype(np.uint8)
        values = csr_array((data, weights.indices.copy(), weights.indptr.copy()), shape=weights.shape)
        values.eliminate_zeros()
        return cls(values, step)


def search(questions: csr_array, corpus: SparseVectors, k: int, *, step: float = 1.0) -> Iterator[Ranked]:
    """The k best documents of each question that share a term with it.

    A score is a sum in float64 over the terms of the question in the order of the vocabulary, whatever the blocks are:
    that of a document in a shard is that in the whole corpus.

    `questions`: (q, d) float32, none below 0, columns ascending within a row. `k`: at least 1. `step`: what every
    score is multiplied by, see `Impacts`. Results come once all are there. Beside them, memory holds 50 MB of scores
    and a copy of the vectors of 32,768 documents.
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
            own, values = best_of_documents(documents[scores.indices[first:last]], scores.data[first:last])
            yield top(values * step, k, above=0.0, rows=own)


def best_of_documents(documents: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Documents, each once, and their best scores."""
    order = np.argsort(documents, kind="stable")
    documents, scores = documents[order], scores[order]
    first = np.flatnonzero(np.diff(documents, prepend=-1))
    return documents[first], np.maximum.reduceat(scores, first) if len(first) else scores
