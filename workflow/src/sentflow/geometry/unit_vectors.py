"""Vectors of length one, in float64."""

import numpy as np

from sentflow.encoders.protocol import FloatArray

Vectors = np.ndarray
"""(n, d), float32 or float64."""


def unit_vectors(vectors: "FloatArray | Vectors") -> np.ndarray:
    """(n, d) vectors divided by their length, float64; a zero vector stays zero (see `count_zeros`)."""
    wide = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    unit = np.zeros_like(wide)
    np.divide(wide, lengths, out=unit, where=lengths > 0)
    return unit


def count_zeros(vectors: "FloatArray | Vectors") -> int:
    """How many of (n, d) vectors are zero, so that they have no direction."""
    return int((~np.any(vectors, axis=1)).sum())
