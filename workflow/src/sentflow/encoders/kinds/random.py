"""Kind ``random``: a control whose vectors know nothing of a text."""

from collections.abc import Sequence

import numpy as np

from sentflow.encoders.kinds.contract import Surroundings
from sentflow.encoders.kinds.normal_vector import normal_vector
from sentflow.encoders.kinds.settings import EncoderSettings
from sentflow.encoders.manifest import Manifest
from sentflow.encoders.protocol import FloatArray

Settings = EncoderSettings


def load(manifest: Manifest, _settings: EncoderSettings, _around: Surroundings) -> "RandomEncoder":
    return RandomEncoder(**manifest.settings)


class RandomEncoder:
    """Independent standard normal values, drawn from the seed and the text: equal texts, equal vectors."""

    def __init__(self, *, dimension: int, seed: int) -> None:
        self.dimension = dimension
        self._seed = seed

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> FloatArray:  # noqa: ARG002
        """Neither role nor task changes a vector."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = normal_vector(self._seed, text, dimension=self.dimension)
        return vectors
