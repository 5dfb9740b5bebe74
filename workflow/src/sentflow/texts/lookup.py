"""The vectors of a collection: its texts, their vectors, and what describes these, read together."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sentflow.encoders.vectors.storage import read_embeddings
from sentflow.texts.collection import TextRows, read_texts, rows_of
from sentflow.texts.pairs import PairTable


@dataclass(frozen=True)
class TextVectors:
    """Vectors of the texts of a collection."""

    texts: list[str]  # m distinct texts
    vectors: np.ndarray  # (m, d) float32
    rows: TextRows  # text → row

    def rows_of_pairs(self, table: PairTable) -> tuple[np.ndarray, np.ndarray]:
        """(n,) int64 rows of the first and of the second texts of a pair set."""
        whose = f"the pair set {table.info.pairs}"
        return self.rows.of(table.text_a, whose=whose), self.rows.of(table.text_b, whose=whose)


def read_vectors(texts: Path, npy: Path, info: Path) -> TextVectors:
    """Read the texts of a collection, their vectors, and what describes them."""
    distinct = read_texts(texts)
    return TextVectors(distinct, read_embeddings(npy, info, distinct), rows_of(distinct, file=texts))
