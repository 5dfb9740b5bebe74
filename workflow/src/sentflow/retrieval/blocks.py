"""What is searched at a time: parts of about equal size, none of which cuts a document in two."""

from collections.abc import Iterator

import numpy as np


def blocks(documents: np.ndarray, most: int) -> Iterator[slice]:
    """Slices of at most `most` vectors, or of one document; no document is in two of them.

    Parameters
    ----------
    documents
        (n,) int64 row of the document of each vector, ascending.
    """
    start, size = 0, even(len(documents), most)
    while start < len(documents):
        end = min(start + size, len(documents))
        if end < len(documents):
            last = documents[end]
            whole = int(np.searchsorted(documents, last, side="left"))
            end = whole if whole > start else int(np.searchsorted(documents, last, side="right"))
        yield slice(start, end)
        start = end


def even(n: int, most: int) -> int:
    """Size of parts that are about equal: libraries round products of a small rest in another way."""
    return -(-n // max(1, -(-n // most))) or 1
