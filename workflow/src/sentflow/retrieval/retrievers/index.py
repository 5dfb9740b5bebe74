"""Approximate search by vectors: an index of faiss that is built once.

An index only names vectors that are likely to be among the best. Their scores are those of the exact search, up to
rounding.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.encoders.vectors.storage import unit_rows
from sentflow.errors import ConfigError
from sentflow.files.atomic import atomic
from sentflow.files.io import refuse_changed
from sentflow.retrieval.ranking import Ranked, top
from sentflow.retrieval.retrievers.dense import Vectors, document_vectors, question_vectors, readings
from sentflow.retrieval.search import Search, SearchInputs
from sentflow.retrieval.settings import Dense, Hnsw, IndexSettings, IvfFlat, IvfPq, Retriever
from sentflow.texts.corpora import Corpus

_QUESTIONS = 256  # that are searched at a time


def indexed(by: Retriever, files: list[Path], passages: Path | None, corpus: Corpus) -> tuple[Dense, Vectors]:
    """A retriever with an index, and the vectors of the documents, see `document_vectors`."""
    assert isinstance(by, Dense) and by.index
    _faiss()  # before anything large is read
    return by, document_vectors(files, passages, corpus)


def build(by: Dense, corpus: Vectors) -> Any:
    """An index of the vectors of a corpus; the same one on one machine, for one thread builds it."""
    assert by.index
    vectors = _comparable(by, corpus.values)
    index = _empty(_faiss(), len(vectors), vectors.shape[1], by.index)
    if not index.is_trained:
        index.train(vectors)
    index.add(vectors)
    return index


def write_index(path: Path, index: Any) -> None:
    """Write an index under its name, whole or not at all."""
    with atomic(path) as part:
        _faiss().write_index(index, str(part))


def read_index(path: Path) -> Any:
    """Read an index that is that of the digest beside it."""
    refuse_changed(path)
    return _faiss().read_index(str(path))


def search_index(index: Any, questions: np.ndarray, by: Dense, corpus: Vectors, k: int) -> Iterator[Ranked]:
    """The best documents of each question among those that an index finds.

    What is found is scored again by the vectors themselves. With several vectors per document, so many more are asked
    for as there are per document.

    `index`: of `build` or `read_index`. `questions`: (q, d) float32. `corpus`: what the index is of. `k`: documents at
    most; fewer are found where what is looked into holds fewer.
    """
    n, n_documents = len(corpus.documents), len(np.unique(corpus.documents))
    wanted = min(n, k * -(-n // max(1, n_documents)))
    # How much of the index is looked at is no part of its file
    if isinstance(by.index, Hnsw):
        index.hnsw.efSearch = max(by.index.search_width, wanted)
    elif isinstance(by.index, IvfFlat):
        index.nprobe = min(by.index.probes, index.nlist)
    for start in range(0, len(questions), _QUESTIONS):
        block = _comparable(by, questions[start : start + _QUESTIONS])
        _, nearest = index.search(block, wanted)
        for question, rows in zip(block, nearest, strict=True):
            yield _scored(by, corpus, question, np.sort(rows[rows >= 0]), k)


def _scored(by: Dense, corpus: Vectors, question: np.ndarray, rows: np.ndarray, k: int) -> Ranked:
    scores, documents = _scale(by)(corpus.values[rows]) @ question, corpus.documents[rows]
    first = np.flatnonzero(np.diff(documents, prepend=-1))
    if len(first) < len(documents):
        scores, documents = np.maximum.reduceat(scores, first), documents[first]
    return top(scores, k, rows=documents)


def _scale(by: Dense) -> Callable[[np.ndarray], np.ndarray]:
    return unit_rows if by.similarity == "cosine" else np.asarray


def _comparable(by: Dense, values: np.ndarray) -> np.ndarray:
    """Vectors in the form that faiss reads."""
    return np.ascontiguousarray(_scale(by)(values), dtype=np.float32)


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


def search(job: Search, inputs: SearchInputs) -> None:
    """The documents that are nearest, about."""
    assert inputs.index
    by, documents = indexed(job.settings.by, [*inputs.documents], inputs.passages, job.corpus)
    queries = question_vectors(inputs.queries, job.questions)
    ranked = search_index(read_index(inputs.index), queries.values, by, documents, job.k)
    job.write(ranked, index=[inputs.index, inputs.documents[1]], reading=readings(documents, queries))
