"""Pair tables and the vectors of their family → scored pairs of vectors."""

from collections.abc import Mapping, Sequence

import numpy as np

from sentflow.encoders.protocol import FloatArray
from sentflow.errors import DataError
from sentflow.geometry.alignment_uniformity import ScoredVectors
from sentflow.texts.pairs import PairTable


def scored_vectors(
    tables: Sequence[PairTable], vectors: FloatArray, row_of: Mapping[str, int]
) -> ScoredVectors:
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
    try:
        first = [row_of[text] for table in tables for text in table.text_a]
        second = [row_of[text] for table in tables for text in table.text_b]
    except KeyError as error:
        names = ", ".join(table.info.pairs for table in tables)
        raise DataError(
            f"the text {str(error.args[0])[:60]!r} of {names} has no vector. The pair sets of one measurement must be "
            "of one family, whose texts are embedded together."
        ) from error
    scores = np.concatenate([table.score for table in tables])
    return ScoredVectors(vectors, np.array(first, np.int64), np.array(second, np.int64), scores)
