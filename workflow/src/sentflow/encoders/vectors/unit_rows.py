"""Vectors of length 1, as several kinds of encoder make them."""

import numpy as np
from numpy.typing import NDArray


def unit_rows(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, d) float64 with every row scaled to length 1; a zero row stays zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    # where=: without it a zero row would be 0 / 0
    unit: NDArray[np.float64] = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return unit
