"""Control encoders: what a score means is seen beside vectors that know nothing, or words alone."""

import hashlib
import json
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sentflow.encoders.protocol import FloatArray

_WORD = re.compile(r"\b\w\w+\b")


class RandomEncoder:
    """Independent standard normal values, drawn from the seed and the text: equal texts, equal vectors."""

    def __init__(self, *, dimension: int, seed: int) -> None:
        self.dimension = dimension
        self._seed = seed

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> FloatArray:  # noqa: ARG002
        """See `Encoder.encode`; neither role nor task changes a vector."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = _normal_vector(self._seed, text, dimension=self.dimension)
        return vectors


class BagOfWordsEncoder:
    """Sum of one fixed random vector per lower-case word, accents kept, scaled to length 1.

    A text without any word of two letters is the zero vector. The order of words changes nothing.

    Notes
    -----
    Random indexing: Kanerva, Kristoferson and Holst 2000. Dense on purpose: in sparse counts some columns are empty
    on a training part and not on its test part, and the published standardisation then divides by 1e-12.
    """

    def __init__(self, *, dimension: int) -> None:
        self.dimension = dimension
        self._vectors: dict[str, NDArray[np.float64]] = {}

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> FloatArray:  # noqa: ARG002
        """See `Encoder.encode`; neither role nor task changes a vector."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            # Sorted: the last bits of a sum depend on its order.
            words = sorted(_WORD.findall(text.lower()))
            if words:
                total = np.sum([self._vector(word) for word in words], axis=0)
                vectors[row] = total / np.linalg.norm(total)
        return vectors

    def _vector(self, word: str) -> NDArray[np.float64]:
        if word not in self._vectors:
            self._vectors[word] = _normal_vector(word, dimension=self.dimension)
        return self._vectors[word]


def _normal_vector(*names: str | int, dimension: int) -> NDArray[np.float64]:
    """(dimension,) standard normal values that depend on the names alone."""
    key = json.dumps(names).encode()
    seed = int.from_bytes(hashlib.sha256(key).digest()[:16], "big")
    return np.random.default_rng(seed).standard_normal(dimension)
