"""Sparse vectors: few of many values of a row, in compressed rows (CSR), perhaps with a vector of each; their files.

A file is an ``.npz`` of the arrays ``indptr`` (n + 1, int64), ``indices`` (int32, ascending within a row), ``data``
(float32, none 0) and ``shape`` (2, int64); and of weights of terms that have vectors (Kong et al. 2023, "SparseEmbed",
doi 10.1145/3539618.3592065) ``vectors``, (nnz, E) float16, of which row i belongs to entry i of ``data``. So a search
by weights alone reads both kinds of files alike. NumPy gives the members of such a file one fixed date, so that equal
vectors are equal bytes.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sentflow.encoders.vectors.storage import Form, Part

TermName: TypeAlias = Callable[[int], str]
"""What a term is called, by its number: the column of its weights."""


def vocabulary_sha256(vocabulary: Mapping[str, int]) -> str:
    """SHA-256 of the terms in their order: equal ones number terms alike."""
    terms = sorted(vocabulary.items(), key=lambda item: (item[1], item[0]))
    return hashlib.sha256(json.dumps(terms).encode()).hexdigest()


class SparseForm(Form):
    suffix = ".npz"

    def placed(self, n: int, width: int, parts: Iterable[Part]) -> Any:
        rows, vectors = [np.empty(0, dtype=np.int64)], [self.of_nothing(width)]
        for some, of_these in parts:
            rows.append(some)
            vectors.append(of_these)
        order = np.argsort(np.concatenate(rows), kind="stable")
        if len(order) != n:
            raise ValueError(f"{len(order)} rows for {n} texts")
        return self.joined(vectors)[order]

    def of_nothing(self, width: int) -> sparse.csr_array:
        """(0, width) vectors."""
        return sparse.csr_array((0, width), dtype=np.float32)

    def joined(self, several: Sequence[sparse.csr_array]) -> sparse.csr_array:
        return sparse.csr_array(sparse.vstack(several, format="csr"))

    def taken(self, vectors: sparse.csr_array, rows: Sequence[int]) -> sparse.csr_array:
        return vectors[rows]

    def rows_not_finite(self, vectors: sparse.csr_array) -> list[int]:
        places = np.flatnonzero(~np.isfinite(vectors.data))
        rows = np.searchsorted(vectors.indptr, places, side="right") - 1
        return [int(row) for row in np.unique(rows)]

    def arrays(self, vectors: sparse.csr_array) -> dict[str, Any]:
        return {
            "indptr": vectors.indptr.astype(np.int64),
            "indices": vectors.indices.astype(np.int32),
            "data": vectors.data.astype(np.float32),
            "shape": np.asarray(vectors.shape, dtype=np.int64),
        }

    def of_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> sparse.csr_array:
        n_rows, width = arrays["shape"].tolist()
        data, indices, indptr = (arrays[name] for name in ("data", "indices", "indptr"))
        # of two widths scipy takes the larger one for both, which is half as much memory again
        if len(data) <= np.iinfo(np.int32).max:
            indptr = indptr.astype(np.int32)
        found = sparse.csr_array((data, indices, indptr), shape=(n_rows, width))
        found.check_format(full_check=True)  # whoever multiplies by it does not look at its bounds
        return found

    def load(self, path: Path, mmap_mode: Literal["r"] | None = None) -> Any:  # noqa: ARG002
        with np.load(path, allow_pickle=False) as arrays:
            return self.of_arrays(arrays)

    def save(self, stream: Any, vectors: Any) -> None:
        np.savez(stream, **self.arrays(vectors))

    def said(self, vectors: Any) -> dict[str, Any]:
        return {"values": int(vectors.nnz)}


SPARSE_FORM = SparseForm()


def largest_values(weights: NDArray[np.float32], most: int | None) -> sparse.csr_array:
    """(n, d) float32 of dense weights: the values that are not 0, or the `most` largest of a row, the first of equals.

    Rows with a value that is not finite are kept whole, so that whoever checks them finds it. Columns ascend.
    """
    found = sparse.csr_array(weights)
    found.sort_indices()
    if most is None or not len(weights) or np.diff(found.indptr).max() <= most:
        return found
    rows = np.repeat(np.arange(len(weights)), np.diff(found.indptr))
    order = np.lexsort((found.indices, -found.data, rows))
    rank = np.arange(found.nnz) - found.indptr[rows]
    damaged = SPARSE_FORM.rows_not_finite(found)
    kept = np.sort(order[(rank < most) | np.isin(rows, damaged)])
    ends = np.concatenate([[0], np.cumsum(np.bincount(rows[kept], minlength=len(weights)))])
    return sparse.csr_array((found.data[kept], found.indices[kept], ends), shape=found.shape)


@dataclass(frozen=True)
class TermEmbeddings:
    """The terms of n texts."""

    weights: sparse.csr_array  # (n, d) float32, columns ascending within a row
    # vectors: (nnz, E) float16, or float32 of questions that go into no file, in the order of the weights
    vectors: NDArray[np.floating[Any]]

    def __post_init__(self) -> None:
        if (
            self.vectors.ndim != 2
            or len(self.vectors) != self.weights.nnz
            or self.vectors.dtype not in (np.float16, np.float32)
        ):
            raise ValueError(
                f"vectors are {self.vectors.dtype} {self.vectors.shape} for {self.weights.nnz} weights of terms"
            )

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)."""
        n, d = self.weights.shape
        return n, d

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the weights."""
        found: np.dtype[Any] = self.weights.dtype
        return found

    @property
    def nnz(self) -> int:
        """Weights that are stored."""
        return int(self.weights.nnz)

    def __getitem__(self, rows: Any) -> "TermEmbeddings":
        """Some rows, in the order in which they are named."""
        places = sparse.csr_array(
            (np.arange(self.nnz), self.weights.indices, self.weights.indptr), shape=self.shape
        )
        return TermEmbeddings(self.weights[rows], self.vectors[places[rows].data])


class _Terms(SparseForm):
    def of_nothing(self, width: int) -> TermEmbeddings:
        return TermEmbeddings(SPARSE_FORM.of_nothing(width), np.empty((0, 0), dtype=np.float16))

    def joined(self, several: Sequence[TermEmbeddings]) -> TermEmbeddings:
        # Of no rows nobody may know how wide vectors are
        width = max(one.vectors.shape[1] for one in several)
        vectors = [one.vectors.reshape(len(one.vectors), width) for one in several]
        return TermEmbeddings(SPARSE_FORM.joined([one.weights for one in several]), np.concatenate(vectors))

    def rows_not_finite(self, vectors: TermEmbeddings) -> list[int]:
        places = np.flatnonzero(~np.isfinite(vectors.vectors).all(axis=1))
        rows = np.searchsorted(vectors.weights.indptr, places, side="right") - 1
        return sorted({*SPARSE_FORM.rows_not_finite(vectors.weights), *rows.tolist()})

    def arrays(self, vectors: TermEmbeddings) -> dict[str, Any]:
        return {**SPARSE_FORM.arrays(vectors.weights), "vectors": vectors.vectors}

    def of_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> TermEmbeddings:
        return TermEmbeddings(SPARSE_FORM.of_arrays(arrays), arrays["vectors"])


TERM_FORM = _Terms()
