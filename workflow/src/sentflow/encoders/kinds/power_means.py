"""Kind ``power-means``: power means of word vectors, one beside the other.

Rücklé et al. 2018 (arXiv 1803.01400), equation 1: of each value of the vectors of a text's words,
((x₁ᵖ + … + xₙᵖ) / n)^(1/p), where p = 1 is the mean, p = -∞ the least and p = ∞ the greatest of the n. For p = 3 the
root has the sign of the sum.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sentflow.encoders.kind import Context, kind
from sentflow.encoders.kinds.word_vectors import WordVectorEncoder
from sentflow.encoders.kinds.word_vectors import describe as describe_words
from sentflow.encoders.manifest import Description, Manifest
from sentflow.encoders.settings import PowerMeansSettings
from sentflow.encoders.vectors.storage import FloatArray

_Mean = Callable[[NDArray[np.float64]], NDArray[np.float64]]
# Name → (k, d) vectors of words to (d,) values
_MEANS: Mapping[str, _Mean] = {
    "min": lambda vectors: vectors.min(axis=0),
    "mean": lambda vectors: vectors.mean(axis=0),
    "cubic": lambda vectors: np.cbrt((vectors**3).mean(axis=0)),
    "max": lambda vectors: vectors.max(axis=0),
}


def describe(entry: Mapping[str, Any], path: Path) -> Description:
    """The width of vectors follows from the settings."""
    words = describe_words(entry, path)
    return replace(words, dimension=None, settings={**words.settings, "word_dimension": words.dimension})


@kind("power-means")
class PowerMeansEncoder(WordVectorEncoder):
    """The means that the settings name, in their order; a text without any known word is the zero vector."""

    _settings: PowerMeansSettings

    @classmethod
    def load(cls, manifest: Manifest, settings: PowerMeansSettings, context: Context) -> Self:  # type: ignore[override]
        width = manifest.settings["word_dimension"] * len(settings.means)
        return super().load(replace(manifest, dimension=width), settings, context)

    def _combined(self, vectors: FloatArray) -> NDArray[np.float64]:
        exact = vectors.astype(np.float64)
        return np.concatenate([_MEANS[name](exact) for name in self._settings.means])
