"""Kind ``random``: a control whose vectors know nothing of a text."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sentflow.encoders.kind import Context, Encoder, kind
from sentflow.encoders.manifest import Manifest
from sentflow.encoders.vectors.storage import FloatArray


@kind("random")
class RandomEncoder(Encoder):
    """Independent standard normal values, drawn from the seed and the text: equal texts, equal vectors."""

    def __init__(self, *, dimension: int, seed: int) -> None:
        self.dimension = dimension
        self._seed = seed

    @classmethod
    def load(cls, manifest: Manifest, _settings: Any, _context: Context) -> Self:
        return cls(**manifest.settings)

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> FloatArray:  # noqa: ARG002
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = normal_vector(self._seed, text, dimension=self.dimension)
        return vectors


def normal_vector(*names: str | int, dimension: int) -> NDArray[np.float64]:
    """(dimension,) independent standard normal values: equal names, equal vectors."""
    key = json.dumps(names).encode()
    seed = int.from_bytes(hashlib.sha256(key).digest()[:16], "big")
    return np.random.default_rng(seed).standard_normal(dimension)
