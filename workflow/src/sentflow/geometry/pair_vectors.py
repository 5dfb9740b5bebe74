"""Pair tables and the vectors of their family → scored pairs of vectors."""

from collections.abc import Sequence

import numpy as np

from sentflow.encoders.protocol import FloatArray
from sentflow.geometry.alignment_uniformity import ScoredVectors
from sentflow.texts.collection import TextRows
from sentflow.texts.pairs import PairTable


def scored_vectors(tables: Sequence[PairTable], vectors: FloatArray, row_of: TextRows) -> ScoredVectors:
    """The pairs of tables, one after the other.

    Parameters
    ----------
    tables
        At least one, all of one family.
    vectors
        (m, d) of the family's distinct texts.
    row_of
        Text → its row in `vectors`.

    Raises
    ------
    DataError
        A text has no vector: a table is of another family.
    """
    sides = [
        [row_of.of(texts, whose=f"the pair set {table.info.pairs}") for texts in (table.text_a, table.text_b)]
        for table in tables
    ]
    first, second = (np.concatenate(rows) for rows in zip(*sides, strict=True))
    return ScoredVectors(vectors, first, second, np.concatenate([table.score for table in tables]))
