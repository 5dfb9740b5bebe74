"""Kind ``bag-of-words``: a control whose vectors know the words of a text, not their order or meaning."""

import re
from collections.abc import Sequence
from typing import Any, Self
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from sentflow.encoders.kind import Context, Encoder, kind
from sentflow.encoders.kinds.random import normal_vector
from sentflow.encoders.manifest import Manifest
from sentflow.encoders.vectors.storage import FloatArray

_WORD = re.compile(r"\b\w\w+\b")


@kind("bag-of-words")
class BagOfWordsEncoder(Encoder):
    """Sum of one fixed random vector per lower-case word, accents kept, scaled to length 1; 0 without any word.

    Random indexing: Kanerva, Kristoferson and Holst 2000. Dense on purpose: some columns of sparse counts would be
    empty on a training part alone, and the published standardisation divides by 1e-12.
    """

    def __init__(self, *, dimension: int) -> None:
        self.dimension = dimension
        self._vectors: dict[str, NDArray[np.float64]] = {}

    @classmethod
    def load(cls, manifest: Manifest, _settings: Any, _context: Context) -> Self:
        return cls(**manifest.settings)

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> FloatArray:  # noqa: ARG002
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            # Sorted: the last bits of a sum depend on its order.
            words = sorted(_WORD.findall(normalize("NFC", text).lower()))
            if words:
                for word in {*words} - self._vectors.keys():
                    self._vectors[word] = normal_vector(word, dimension=self.dimension)
                total = np.sum([self._vectors[word] for word in words], axis=0)
                vectors[row] = total / np.linalg.norm(total)
        return vectors
