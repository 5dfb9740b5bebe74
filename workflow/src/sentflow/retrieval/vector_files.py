"""The vectors of a search, as jobs are given them: of documents or passages, and of questions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from sentflow.encoders.vectors.storage import read_tokens
from sentflow.retrieval.dense import Vectors
from sentflow.retrieval.reading import counts
from sentflow.texts.corpora import Corpus, Questions, read_passages
from sentflow.texts.lookup import TextVectors, read_vectors

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
