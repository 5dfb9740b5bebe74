"""Kind ``word-vectors``: averages of word vectors from a file."""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sentflow.encoders.kinds.contract import Surroundings
from sentflow.encoders.kinds.settings import EncoderSettings
from sentflow.encoders.kinds.word_vector_files import read_word_vectors
from sentflow.encoders.manifest import Manifest, checked_folder
from sentflow.encoders.protocol import Batch, FloatArray
from sentflow.encoders.vectors.unit_rows import unit_rows

logger = logging.getLogger(__name__)

_ROWS_AT_A_TIME = 4096
# Ways to cut a text into words: name → text to words, in the order of the text
TOKENS: dict[str, Callable[[str], list[str]]] = {
    "words": re.compile(r"\w+").findall,
    "hyphenated-words": re.compile(r"\w+(?:[-'’]\w+)*").findall,
    "words-and-signs": re.compile(r"\w+|[^\w\s]").findall,
    "whitespace": str.split,
}


@dataclass(frozen=True)
class Settings(EncoderSettings):
    """How texts are cut into words whose vectors are averaged."""

    tokens: str = "words"  # name of a way to cut, see `TOKENS`
    lower_case: bool = True  # look up the words of a text in lower case
    normalise: bool = False  # scale every vector to length 1


def load(manifest: Manifest, settings: Settings, around: Surroundings) -> "WordVectorEncoder":
    folder = checked_folder(manifest, around.manifest_folder)
    (name,) = manifest.files
    return WordVectorEncoder(folder / name, settings, dimension=int(manifest.dimension or 0))


class WordVectorEncoder:
    """Mean of the vectors of a text's words; a word that is there twice counts twice.

    Words without a vector are left out; a text without any known word is the zero vector. Of the file only
    the vectors of words that occur are kept, so that a file of some GB needs little memory.

    `path`: of the file, see `describe_word_vectors`.
    """

    def __init__(self, path: Path, settings: Settings, *, dimension: int) -> None:
        self.dimension = dimension
        self._path = path
        self._settings = settings
        self._cut = TOKENS[settings.tokens]
        self._looked_up: set[str] = set()
        self._vectors: dict[str, FloatArray] = {}

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> FloatArray:  # noqa: ARG002
        """Neither role nor task changes a vector."""
        self._look_up(texts)
        means = np.zeros((len(texts), self.dimension))
        for row, text in enumerate(texts):
            known = [self._vectors[word] for word in self._words(text) if word in self._vectors]
            if known:
                means[row] = np.mean(known, axis=0, dtype=np.float64)
        return (unit_rows(means) if self._settings.normalise else means).astype(np.float32)

    def plan(self, texts: Sequence[str]) -> list[Batch]:
        """Batches in the order of the texts; looks all words up, in one pass through the file."""
        self._look_up(texts)
        starts = range(0, len(texts), _ROWS_AT_A_TIME)
        chunks = [np.arange(start, min(start + _ROWS_AT_A_TIME, len(texts))) for start in starts]
        return [Batch(rows=rows, cost=len(rows)) for rows in chunks]

    def encode_batches(self, texts: Sequence[str], batches: Iterable[Batch]) -> Iterator[FloatArray]:
        for batch in batches:
            yield self.encode([texts[row] for row in batch.rows], role="text", task=None)

    def _words(self, text: str) -> list[str]:
        return self._cut(text.lower() if self._settings.lower_case else text)

    def _look_up(self, texts: Sequence[str]) -> None:
        new = {word for text in texts for word in self._words(text)} - self._looked_up
        if not new:
            return
        self._vectors.update(read_word_vectors(self._path, new))
        self._looked_up |= new
        unknown = sum(all(word not in self._vectors for word in self._words(text)) for text in texts)
        logger.info(
            "%d of %d different words have a vector; %d of %d texts have no known word and become zero",
            len(self._vectors),
            len(self._looked_up),
            unknown,
            len(texts),
        )
