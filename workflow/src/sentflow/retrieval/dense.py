"""Exact search by vectors: every question against every document, in blocks of bounded memory."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sentflow.encoders.vectors.storage import unit_rows
from sentflow.retrieval.ranking import Ranked, blocks, even, merged, top

SIMILARITIES = ("cosine", "dot")
_BLOCK_ROWS = 1 << 16  # vectors that are searched at a time
_QUESTIONS = 256  # at a time: 256 × 65,536 float32 scores are 64 MB


@dataclass(frozen=True)
class Vectors:
    """Vectors that stand for documents."""

    values: np.ndarray  # (n, d) float32
    # documents: (n,) int64 row of the document of each vector in the corpus, ascending; a document counts by its best
    # vector
    documents: np.ndarray


def search(questions: np.ndarray, corpus: Vectors, k: int, *, similarity: str = "cosine") -> Iterator[Ranked]:
    """The k best documents of each question.

    `questions`: (q, d) float32. `k`: at least 1. `similarity`: one of `SIMILARITIES`; a zero vector has the cosine 0
    with all others. Documents without a vector are not found. Results come once all are there. Beside them, memory
    holds 64 MB of scores and, for the cosine, a copy of 65,536 vectors.
    """
    scale = unit_rows if similarity == "cosine" else np.asarray
    asked = scale(questions)
    best: list[Ranked] = []
    for block in blocks(corpus.documents, _BLOCK_ROWS):
        found = list(_of_block(asked, scale(corpus.values[block]), corpus.documents[block], k))
        best = [merged(pair, k) for pair in zip(best, found, strict=True)] if best else found
    yield from best or [top(np.zeros(0, dtype=np.float32), k)] * len(asked)


def _of_block(asked: np.ndarray, values: np.ndarray, documents: np.ndarray, k: int) -> Iterator[Ranked]:
    """The k best documents of each question among those of some vectors."""
    first = np.flatnonzero(np.diff(documents, prepend=-1))
    own = documents[first]
    size = even(len(asked), _QUESTIONS)
    for start in range(0, len(asked), size):
        scores = asked[start : start + size] @ values.T
        if len(first) < len(documents):
            scores = np.maximum.reduceat(scores, first, axis=1)
        yield from (top(row, k, rows=own) for row in scores)
