"""Texts into the terms that lexical retrievers count: which units, which case, which of them stop, which stem."""

import re
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

from sentflow.errors import ConfigError
from sentflow.retrieval.stop_words import stop_words
from sentflow.texts.segmentation import vietnamese_words

UNITS = ("words", "long-words", "character-bigrams", "vietnamese-words")
STEMMERS = ("none", "english", "portuguese", "german", "spanish", "french", "italian")
_WORDS = {"words": re.compile(r"\w+"), "long-words": re.compile(r"\w\w+")}


@dataclass(frozen=True)
class Analyser:
    """How a text becomes terms.

    Attributes
    ----------
    units
        One of `UNITS`: runs of letters, digits and underscores; those of two or more; pairs of neighbouring characters
        within a word, or the word of one character; words by underthesea, which may hold spaces.
    lower
        Whether case is dropped, after the text was cut.
    normalise
        Whether texts and stop words are compared in Unicode's composed form (NFC): files made on a Mac may hold letters
        and their accents apart.
    stop_words
        Terms that are dropped, compared after the case was.
    stemmer
        One of `STEMMERS`, Snowball's.
    """

    units: str = "words"
    lower: bool = True
    normalise: bool = True
    stop_words: frozenset[str] = frozenset()
    stemmer: str = "none"

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, where: str) -> "Analyser":
        """The analyser of a catalog entry.

        Parameters
        ----------
        settings
            Keys of this class; for `stop_words` see the function of this name.
        where
            Place of the entry, for messages.

        Raises
        ------
        ConfigError, DataError
            A key or a value that does not exist, or see `stop_words`.
        """
        known = ("units", "lower", "normalise", "stop_words", "stemmer")
        if unknown := sorted(set(settings) - set(known)):
            raise ConfigError(f"{where}: unknown key {', '.join(unknown)}. Known: {', '.join(known)}.")
        for key, values in (("units", UNITS), ("stemmer", STEMMERS)):
            if settings.get(key, values[0]) not in values:
                raise ConfigError(
                    f"{where}.{key}: {settings[key]!r} does not exist. Write one of: {', '.join(values)}."
                )
        dropped = stop_words(settings.get("stop_words", ()), where=f"{where}.stop_words")
        if settings.get("normalise", True):
            dropped = frozenset(normalize("NFC", word) for word in dropped)
        return cls(**{**settings, "stop_words": dropped})

    def terms(self, texts: Sequence[str]) -> list[list[str]]:
        """The terms of each text, in their order; a term may repeat."""
        cut, stem = self._cutter(), self._stem()
        found = []
        for text in texts:
            units = cut(normalize("NFC", text) if self.normalise else text)
            if self.lower:
                units = [unit.lower() for unit in units]
            if self.stop_words:
                units = [unit for unit in units if unit not in self.stop_words]
            found.append(stem(units))
        return found

    def libraries(self) -> list[str]:
        """The distributions whose version can change the terms."""
        return [
            name
            for name, used in (
                ("underthesea", self.units == "vietnamese-words"),
                ("PyStemmer", self.stemmer != "none"),
            )
            if used
        ]

    def _cutter(self) -> Callable[[str], list[str]]:
        match self.units:
            case "character-bigrams":
                return _bigrams
            case "vietnamese-words":
                return _vietnamese()
        pattern = _WORDS[self.units]
        # Here case is dropped first: lower-casing may turn one letter into two characters, of which one is no letter
        return (lambda text: pattern.findall(text.lower())) if self.lower else pattern.findall

    def _stem(self) -> Callable[[list[str]], list[str]]:
        if self.stemmer == "none":
            return lambda units: units
        import Stemmer

        found: Callable[[list[str]], list[str]] = Stemmer.Stemmer(self.stemmer).stemWords
        return found


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
