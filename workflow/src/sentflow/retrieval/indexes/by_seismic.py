"""Approximate indexes of weights of terms, by Seismic (pyseismic-lsr).

Seismic keeps weights in half precision: 11 bits of each, none above 65,504.
"""

import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from sentflow.errors import ConfigError, DataError
from sentflow.retrieval.settings import IndexSettings, Seismic

_PROCESSORS = Path("/proc/cpuinfo")
# Instructions of the wheel, which is made for x86-64-v3; it does not ask for them, and the import would end the process
_INSTRUCTIONS = ("abm", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe")
_INSTEAD = "Leave the key index out, and the search is exact."
_TERMS = 1 << 16  # that two bytes can number
_CENTRES = (1 << 16) - 1  # of a list; more end the process
_ROWS = 1 << 15  # that are written at a time
_THREADS = "RAYON_NUM_THREADS"


@dataclass(frozen=True)
class SeismicIndex:
    """An index of Seismic; see `sentflow.retrieval.indexes.contract.Index`."""

    index: Any
    settings: Seismic

    def write(self, path: Path) -> None:
        with _without_output():
            self.index.save(str(path))

    def nearest(self, asked: csr_array, wanted: int) -> Iterator[np.ndarray]:
        n_terms = self.index.dim
        for first, last in zip(asked.indptr[:-1], asked.indptr[1:], strict=True):
            terms, weights = asked.indices[first:last], asked.data[first:last]
            known = terms < n_terms  # a term behind the last one of the documents is an error to it
            if not known.any():
                yield np.empty(0, dtype=np.int64)
                continue
            found = self.index.search(
                terms[known].astype(np.int32),
                weights[known].astype(np.float32),
                k=wanted,
                query_cut=self.settings.question_terms,
                heap_factor=self.settings.skip_below,
                n_knn=0,
                sorted=True,
            )
            yield np.array([row for _, row in found], dtype=np.int64)


def check() -> None:
    """Refuse a machine on which Seismic's wheel does not run, or is not installed.

    Raises
    ------
    ConfigError
        Says what is missing, and what to write instead.
    """
    if reason := lacking():
        raise ConfigError(
            f"index.kind: seismic runs on Linux with an x86-64 processor that has AVX2, but {reason}. {_INSTEAD}"
        )
    try:
        import seismic
    except ImportError as error:
        raise ConfigError(
            "index.kind: seismic needs pyseismic-lsr, which is there for Python 3.11 on Linux (x86-64, glibc 2.34 or "
            f"later). Write pip install -r envs/requirements-seismic.txt. {_INSTEAD}"
        ) from error
    assert seismic.SeismicIndexRaw


def build(weights: csr_array, settings: IndexSettings) -> SeismicIndex:
    """An index of (n, d) weights, none below 0, columns ascending within a row.

    Raises
    ------
    ConfigError
        Seismic does not run here, or cannot number so many blocks.
    DataError
        A weight is too large for half precision.
    """
    assert isinstance(settings, Seismic)
    longest = min(weights.shape[0], settings.list_length * settings.longest_list)
    if longest * settings.centre_share > _CENTRES:
        raise ConfigError(
            f"index: a list of {longest:.0f} documents would have more than {_CENTRES} blocks at a centre_share of "
            f"{settings.centre_share}. Write a smaller one, or a smaller list_length."
        )
    largest = float(weights.data.max(initial=0))
    if largest > float(np.finfo(np.float16).max):
        raise DataError(
            f"index: a weight of the documents is {largest:g}, but seismic keeps weights in half precision, up to "
            f"{np.finfo(np.float16).max:g}. Write impacts: 8, which rounds weights to whole numbers. {_INSTEAD}"
        )
    library = _library(weights.shape[1])
    with TemporaryDirectory() as folder, _one_thread(), _without_output():
        file = Path(folder) / "weights"
        _write_weights(file, weights)
        index = library.build(
            str(file),
            n_postings=settings.list_length,
            max_fraction=settings.longest_list,
            centroid_fraction=settings.centre_share,
            summary_energy=settings.summary_share,
        )
    return SeismicIndex(index, settings)


def read(path: Path, settings: IndexSettings, width: int) -> SeismicIndex:
    """See `sentflow.retrieval.indexes.contract.IndexModule`."""
    assert isinstance(settings, Seismic)
    return SeismicIndex(_library(width).load(str(path)), settings)


def _library(width: int) -> Any:
    """The class for terms that are numbers, in two bytes where they fit."""
    check()
    import seismic

    return seismic.SeismicIndexRaw if width < _TERMS else seismic.SeismicIndexRawLV


def lacking() -> str:
    """What the wheel needs and this machine lacks; nothing if it runs."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return f"this is {platform.system()} on {platform.machine()}"
    try:
        told = _PROCESSORS.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return f"{_PROCESSORS} cannot be read"
    flags = next((line for line in told.splitlines() if line.startswith("flags")), "").split()
    missing = [name for name in _INSTRUCTIONS if name not in flags]
    return f"this one lacks {', '.join(missing)}" if missing else ""


def _write_weights(path: Path, weights: csr_array) -> None:
    """The form that Seismic reads: the number of rows; of each row its length, its terms, its weights; 32 bits each."""
    with path.open("wb") as file:
        file.write(np.array([weights.shape[0]], dtype="<u4").tobytes())
        for start in range(0, weights.shape[0], _ROWS):
            file.write(as_words(weights[start : start + _ROWS]).tobytes())


def as_words(weights: csr_array) -> np.ndarray:
    """(rows + 2 · stored weights,) uint32: rows one after the other."""
    lengths, starts = np.diff(weights.indptr), weights.indptr[:-1]
    words = np.empty(len(lengths) + 2 * weights.nnz, dtype="<u4")
    begin = np.arange(len(lengths)) + 2 * starts.astype(np.int64)
    words[begin] = lengths
    # the j-th term of a row stands 1 + j behind the row's begin, and its weight the row's length behind that
    terms = np.arange(weights.nnz) + np.repeat(begin + 1 - starts, lengths)
    words[terms] = weights.indices
    words[terms + np.repeat(lengths, lengths)] = weights.data.astype("<f4").view("<u4")
    return words


@contextmanager
def _one_thread() -> Iterator[None]:
    """One thread while an index is built, if none was built before: it has no argument for it."""
    before = os.environ.get(_THREADS)
    os.environ[_THREADS] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_THREADS]
        else:
            os.environ[_THREADS] = before


@contextmanager
def _without_output() -> Iterator[None]:
    """Nothing on standard output, to which Seismic writes past Python."""
    sys.stdout.flush()
    kept = os.dup(1)
    try:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
