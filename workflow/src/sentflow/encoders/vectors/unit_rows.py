"""Vectors of length 1."""

import numpy as np


def unit_rows(vectors: np.ndarray) -> np.ndarray:
    """(n, d) float32 or float64 with every row scaled to length 1, of the same dtype; a zero row stays zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: np.ndarray = vectors / np.where(lengths == 0, 1, lengths)
    return unit
