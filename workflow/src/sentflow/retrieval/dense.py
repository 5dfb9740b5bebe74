"""Exact search by vectors: every question against every document, in blocks of bounded memory."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sentflow.retrieval.ranking import Ranked, merged, top

SIMILARITIES = ("cosine", "dot")
_BLOCK_ROWS = 1 << 16  # vectors that are searched at a time
_QUESTIONS = 64  # at a time: 64 × 65,536 float32 scores are 16 MB


@dataclass(frozen=True)
class Vectors:
    """Vectors that stand for documents.

    Attributes
    ----------
    values
        (n, d) float32.
    documents
        (n,) int64 row of the document of each vector in the corpus, ascending; a document counts by its best vector.
    """

    values: np.ndarray
    documents: np.ndarray


def search(questions: np.ndarray, corpus: Vectors, k: int, *, similarity: str = "cosine") -> Iterator[Ranked]:
    """The k best documents of each question.

    Parameters
    ----------
    questions
        (q, d) float32.
    corpus
        See `Vectors`; documents without a vector are not found.
    k
        At least 1.
    similarity
        One of `SIMILARITIES`; a zero vector has the cosine 0 with all others.
    """
    is_cosine = similarity == "cosine"
    asked = _unit(questions) if is_cosine else questions
    blocks = list(_blocks(corpus.documents))
    for start in range(0, len(asked), _QUESTIONS):
        some = asked[start : start + _QUESTIONS]
        parts: list[list[Ranked]] = [[] for _ in range(len(some))]
        for block in blocks:
            values, documents = corpus.values[block], corpus.documents[block]
            scores = some @ (_unit(values) if is_cosine else values).T
            first = np.flatnonzero(np.diff(documents, prepend=-1))
            if len(first) < len(documents):
                scores, documents = np.maximum.reduceat(scores, first, axis=1), documents[first]
            for part, row in zip(parts, scores, strict=True):
                part.append(top(row, k, rows=documents))
        yield from (part[0] if len(part) == 1 else merged(part, k) for part in parts)


def _blocks(documents: np.ndarray) -> Iterator[slice]:
    """Slices of at most `_BLOCK_ROWS` vectors, or of one document; no document is in two of them."""
    start = 0
    while start < len(documents):
        end = min(start + _BLOCK_ROWS, len(documents))
        if end < len(documents):
            last = documents[end]
            whole = int(np.searchsorted(documents, last, side="left"))
            end = whole if whole > start else int(np.searchsorted(documents, last, side="right"))
        yield slice(start, end)
        start = end


def _unit(values: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(values, axis=1, keepdims=True)
    scaled: np.ndarray = values / np.where(norms == 0, 1, norms)
    return scaled
