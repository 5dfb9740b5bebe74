"""Dense vectors as an approximate index is built of them and is compared with."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sentflow.retrieval import dense
from sentflow.retrieval.ranking import Ranked


@dataclass(frozen=True)
class SearchedVectors:
    """See `sentflow.retrieval.indexes.contract.Searched`.

    Attributes
    ----------
    vectors
        Of the corpus.
    similarity
        ``cosine`` (vectors are scaled to length 1) or ``dot``.
    """

    vectors: dense.Vectors
    similarity: str
    above = -np.inf

    @property
    def n_bytes(self) -> int:
        return int(self.vectors.values.nbytes)

    def indexed(self) -> np.ndarray:
        return self.asked(self.vectors.values)

    def asked(self, questions: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(self._scale(questions), dtype=np.float32)

    def scores(self, asked: np.ndarray, row: int, rows: np.ndarray) -> np.ndarray:
        found: np.ndarray = self._scale(self.vectors.values[rows]) @ asked[row]
        return found

    def exact(self, questions: np.ndarray, k: int) -> Iterator[Ranked]:
        return dense.search(questions, self.vectors, k, similarity=self.similarity)

    def cost(self, _questions: np.ndarray) -> dict[str, Any]:
        return {}

    @property
    def _scale(self) -> Callable[[np.ndarray], np.ndarray]:
        return dense.unit if self.similarity == "cosine" else np.asarray
