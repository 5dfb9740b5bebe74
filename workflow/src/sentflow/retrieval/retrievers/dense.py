"""Exact search of vectors, blocks of documents against blocks of questions; and the files that they are read from."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from sentflow.encoders.vectors.storage import Reading, read_tokens, unit_rows
from sentflow.retrieval.ranking import Ranked, blocks, even, merged, top
from sentflow.retrieval.search import Search, SearchInputs, cost_of
from sentflow.retrieval.settings import Dense
from sentflow.texts.corpora import Corpus, Questions, read_passages
from sentflow.texts.lookup import TextVectors, read_vectors

_BLOCK_ROWS = 1 << 16  # vectors that are searched at a time
_QUESTIONS = 256  # at a time: 256 × 65,536 float32 scores are 64 MB


@dataclass(frozen=True)
class Vectors:
    """What an encoder made of n texts that stand for documents, or for questions."""

    # values: (n, d) float32; or weights of terms >= 0 (`csr_array`, `TermEmbeddings`), columns ascending
    values: Any
    documents: np.ndarray  # (n,) int64 row of each text's document, ascending; a document counts by its best
    # reading: ``n`` documents, of which ``cut`` were cut; their ``tokens``, of which ``tokens_cut`` were not read
    reading: dict[str, int] | None = None


def search_vectors(
    questions: np.ndarray, corpus: Vectors, k: int, *, similarity: str = "cosine"
) -> Iterator[Ranked]:
    """The k best documents of each of (q, d) float32 questions, by ``cosine`` or ``dot``; once all are there.

    A zero vector has the cosine 0 with all others. Documents without a vector are not found. Beside the results, memory
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


def document_vectors(
    files: Sequence[Path], passages: Path | None, corpus: Corpus, *, read: Reader = read_vectors
) -> Vectors:
    """The vectors that stand for the documents of a corpus; `passages`: a file of those that do; None: whole ones."""
    if passages:
        cut = read_passages(passages)
        owners, parts = cut.documents, cut.texts
    else:
        texts = corpus.whole_texts()
        owners = np.array([row for row, text in enumerate(texts) if text], dtype=np.int64)
        parts = [texts[row] for row in owners.tolist()]
    return _read(files, parts, owners, read, whose=f"the corpus {corpus.name}")


def question_vectors(files: Sequence[Path], questions: Questions, *, read: Reader = read_vectors) -> Vectors:
    """The vectors of the questions, in their order; each stands for itself. For `files` see `document_vectors`."""
    owners = np.arange(len(questions))
    return _read(files, questions.texts, owners, read, whose=f"the questions {questions.name}")


def readings(documents: Vectors, questions: Vectors) -> dict[str, Any]:
    """What a run says of how much was read."""
    return {"documents": documents.reading, "questions": questions.reading}


def _read(
    files: Sequence[Path], texts: Sequence[str], owners: np.ndarray, read: Reader, *, whose: str
) -> Vectors:
    collection, npy, tokens, info = files
    found = read(collection, npy, info)
    rows = found.rows.of(texts, whose=whose)
    return Vectors(found.vectors[rows], owners, reading_of(read_tokens(tokens, info), rows, owners))


def reading_of(reading: Reading | None, rows: np.ndarray, owners: np.ndarray) -> dict[str, int] | None:
    """What was read of documents, or of questions; special tokens and prompts count, as often as they are read.

    `rows`: (n,) int64 rows of texts in the collection. `owners`: (n,) int64 the document of each.
    """
    if reading is None:
        return None
    lost = reading.lost[rows]
    return {
        "n": len(np.unique(owners)),
        "cut": len(np.unique(owners[lost > 0])),
        "tokens": int(reading.tokens[rows].sum()),
        "tokens_cut": int(lost.sum()),
    }


def search(job: Search, inputs: SearchInputs) -> None:
    """The documents whose vectors are nearest."""
    assert isinstance(job.settings.by, Dense)
    documents = document_vectors(inputs.documents, inputs.passages, job.corpus)
    queries = question_vectors(inputs.queries, job.questions)
    ranked = search_vectors(queries.values, documents, job.k, similarity=job.settings.by.similarity)
    n, width = documents.values.shape
    cost = cost_of(n, documents.values.nbytes, flops=float(width))
    job.write(ranked, cost=cost, reading=readings(documents, queries))
