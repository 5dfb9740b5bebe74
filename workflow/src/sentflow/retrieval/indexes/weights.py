"""Weights of terms as they are searched: rounded where that is asked for, all of them or by an approximate index."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from sentflow.retrieval import sparse
from sentflow.retrieval.ranking import Ranked
from sentflow.retrieval.sparse import Impacts, SparseVectors
from sentflow.retrieval.sparsity import sparsity


@dataclass(frozen=True)
class SearchedWeights:
    """See `sentflow.retrieval.indexes.contract.Searched`.

    Attributes
    ----------
    vectors
        Of the corpus; whole numbers where they are `Impacts`.
    step
        What every score is multiplied by, see `Impacts`.
    """

    vectors: SparseVectors
    step: float = 1.0
    above = 0.0  # documents that share no term with a question are not found

    @classmethod
    def of(cls, weights: csr_array, documents: np.ndarray, bits: int | None) -> "SearchedWeights":
        """Weights as they are, or rounded to so many bits; see `SparseVectors`."""
        if bits is None:
            return cls(SparseVectors(weights, documents))
        impacts = Impacts.of(weights, bits)
        return cls(SparseVectors(impacts.values, documents), impacts.step)

    @property
    def n_bytes(self) -> int:
        values = self.vectors.values
        return sum(array.nbytes for array in (values.data, values.indices, values.indptr))

    def indexed(self) -> csr_array:
        return self.vectors.values

    def asked(self, questions: csr_array) -> csr_array:
        return questions

    def scores(self, asked: csr_array, row: int, rows: np.ndarray) -> np.ndarray:
        first, last = asked.indptr[row : row + 2]
        question = np.zeros(self.vectors.values.shape[1])
        question[asked.indices[first:last]] = asked.data[first:last]
        # terms that the question lacks add 0, so that the order of the sum is that of the exact search
        found: np.ndarray = (self.vectors.values[rows] @ question) * self.step
        return found

    def exact(self, questions: csr_array, k: int) -> Iterator[Ranked]:
        return sparse.search(questions, self.vectors, k, step=self.step)

    def cost(self, questions: csr_array, *, vectors: np.ndarray | None = None) -> dict[str, Any]:
        return sparsity(questions, self.vectors.values, vectors=vectors)
