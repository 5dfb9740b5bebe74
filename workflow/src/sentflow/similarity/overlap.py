"""Similarity without a model: how many words or characters two sentences share."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from unicodedata import normalize

import numpy as np

from sentflow.errors import ConfigError

Units = Callable[[str], list[str]]
Measure = Callable[[list[str], list[str]], float]


def words(text: str) -> list[str]:
    """What white space separates, as written: neither case nor punctuation is touched."""
    return text.split()


def character_bigrams(text: str) -> list[str]:
    """Pairs of neighbouring characters, white space left out; for languages written without spaces too."""
    characters = "".join(text.split())
    return [characters[index : index + 2] for index in range(len(characters) - 1)]


def jaccard(first: list[str], second: list[str]) -> float:
    """Shared units among all units of two texts, each counted once; in [0, 1], and 0 where neither has any."""
    a, b = set(first), set(second)
    return len(a & b) / len(a | b) if a or b else 0.0


def count_cosine(first: list[str], second: list[str]) -> float:
    """Cosine of how often each unit stands in the two texts; in [0, 1], and 0 where one text has none.

    The square is an exact fraction, so that equal cosines are equal numbers, and ties are ties.
    """
    a, b = Counter(first), Counter(second)
    if not a or not b:
        return 0.0
    product = sum(count * b[unit] for unit, count in a.items())
    squares = sum(count**2 for count in a.values()) * sum(count**2 for count in b.values())
    return math.sqrt(Fraction(product**2, squares))


BASELINES: dict[str, tuple[Units, Measure, bool]] = {
    "jaccard-words": (words, jaccard, False),
    "jaccard-bigrams": (character_bigrams, jaccard, False),
    "count-cosine": (words, count_cosine, False),
    "jaccard-words-lowercase": (words, jaccard, True),
    "jaccard-bigrams-lowercase": (character_bigrams, jaccard, True),
}


def overlap(baseline: str, texts_a: Sequence[str], texts_b: Sequence[str]) -> np.ndarray:
    """(n,) float64 similarities in [0, 1] of n pairs of texts."""
    if baseline not in BASELINES:
        raise ConfigError(f"{baseline!r} is not a baseline. Write one of: {', '.join(BASELINES)}.")
    units, measure, lowercase = BASELINES[baseline]
    composed = ([normalize("NFC", text) for text in texts] for texts in (texts_a, texts_b))
    pairs = zip(*composed, strict=True)
    if lowercase:
        pairs = ((a.lower(), b.lower()) for a, b in pairs)  # type: ignore[assignment]
    return np.array([measure(units(a), units(b)) for a, b in pairs], dtype=np.float64)
