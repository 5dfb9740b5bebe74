"""Documents as weights and vectors of their terms, searched by weights and scored again by vectors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch

from sentflow.errors import ConfigError, DataError
from sentflow.retrieval.ranking import Ranked, merged, top
from sentflow.sparse.activations import NO_TERM
from sentflow.sparse.term_vectors import TermVectors, candidate_scores

_MOST_CELLS = 1 << 24
"""Numbers that a block of a search holds at once: 64 MiB in float32."""


@dataclass(frozen=True)
class TermArrays:
    """The terms of n texts.

    Attributes
    ----------
    ids
        (n, k) int32, `NO_TERM` where there is no further term.
    weights
        (n, k) float32, > 0, and 0 where there is no term.
    embeddings
        (n, k, E) float16.
    """

    ids: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]
    embeddings: npt.NDArray[np.float16]

    @classmethod
    def empty(cls, n: int, k: int, width: int) -> "TermArrays":
        """Of n texts without terms."""
        return cls(
            np.full((n, k), NO_TERM, dtype=np.int32),
            np.zeros((n, k), dtype=np.float32),
            np.zeros((n, k, width), dtype=np.float16),
        )

    def put(self, start: int, ids: torch.Tensor, weights: torch.Tensor, embeddings: torch.Tensor) -> None:
        """Write the terms of a batch, in place.

        Raises
        ------
        DataError
            A value of a vector is too great for half precision.
        """
        half = embeddings.to("cpu", torch.float16)
        if not torch.isfinite(half).all():
            raise DataError(
                f"vectors of terms have values up to {float(embeddings.max()):.0f}, and half precision ends at 65504. "
                "Train with smaller weights of the projection."
            )
        rows = slice(start, start + len(ids))
        self.ids[rows, : ids.shape[1]] = ids.cpu().numpy()
        self.weights[rows, : ids.shape[1]] = weights.cpu().numpy()
        self.embeddings[rows, : ids.shape[1]] = half.numpy()

    def matrix(self, n_terms: int) -> sp.csr_matrix:
        """(n, `n_terms`) weights, float32 with int32 indices."""
        active = self.ids != NO_TERM
        starts = np.concatenate([[0], np.cumsum(active.sum(axis=1))])
        # scipy takes 64-bit indices by itself where there are too many for 32
        kind = np.int32 if starts[-1] < np.iinfo(np.int32).max else np.int64
        parts = self.weights[active], self.ids[active].astype(kind), starts.astype(kind)
        return sp.csr_matrix(parts, shape=(len(self.ids), n_terms))


@dataclass
class TermIndex:
    """Documents, in the order in which they were added.

    Attributes
    ----------
    n_terms
        V, the size of the vocabulary.
    """

    n_terms: int
    _parts: list[TermArrays] = field(default_factory=list)
    _matrix: sp.csr_matrix | None = None

    def __len__(self) -> int:
        return sum(len(part.ids) for part in self._parts)

    @property
    def k(self) -> int | None:
        """Terms per document at most; None before the first one."""
        return self._parts[0].ids.shape[1] if self._parts else None

    def check_terms(self, k: int) -> None:
        """Refuse documents with another number of places for terms than those that are there.

        Raises
        ------
        ConfigError
            Says both.
        """
        if self.k not in (None, k):
            raise ConfigError(
                f"k_token is {k}, and the documents before were added with {self.k}. Add all with the same, or make "
                "another retriever."
            )

    @property
    def n_bytes(self) -> int:
        """Of all arrays: per document 8 for each active term and 4 in the matrix, 8 k for ids and weights, 2 k E."""
        arrays, matrix = self._joined()
        stored = (arrays.ids, arrays.weights, arrays.embeddings, matrix.data, matrix.indices, matrix.indptr)
        return sum(array.nbytes for array in stored)

    def add(self, arrays: TermArrays) -> None:
        """Add documents behind those that are there; see `check_terms`."""
        self.check_terms(arrays.ids.shape[1])
        self._parts.append(arrays)
        self._matrix = None

    def nearest(self, queries: sp.csr_matrix, k: int) -> list[Ranked]:
        """The k documents with the greatest w_q · w_d of each query, exactly; equal ones in the order of the index.

        Parameters
        ----------
        queries
            (q, V) float32 weights.
        k
            At least 1; all documents where there are fewer. Documents without a shared term have 0 and come last.
        """
        _, matrix = self._joined()
        dense = np.ascontiguousarray(queries.toarray().T)
        n_rows = max(1, _MOST_CELLS // max(1, queries.shape[0]))
        found: list[list[Ranked]] = [[] for _ in range(queries.shape[0])]
        for start in range(0, len(self), n_rows):
            # Each product is a sum over the terms of one document in their order, so blocks change no bit
            block = matrix[start : start + n_rows] @ dense
            rows = np.arange(start, start + len(block))
            for place, scores in enumerate(block.T):
                found[place].append(top(scores, k, rows=rows))
        return [merged(parts, k) for parts in found]

    def scores(
        self, queries: TermVectors, rows: npt.NDArray[np.int64], *, device: torch.device
    ) -> npt.NDArray[np.float32]:
        """(q, C) scores by vectors of terms of the documents at (q, C) rows; see `candidate_scores`."""
        arrays, _ = self._joined()
        found = np.empty(rows.shape, dtype=np.float32)
        for columns in self._blocks(queries, rows.shape[1]):
            some = rows[:, columns]
            documents = TermVectors(
                torch.from_numpy(arrays.ids[some]).to(device),
                torch.from_numpy(arrays.embeddings[some]).to(device),
            )
            found[:, columns] = candidate_scores(queries, documents).cpu().numpy()
        return found

    def _blocks(self, queries: TermVectors, n_candidates: int) -> Iterator[slice]:
        """Columns of candidates whose vectors and products fit into a block."""
        n_queries, k_query, width = queries.embeddings.shape
        cells = n_queries * (self.k or 1) * max(k_query, width)
        size = max(1, _MOST_CELLS // cells)
        for start in range(0, n_candidates, size):
            yield slice(start, start + size)

    def _joined(self) -> tuple[TermArrays, sp.csr_matrix]:
        """All documents in one array of each kind; joined once after documents were added."""
        if len(self._parts) > 1:
            self._parts = [_concatenated(self._parts)]
        if self._matrix is None:
            self._matrix = self._parts[0].matrix(self.n_terms)
        return self._parts[0], self._matrix


def _concatenated(parts: Sequence[TermArrays]) -> TermArrays:
    return TermArrays(
        np.concatenate([part.ids for part in parts]),
        np.concatenate([part.weights for part in parts]),
        np.concatenate([part.embeddings for part in parts]),
    )
