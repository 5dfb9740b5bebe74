"""Approximate search by vectors: an index of faiss that is built once, and how much of the exact search it finds.

An index only names vectors that are likely to be among the best. Their scores are those of the exact search, up to
rounding.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.encoders.vectors.storage import unit_rows
from sentflow.errors import ConfigError
from sentflow.files.io import refuse_changed
from sentflow.retrieval import dense
from sentflow.retrieval.dense import ReadVectors, document_vectors
from sentflow.retrieval.ranking import Ranked, top
from sentflow.retrieval.settings import Dense, Hnsw, IndexSettings, IvfFlat, IvfPq, Retriever
from sentflow.texts.corpora import Corpus

_QUESTIONS = 256  # that are searched at a time


@dataclass(frozen=True)
class Indexed:
    """What an index is of."""

    settings: IndexSettings  # of the index
    vectors: dense.Vectors  # (n, d) float32 vectors of the documents
    similarity: str  # ``cosine`` (vectors are scaled to length 1) or ``dot``

    def exact(self, questions: np.ndarray, k: int) -> Iterator[Ranked]:
        """The k best documents of each question, by comparing all vectors."""
        return dense.search(questions, self.vectors, k, similarity=self.similarity)

    def scaled(self, values: np.ndarray) -> np.ndarray:
        """Vectors as they are compared."""
        scale: Callable[[np.ndarray], np.ndarray] = unit_rows if self.similarity == "cosine" else np.asarray
        return scale(values)


def read_indexed(
    by: Retriever, files: Sequence[Path], passages: Path | None, corpus: Corpus
) -> tuple[Indexed, ReadVectors]:
    """What an index is of, and the same vectors with how much of their texts was read; see `document_vectors`."""
    assert isinstance(by, Dense) and by.index is not None
    _faiss()  # before anything large is read
    read = document_vectors(files, passages, corpus)
    return Indexed(by.index, read, by.similarity), read


def build(corpus: Indexed) -> Any:
    """An index of the vectors of a corpus; the same one on one machine, for one thread builds it."""
    vectors = _comparable(corpus, corpus.vectors.values)
    n, width = vectors.shape
    index = _empty(_faiss(), n, width, corpus.settings)
    if not index.is_trained:
        index.train(vectors)
    index.add(vectors)
    return index


def write_index(path: Path, index: Any) -> None:
    """Write an index under its name, whole or not at all."""
    part = path.with_name(path.name + ".part")
    _faiss().write_index(index, str(part))
    part.replace(path)


def read_index(path: Path) -> Any:
    """Read an index that is that of the digest beside it."""
    refuse_changed(path)
    return _faiss().read_index(str(path))


def search(index: Any, questions: np.ndarray, corpus: Indexed, k: int) -> Iterator[Ranked]:
    """The best documents of each question among those that an index finds.

    What is found is scored again by the vectors themselves. With several vectors per document, so many more are asked
    for as there are per document.

    `index`: of `build` or `read_index`. `questions`: (q, d) float32. `k`: documents at most; fewer are found where
    what is looked into holds fewer.
    """
    documents = corpus.vectors.documents
    n, n_documents = len(documents), len(np.unique(documents))
    wanted = min(n, k * -(-n // max(1, n_documents)))
    _set_widths(index, corpus.settings, wanted)
    for start in range(0, len(questions), _QUESTIONS):
        block = _comparable(corpus, questions[start : start + _QUESTIONS])
        _, nearest = index.search(block, wanted)
        for question, rows in zip(block, nearest, strict=True):
            yield _scored(corpus, question, np.sort(rows[rows >= 0]), k)


def _scored(corpus: Indexed, question: np.ndarray, rows: np.ndarray, k: int) -> Ranked:
    scores, documents = corpus.scaled(corpus.vectors.values[rows]) @ question, corpus.vectors.documents[rows]
    first = np.flatnonzero(np.diff(documents, prepend=-1))
    if len(first) < len(documents):
        scores, documents = np.maximum.reduceat(scores, first), documents[first]
    return top(scores, k, rows=documents)


def _comparable(corpus: Indexed, values: np.ndarray) -> np.ndarray:
    """Vectors in the form that faiss reads."""
    return np.ascontiguousarray(corpus.scaled(values), dtype=np.float32)


def _empty(faiss: Any, n: int, width: int, settings: IndexSettings) -> Any:
    metric = faiss.METRIC_INNER_PRODUCT
    if isinstance(settings, Hnsw):
        index = faiss.IndexHNSWFlat(width, settings.links, metric)
        index.hnsw.efConstruction = settings.build_width
        index.hnsw.rng = faiss.RandomGenerator(settings.seed)
        return index
    coarse = faiss.IndexFlatIP(width)
    if not isinstance(settings, IvfFlat):
        return coarse
    if settings.lists > n:
        raise ConfigError(f"index.lists: {settings.lists} lists for {n} vectors. Write fewer.")
    if isinstance(settings, IvfPq):
        if width % settings.parts or 2**settings.bits > n:
            raise ConfigError(
                f"index: {settings.parts} parts must divide the width {width}, and 2 ** bits = {2**settings.bits} must "
                f"not be more than the {n} vectors. Write other parts or fewer bits."
            )
        index = faiss.IndexIVFPQ(coarse, width, settings.lists, settings.parts, settings.bits, metric)
        index.pq.cp.seed = settings.seed
    else:
        index = faiss.IndexIVFFlat(coarse, width, settings.lists, metric)
    index.cp.seed = settings.seed
    return index


def _set_widths(index: Any, settings: IndexSettings, wanted: int) -> None:
    """How much of the index is looked at: no part of the file, so that it is set after reading."""
    if isinstance(settings, Hnsw):
        index.hnsw.efSearch = max(settings.search_width, wanted)
    elif isinstance(settings, IvfFlat):
        index.nprobe = min(settings.probes, index.nlist)


def _faiss() -> Any:
    try:
        import faiss
    except ImportError as error:
        raise ConfigError(
            "index: an approximate index needs faiss. Write pip install -r envs/requirements-faiss.txt; or leave "
            "the key index out, and the search is exact."
        ) from error
    faiss.omp_set_num_threads(1)
    return faiss


def recalls(found: Sequence[Ranked], exact: Sequence[Ranked], k: int) -> np.ndarray:
    """(q,) share of the k best documents that an approximate search finds, NaN for a question that has none.

    A document counts if its score is at least that of the k-th of the exact search, up to rounding: where several have
    that score, any of them is as good.
    """
    values = np.full(len(found), np.nan)
    for row, (one, whole) in enumerate(zip(found, exact, strict=True)):
        best = whole.scores[:k]
        if len(best):
            least = best[-1] - 1e-5 * max(1e-3, abs(float(best[-1])))
            values[row] = min(1.0, float((one.scores[:k] >= least).sum()) / len(best))
    return values
