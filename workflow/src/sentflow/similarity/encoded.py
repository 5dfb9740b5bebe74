"""The vectors of a pair set's sentences, out of the vectors of its family."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sentflow.encoders.vectors.storage import read_embeddings
from sentflow.errors import DataError
from sentflow.texts.collection import read_texts, rows_of

if TYPE_CHECKING:
    from sentflow.texts.pairs import PairTable


class FamilyVectors:
    """Vectors of the distinct sentences of a family.

    Parameters
    ----------
    texts
        Parquet of the sentences.
    npy, info
        Their vectors and what describes them.

    Attributes
    ----------
    embeddings
        (m, d) float32.

    Raises
    ------
    DataError
        A file is missing or damaged, or the files do not belong together.
    """

    def __init__(self, texts: Path, npy: Path, info: Path) -> None:
        self._texts_file = texts
        distinct = read_texts(texts)
        self.embeddings = read_embeddings(npy, info, distinct)
        self._row_of: Mapping[str, int] = rows_of(distinct)

    def rows(self, table: "PairTable") -> tuple[np.ndarray, np.ndarray]:
        """(n,) int64 rows of the first and of the second sentences of a pair set.

        Raises
        ------
        DataError
            A sentence is not among those of the family.
        """
        return self._rows(table.text_a, table), self._rows(table.text_b, table)

    def _rows(self, texts: Sequence[str], table: "PairTable") -> np.ndarray:
        try:
            return np.array([self._row_of[text] for text in texts], dtype=np.int64)
        except KeyError as error:
            raise DataError(
                f"{self._texts_file} lacks the sentence {error} of the pair set {table.info.pairs}. "
                "Delete it and run snakemake again."
            ) from error
