"""Weights of terms with a vector for each, and their files.

A file is that of sparse vectors (`sentflow.encoders.vectors.sparse`) with one member more: ``vectors``, (nnz, E)
float16, of which row i belongs to entry i of ``data``. So a search by weights alone reads both kinds of files alike.
Kong et al. 2023, "SparseEmbed" (doi 10.1145/3539618.3592065).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sentflow.encoders.vectors.sparse import SPARSE_FORM, SparseForm


@dataclass(frozen=True)
class TermEmbeddings:
    """The terms of n texts."""

    weights: sparse.csr_array  # (n, d) float32, columns ascending within a row
    # vectors: (nnz, E) float16, or float32 of questions that go into no file: of each weight that is stored, in their
    # order
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
