"""Exact search of vectors: blocks of documents against blocks of questions; and the files that they are read from."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from sentflow.encoders.vectors.storage import read_tokens, unit_rows
from sentflow.retrieval.ranking import Ranked, blocks, even, merged, top
from sentflow.retrieval.reading import counts
from sentflow.texts.corpora import Corpus, Questions, read_passages
from sentflow.texts.lookup import TextVectors, read_vectors


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


# Of files of texts, of vectors, and of what describes these
Reader: TypeAlias = Callable[[Path, Path, Path], TextVectors]


@dataclass(frozen=True)
class ReadVectors(Vectors):
    """Vectors, and how much of their texts the encoder read."""

    reading: dict[str, int] | None


def document_vectors(
    files: Sequence[Path], passages: Path | None, corpus: Corpus, *, read: Reader = read_vectors
) -> ReadVectors:
    """The vectors that stand for the documents of a corpus.

    `passages`: a file of those that stand for documents; None where whole documents were embedded.
    """
    if passages:
        cut = read_passages(passages)
        owners, parts = cut.documents, cut.texts
    else:
        texts = corpus.whole_texts()
        owners = np.array([row for row, text in enumerate(texts) if text], dtype=np.int64)
        parts = [texts[row] for row in owners.tolist()]
    return _read(files, parts, owners, read, whose=f"the corpus {corpus.name}")


def question_vectors(
    files: Sequence[Path], questions: Questions, *, read: Reader = read_vectors
) -> ReadVectors:
    """The vectors of the questions, in their order; each stands for itself. For `files` see `document_vectors`."""
    owners = np.arange(len(questions))
    return _read(files, questions.texts, owners, read, whose=f"the questions {questions.name}")


def readings(documents: ReadVectors, questions: ReadVectors) -> dict[str, Any]:
    """What a run says of how much was read."""
    return {"documents": documents.reading, "questions": questions.reading}


def _read(
    files: Sequence[Path], texts: Sequence[str], owners: np.ndarray, read: Reader, *, whose: str
) -> ReadVectors:
    collection, npy, tokens, info = files
    found = read(collection, npy, info)
    rows = found.rows.of(texts, whose=whose)
    return ReadVectors(found.vectors[rows], owners, counts(read_tokens(tokens, info), rows, owners))


SIMILARITIES = ("cosine", "dot")
_BLOCK_ROWS = 1 << 16  # vectors that are searched at a time
_QUESTIONS = 256  # at a time: 256 × 65,536 float32 scores are 64 MB
