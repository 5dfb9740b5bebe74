"""Approximate search by vectors, by faiss: an index that is built once, and what is found with it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.errors import ConfigError
from sentflow.files.io import refuse_changed
from sentflow.retrieval.dense import Vectors, unit
from sentflow.retrieval.ranking import Ranked, top

_QUESTIONS = 256  # that are searched at a time

# Kind → its parameters with their defaults, all whole numbers of at least 1
KINDS: Mapping[str, Mapping[str, int]] = {
    "flat": {},
    "hnsw": {"links": 32, "build_width": 200, "search_width": 128},
    "ivf-flat": {"lists": 256, "probes": 16},
    "ivf-pq": {"lists": 256, "probes": 16, "parts": 48, "bits": 8},
}


@dataclass(frozen=True)
class IndexSettings:
    """A kind of index and its parameters.

    Attributes
    ----------
    kind
        ``flat`` compares all vectors, and is the exact search by another program; ``hnsw`` walks a graph of neighbours
        (Malkov and Yashunin 2018); ``ivf-flat`` looks into some of the lists of a clustering; ``ivf-pq`` also keeps
        codes in place of vectors (Jégou et al. 2011).
    parameters
        See `KINDS`. hnsw: links per vector, width of the search while building and while searching; ivf: lists, lists
        that are looked into; pq: parts of a vector, which must divide its width, and bits of the code of each.
    seed
        Of graph and clusterings.
    """

    kind: str
    parameters: Mapping[str, int]
    seed: int = 0

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> "IndexSettings":
        """From the key ``index`` of an entry, without problems."""
        kind = entry["kind"]
        known = KINDS[kind]
        return cls(
            kind, {key: int(entry.get(key, value)) for key, value in known.items()}, entry.get("seed", 0)
        )


def build(values: np.ndarray, settings: IndexSettings, *, similarity: str) -> Any:
    """An index of faiss over vectors; the same one on one machine, for one thread builds it.

    Parameters
    ----------
    values
        (n, d) float32.
    settings
        See `IndexSettings`.
    similarity
        ``cosine`` (vectors are scaled to length 1) or ``dot``.

    Raises
    ------
    ConfigError
        faiss is not installed, or the parameters do not fit the vectors.
    """
    faiss = _faiss()
    n, width = values.shape
    index = _empty(faiss, n, width, settings)
    values = np.ascontiguousarray(unit(values) if similarity == "cosine" else values, dtype=np.float32)
    if not index.is_trained:
        index.train(values)
    index.add(values)
    return index


def write_index(path: Path, index: Any) -> None:
    """Write an index under its name, whole or not at all."""
    part = path.with_name(path.name + ".part")
    _faiss().write_index(index, str(part))
    part.replace(path)


def read_index(path: Path) -> Any:
    """Read an index that is that of the digest beside it.

    Raises
    ------
    DataError
        The file has changed.
    ConfigError
        faiss is not installed.
    """
    refuse_changed(path)
    return _faiss().read_index(str(path))


def search(
    index: Any, questions: np.ndarray, corpus: Vectors, k: int, settings: IndexSettings, *, similarity: str
) -> Iterator[Ranked]:
    """The best documents of each question among those that an index finds.

    What is found is scored again by the vectors themselves: codes only choose, and scores are those of the exact search
    up to rounding. With several vectors per document, so many more are asked for as there are per document.

    Parameters
    ----------
    index, settings
        Of `build`.
    questions
        (q, d) float32.
    corpus
        The vectors that the index was built of.
    k
        Documents at most; fewer are found where the lists that are looked into hold fewer.
    similarity
        That of `build`.
    """
    scale = unit if similarity == "cosine" else np.asarray
    n, n_documents = len(corpus.documents), len(np.unique(corpus.documents))
    wanted = min(n, k * -(-n // max(1, n_documents)))
    _set_widths(index, settings, wanted)
    for start in range(0, len(questions), _QUESTIONS):
        asked = np.ascontiguousarray(scale(questions[start : start + _QUESTIONS]), dtype=np.float32)
        _, rows = index.search(asked, wanted)
        for one, own in zip(asked, rows, strict=True):
            yield _scored(one, own[own >= 0], corpus, scale, k)


def _scored(asked: np.ndarray, rows: np.ndarray, corpus: Vectors, scale: Any, k: int) -> Ranked:
    rows = np.sort(rows)
    scores, documents = scale(corpus.values[rows]) @ asked, corpus.documents[rows]
    first = np.flatnonzero(np.diff(documents, prepend=-1))
    if len(first) < len(documents):
        scores, documents = np.maximum.reduceat(scores, first), documents[first]
    return top(scores, k, rows=documents)


def _empty(faiss: Any, n: int, width: int, settings: IndexSettings) -> Any:
    metric, own = faiss.METRIC_INNER_PRODUCT, settings.parameters
    if settings.kind == "flat":
        return faiss.IndexFlatIP(width)
    if settings.kind == "hnsw":
        index = faiss.IndexHNSWFlat(width, own["links"], metric)
        index.hnsw.efConstruction = own["build_width"]
        index.hnsw.rng = faiss.RandomGenerator(settings.seed)
        return index
    if own["lists"] > n:
        raise ConfigError(f"index.lists: {own['lists']} lists for {n} vectors. Write fewer.")
    coarse = faiss.IndexFlatIP(width)
    if settings.kind == "ivf-flat":
        index = faiss.IndexIVFFlat(coarse, width, own["lists"], metric)
    else:
        if width % own["parts"] or 2 ** own["bits"] > n:
            raise ConfigError(
                f"index: {own['parts']} parts must divide the width {width}, and 2 ** bits = {2 ** own['bits']} must "
                f"not be more than the {n} vectors. Write other parts or fewer bits."
            )
        index = faiss.IndexIVFPQ(coarse, width, own["lists"], own["parts"], own["bits"], metric)
        index.pq.cp.seed = settings.seed
    index.cp.seed = settings.seed
    return index


def _set_widths(index: Any, settings: IndexSettings, wanted: int) -> None:
    """How much of the index is looked at: no part of the file, so that it is set after reading."""
    if settings.kind == "hnsw":
        index.hnsw.efSearch = max(settings.parameters["search_width"], wanted)
    elif settings.kind.startswith("ivf"):
        index.nprobe = min(settings.parameters["probes"], index.nlist)


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
