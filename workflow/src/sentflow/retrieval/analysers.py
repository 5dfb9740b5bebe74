"""From texts to terms: Unicode, lower case, stop words, stemmers."""

import hashlib
import re
import string
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast
from unicodedata import normalize

from sentflow.config.collections import Analyser as AnalyserSettings
from sentflow.config.collections import StopList
from sentflow.errors import ConfigError, DataError
from sentflow.retrieval.settings import SearchSettings
from sentflow.texts.formats.raw import decode
from sentflow.texts.segmentation import vietnamese_words

_OTHER_NAMES = {
    "STOPWORDS_EN": "english",
    "STOPWORDS_EN_PLUS": "english-long",
}  # of bm25s; others have the language's name


def stop_words(settings: str | Sequence[str] | StopList, *, where: str) -> frozenset[str]:
    """The terms that are dropped.

    `settings`: name of a list of bm25s (``english``, …); the terms themselves; or a file, whose digest may be left
    out. Raises ConfigError: there is no such list or file. DataError: the file is another one, or empty.
    """
    if isinstance(settings, str):
        return frozenset(_known_list(settings, where))
    if not isinstance(settings, StopList):
        return frozenset(settings)
    content, found = _read(settings, where)
    if settings.sha256 not in (None, found):
        raise DataError(
            f"{where}: {settings.file} has the SHA-256 {found}, expected {settings.sha256}. Bring that file, or "
            f"name a list of yours as an analyser of its own.{_origin(settings)}"
        )
    lines = decode(content, "utf-8", where=settings.file).splitlines()
    words = frozenset(filter(None, (line.strip() for line in lines)))
    if not words:
        raise DataError(f"{where}: {settings.file} holds no term. Write one per line.")
    return words


def with_checksum(settings: StopList, *, where: str) -> StopList:
    """File and checksum of a list: what decides a job that reads it. Raises ConfigError: there is no such file."""
    return StopList(file=settings.file, sha256=settings.sha256 or _read(settings, where)[1])


def list_problems(settings: Any, *, where: str) -> list[str]:
    """A problem if the file of a list is not there, or is another one."""
    if isinstance(settings, Mapping):
        try:
            stop_words(StopList.model_validate(settings), where=where)
        except (ConfigError, DataError) as error:
            return [str(error)]
    return []


def _read(settings: StopList, where: str) -> tuple[bytes, str]:
    """What a file holds, and its SHA-256."""
    path = Path(settings.file).expanduser()
    if not path.is_file():
        raise ConfigError(
            f"{where}.file: there is no file {settings.file} (searched for in {Path.cwd()}). Write the path of a text "
            f"file with one term per line.{_origin(settings)}"
        )
    content = path.read_bytes()
    return content, hashlib.sha256(content).hexdigest()


def _origin(settings: StopList) -> str:
    return f" It is from {settings.source}" if settings.source else ""


def _known_list(name: str, where: str) -> Sequence[str]:
    from bm25s import stopwords

    lists: dict[str, Sequence[str]] = {
        _OTHER_NAMES.get(key, key).removeprefix("STOPWORDS_").lower(): value
        for key, value in vars(stopwords).items()
        if key.startswith("STOPWORDS_") and isinstance(value, tuple | list)
    }
    if name not in lists:
        raise ConfigError(
            f"{where}: there is no list {name!r}. Write one of: {', '.join(sorted(lists))}; the words themselves; or "
            "file: <path>."
        )
    return lists[name]


_WORDS = {"words": re.compile(r"\w+"), "long-words": re.compile(r"\w\w+")}


class Analyser:
    """How a text becomes terms; stop words are compared after case was dropped."""

    def __init__(self, settings: AnalyserSettings, where: str = "analyser") -> None:
        self._settings = settings
        dropped = stop_words(settings.stop_words or (), where=f"{where}.stop_words")
        self._stop_words = frozenset(map(self._normal, dropped))

    def terms(self, texts: Sequence[str]) -> list[list[str]]:
        """The terms of each text, in their order; a term may repeat."""
        cut, stem = self._cutter(), self._stem()
        found = []
        for text in texts:
            units = cut(self._normal(text))
            if self._stop_words:
                units = [unit for unit in units if unit not in self._stop_words]
            found.append(stem(units))
        return found

    def _normal(self, text: str) -> str:
        return normalize("NFC", text) if self._settings.normalise else text

    def _cutter(self) -> Callable[[str], list[str]]:
        match self._settings.units:
            case "character-bigrams":
                return _bigrams
            case "vietnamese-words":
                # without punctuation; runs of several marks stay, as in the published pipeline
                cut = vietnamese_words("units: vietnamese-words")
                case = str.lower if self._settings.lower else str
                return lambda text: [case(word) for word in cut(text) if word not in string.punctuation]
            case units:
                pattern = _WORDS[units]
        # Here case is dropped first: lower-casing may turn one letter into two characters, of which one is no letter
        return (lambda text: pattern.findall(text.lower())) if self._settings.lower else pattern.findall

    def _stem(self) -> Callable[[list[str]], list[str]]:
        if self._settings.stemmer == "none":
            return lambda units: units
        import Stemmer

        return cast(Callable[[list[str]], list[str]], Stemmer.Stemmer(self._settings.stemmer).stemWords)


def analyser_of(settings: SearchSettings) -> Analyser:
    """The analyser of a retriever that counts terms."""
    assert settings.analyser is not None
    return Analyser(settings.analyser, f"retrievers.{settings.retriever}.analyser")


def _bigrams(text: str) -> list[str]:
    return [
        word[start : start + 2]
        for word in _WORDS["words"].findall(text.lower())
        for start in range(max(1, len(word) - 1))
    ]
