"""Texts into the terms that lexical retrievers count: which units, which case, which of them stop, which stem."""

import re
import string
from collections.abc import Callable, Sequence
from unicodedata import normalize

from sentflow.config.search import Analyser as AnalyserSettings
from sentflow.retrieval.settings import SearchSettings
from sentflow.retrieval.stop_words import stop_words
from sentflow.texts.segmentation import vietnamese_words

_WORDS = {"words": re.compile(r"\w+"), "long-words": re.compile(r"\w\w+")}


class Analyser:
    """How a text becomes terms."""

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
            if self._settings.lower:
                units = [unit.lower() for unit in units]
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
                return _vietnamese()
            case units:
                pattern = _WORDS[units]
        # Here case is dropped first: lower-casing may turn one letter into two characters, of which one is no letter
        return (lambda text: pattern.findall(text.lower())) if self._settings.lower else pattern.findall

    def _stem(self) -> Callable[[list[str]], list[str]]:
        if self._settings.stemmer == "none":
            return lambda units: units
        import Stemmer

        found: Callable[[list[str]], list[str]] = Stemmer.Stemmer(self._settings.stemmer).stemWords
        return found


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


def _vietnamese() -> Callable[[str], list[str]]:
    """Words of underthesea without punctuation; runs of several marks stay, as in the published pipeline."""
    word_tokenize = vietnamese_words("units: vietnamese-words")

    def cut(text: str) -> list[str]:
        return [word for word in word_tokenize(text) if word not in string.punctuation]

    return cut
