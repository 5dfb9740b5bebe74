"""Approximate indexes of dense vectors, by faiss."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.errors import ConfigError
from sentflow.retrieval.indexes.contract import IndexSettings


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
    metric, own = faiss.METRIC_INNER_PRODUCT, settings.parameters
    if settings.kind == "flat":
        return faiss.IndexFlatIP(width)
    if settings.kind == "hnsw":
        index = faiss.IndexHNSWFlat(width, own["links"], metric)
        index.hnsw.efConstruction = own["build_width"]
        index.hnsw.rng = faiss.RandomGenerator(own["seed"])
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
        index.pq.cp.seed = own["seed"]
    index.cp.seed = own["seed"]
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
