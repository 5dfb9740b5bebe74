"""Approximate indexes of dense vectors, by faiss."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.errors import ConfigError
from sentflow.retrieval.settings import Hnsw, IndexSettings, IvfFlat, IvfPq


@dataclass(frozen=True)
class FaissIndex:
    """An index of faiss; see `sentflow.retrieval.indexes.contract.Index`."""

    index: Any
    settings: IndexSettings

    def write(self, path: Path) -> None:
        _faiss().write_index(self.index, str(path))

    def nearest(self, asked: np.ndarray, wanted: int) -> Iterator[np.ndarray]:
        _set_widths(self.index, self.settings, wanted)
        _, rows = self.index.search(asked, wanted)
        yield from (own[own >= 0] for own in rows)


def check() -> None:
    """See `sentflow.retrieval.indexes.contract.IndexModule`."""
    _faiss()


def build(vectors: np.ndarray, settings: IndexSettings) -> FaissIndex:
    """An index of (n, d) float32 vectors, of length 1 where their cosine is asked for.

    Raises
    ------
    ConfigError
        faiss is not installed, or the parameters do not fit the vectors.
    """
    n, width = vectors.shape
    index = _empty(_faiss(), n, width, settings)
    if not index.is_trained:
        index.train(vectors)
    index.add(vectors)
    return FaissIndex(index, settings)


def read(path: Path, settings: IndexSettings, _width: int) -> FaissIndex:
    """See `sentflow.retrieval.indexes.contract.IndexModule`."""
    return FaissIndex(_faiss().read_index(str(path)), settings)


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
