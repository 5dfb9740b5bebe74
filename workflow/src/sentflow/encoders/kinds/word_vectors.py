"""Kind ``word-vectors``: averages of word vectors from a file.

Files have the text format of GloVe and word2vec, plain or compressed with gzip.
"""

import gzip
import logging
import re
import zlib
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Self

import numpy as np

from sentflow.encoders.kind import Context, Encoder, kind
from sentflow.encoders.manifest import Description, Manifest, checked_folder
from sentflow.encoders.settings import WordVectorSettings
from sentflow.encoders.vectors.storage import Batch, FloatArray, unit_rows
from sentflow.errors import DataError
from sentflow.files.limits import LINE_BYTES, limits

logger = logging.getLogger(__name__)

# Ways to cut a text into words: name → text to words, in the order of the text
TOKENS: dict[str, Callable[[str], list[str]]] = {
    "words": re.compile(r"\w+").findall,
    "hyphenated-words": re.compile(r"\w+(?:[-'’]\w+)*").findall,
    "words-and-signs": re.compile(r"\w+|[^\w\s]").findall,
    "whitespace": str.split,
}
_SPACE = b" \t\r\n"
_LONGEST_NUMBER = 12  # digits of a header
_SHOWN_BYTES = 40
_Line = tuple[int, bytes]


@kind("word-vectors")
class WordVectorEncoder(Encoder):
    """Mean of the vectors of a text's words; a word that is there twice counts twice.

    Words without a vector are left out; a text without any known word is the zero vector. Of the file, only the vectors
    of words that occur are kept.
    """

    def __init__(self, path: Path, settings: WordVectorSettings, *, dimension: int) -> None:
        self.dimension = dimension
        self._path = path
        self._settings = settings
        self._cut = TOKENS[settings.tokens]
        self._looked_up: set[str] = set()
        self._vectors: dict[str, FloatArray] = {}

    @classmethod
    def load(cls, manifest: Manifest, settings: WordVectorSettings, context: Context) -> Self:
        folder = checked_folder(manifest, context.model_files)
        (name,) = manifest.files
        return cls(folder / name, settings, dimension=int(manifest.dimension or 0))

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> FloatArray:  # noqa: ARG002
        self._look_up(texts)
        means = np.zeros((len(texts), self.dimension))
        for row, text in enumerate(texts):
            known = [self._vectors[word] for word in self._words(text) if word in self._vectors]
            if known:
                means[row] = self._combined(np.asarray(known))
        return (unit_rows(means) if self._settings.normalise else means).astype(np.float32)

    def _combined(self, vectors: FloatArray) -> np.ndarray:
        """(d,) float64 of the (k, d) vectors of the words of a text."""
        return np.asarray(np.mean(vectors, axis=0, dtype=np.float64))

    def plan(self, texts: Sequence[str], *, role: str, task: str | None) -> list[Batch]:
        """Looks all words up, in one pass through the file."""
        self._look_up(texts)
        return super().plan(texts, role=role, task=task)

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


# --- files --------------------------------------------------------------------------------------------------


def describe(_entry: Mapping[str, Any], path: Path) -> Description:
    """Read a whole file and check every line. Raises DataError: the first line that is wrong, by its number."""
    file = WordFile(path)
    n_words = sum(1 for _ in map(file.cut, file))
    if file.n_words not in (None, n_words):
        raise DataError(
            f"{path}: the header announces {file.n_words} words, but {n_words} follow. The file is not whole: fetch it "
            "again, or correct its first line."
        )
    logger.info("%s: %d words, %d values each", path.name, n_words, file.dimension)
    return Description(file.dimension, "mean", settings={"n_words": n_words})


def read_word_vectors(path: Path, words: Collection[str]) -> dict[str, FloatArray]:
    """Word → (d,) float32, of those words that the file has; read in one pass that keeps nothing else.

    `words`: none of them with a space. Of a word that is there twice the first line counts: files are sorted by
    frequency.
    """
    wanted = {word.encode("utf-8"): word for word in words}
    found: dict[str, FloatArray] = {}
    file = WordFile(path)
    for line in file:
        word = wanted.get(line[1].split(file.separator, 1)[0])
        if word is not None and word not in found:
            name, vector = file.cut(line)
            if name == word:  # else a longer word that holds spaces and begins with this one
                found[word] = vector
    return found


class WordFile:
    """UTF-8 text, one word and its values per line; the ending ``.gz`` means gzip. A word may hold spaces.

    A first line of two whole numbers is a header: how many words there are, and `dimension`. Iteration gives number
    and content of each line behind it that is not empty.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.n_words: int | None = None
        with closing(self._lines()) as lines:
            sample = first = next(lines, None)
            if first is None:
                raise DataError(f"{path} is empty. Expected a word and its values on every line.")
            fields = first[1].split()
            numbers = all(field.isdigit() and len(field) <= _LONGEST_NUMBER for field in fields)
            if len(fields) == 2 and numbers and int(fields[1]) > 0:
                self.n_words, self.dimension = map(int, fields)
                sample = next(lines, None)
        if sample is None:
            raise DataError(f"{path}: the header announces words, but no line follows.")
        self.separator = b"\t" if b"\t" in sample[1] else b" "
        if self.n_words is None:
            # Nothing says how wide vectors are but the first line, whose word then holds no space
            self.dimension = sample[1].count(self.separator)
            if not self.dimension:
                raise self._wrong(
                    sample, "holds no values. Expected a word and its values, separated by spaces"
                )

    def __iter__(self) -> Iterator[_Line]:
        with closing(self._lines()) as lines:
            if self.n_words is not None:
                next(lines)
            yield from lines

    def _lines(self) -> Generator[_Line, None, None]:
        """Only a line feed ends a line: words may hold other signs of that kind. Lines are counted from 1."""
        path = self.path
        try:
            with gzip.open(path, "rb") if path.name.lower().endswith(".gz") else path.open("rb") as stream:
                packed = path.stat().st_size
                most = max(packed, limits().unpacked_from(packed))
                number = n_bytes = 0
                # A line at most, for one of a bomb would be as long as the memory
                while content := stream.readline(LINE_BYTES + 1):
                    number, n_bytes = number + 1, n_bytes + len(content)
                    if len(content) > LINE_BYTES:
                        raise DataError(
                            f"{path}, line {number} has more than {LINE_BYTES} bytes. Expected a word and its values."
                        )
                    if n_bytes > most:
                        raise DataError(
                            f"{path} unpacks from {packed} to more than {most} bytes, "
                            f"{limits().unpacked_words(packed)}."
                        )
                    if stripped := content.rstrip(_SPACE):
                        yield number, stripped
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"{path} is missing or damaged ({error}). Fetch or copy it again.") from error

    def cut(self, line: _Line) -> tuple[str, FloatArray]:
        """The word and its values."""
        # From the right, because a word may hold the separator
        word, *values = line[1].rsplit(self.separator, self.dimension)
        if len(values) != self.dimension:
            raise self._wrong(line, f"holds {len(values)} values, expected {self.dimension}")
        if self.separator in word and _is_number(word.rsplit(self.separator, 1)[1]):
            raise self._wrong(line, f"holds more than {self.dimension} values")
        try:
            with np.errstate(over="ignore"):  # told below
                vector = np.array([float(value) for value in values], dtype=np.float32)
        except ValueError as error:
            odd = next(value for value in values if not _is_number(value))[:_SHOWN_BYTES]
            raise self._wrong(line, f"holds a value that is no number ({odd!r})") from error
        if not np.isfinite(vector).all():
            raise self._wrong(line, "holds a value that is not finite")
        try:
            return word.decode("utf-8"), vector
        except UnicodeDecodeError as error:
            raise self._wrong(line, "is not UTF-8; convert the file (e.g. with iconv)") from error

    def _wrong(self, line: _Line, what: str) -> DataError:
        number, content = line
        start = content[:_SHOWN_BYTES].decode("utf-8", errors="replace")
        return DataError(
            f"{self.path}, line {number}: {what}. It begins {start!r}. Only the text format is read: a binary file of "
            "word2vec or fastText is converted first."
        )


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
