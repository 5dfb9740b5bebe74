"""Control encoders: what a score means is seen beside vectors that know nothing, or words alone."""

import hashlib
import json
from collections.abc import Sequence

import numpy as np

from sentflow.encoders.protocol import FloatArray


class RandomEncoder:
    """Independent standard normal values, drawn from the seed and the text: equal texts, equal vectors."""

    def __init__(self, *, dimension: int, seed: int) -> None:
        self.dimension = dimension
        self._seed = seed

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> FloatArray:  # noqa: ARG002
        """See `Encoder.encode`; neither role nor task changes a vector."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            key = json.dumps([self._seed, text]).encode()
            seed = int.from_bytes(hashlib.sha256(key).digest()[:16], "big")
            vectors[row] = np.random.default_rng(seed).standard_normal(self.dimension)
        return vectors


class BagOfWordsEncoder:
    """Counts of lower-case words, accents kept, hashed into `dimension` signed columns, of length 1.

    A text without any word of two letters is the zero vector.
    """

    def __init__(self, *, dimension: int) -> None:
        # Imported here, so that random vectors do not wait for scikit-learn
        from sklearn.feature_extraction.text import HashingVectorizer

        self.dimension = dimension
        self._vectorizer = HashingVectorizer(n_features=dimension, lowercase=True, norm="l2")

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> FloatArray:  # noqa: ARG002
        """See `Encoder.encode`; neither role nor task changes a vector."""
        counts = self._vectorizer.transform(texts)
        return np.asarray(counts.toarray(), dtype=np.float32)
