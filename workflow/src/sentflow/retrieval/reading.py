"""How much of documents and questions an encoder read, and how much it cut off."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from sentflow.encoders.arrays import Reading

Counts = Mapping[str, int]
"""``n`` texts, of which ``cut`` were cut; their ``tokens``, of which ``tokens_cut`` were not read."""


def counts(reading: Reading | None, rows: np.ndarray, owners: np.ndarray) -> dict[str, int] | None:
    """What was read of documents, or of questions; special tokens and prompts count, as often as they are read.

    `reading`: of the texts of a collection; None where the encoder does not say. `rows`: (n,) int64 rows of texts in
    the collection: of documents, of their passages, or of questions. `owners`: (n,) int64 the document of each; a
    document is cut if any of its passages is.
    """
    if reading is None:
        return None
    lost = reading.lost[rows]
    return {
        "n": len(np.unique(owners)),
        "cut": len(np.unique(owners[lost > 0])),
        "tokens": int(reading.tokens[rows].sum()),
        "tokens_cut": int(lost.sum()),
    }


def sum_of_readings(readings: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What was read of a corpus, out of what was read of its shards, whose questions are the same."""
    stated = list(readings)
    documents = [one["documents"] for one in stated]
    summed = None if None in documents else {key: sum(one[key] for one in documents) for key in documents[0]}
    return {"documents": summed, "questions": stated[0]["questions"]}
