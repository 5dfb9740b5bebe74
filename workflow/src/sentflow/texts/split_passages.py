"""Long documents into passages, so that no encoder has to cut them off."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sentflow.errors import ConfigError
from sentflow.texts.corpora import Corpus, Passages

_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class PassageSettings:
    """How documents are cut.

    Attributes
    ----------
    words
        Words of a passage between white space; the last one of a document may have fewer.
    overlap
        Words that a passage shares with the one before it, fewer than `words`.
    title
        Whether each passage begins with the title of its document.
    """

    words: int
    overlap: int = 0
    title: bool = True

    def check(self, where: str) -> None:
        """Refuse numbers that cannot be meant.

        Raises
        ------
        ConfigError
            No words, or an overlap that is not smaller than a passage.
        """
        if self.words < 1 or not 0 <= self.overlap < self.words:
            raise ConfigError(
                f"{where}: passages of {self.words} words that overlap by {self.overlap}. Write words of at least 1, "
                "and an overlap below it."
            )


def split_corpus(corpus: Corpus, name: str, settings: PassageSettings) -> Passages:
    """The passages of all documents that have a text; a document without one but with a title is its title.

    Parameters
    ----------
    corpus
        What is cut.
    name
        Of the settings in the catalog.
    settings
        See `PassageSettings`.
    """
    rows: list[int] = []
    texts: list[str] = []
    for row, (title, text) in enumerate(zip(corpus.titles, corpus.texts, strict=True)):
        lead = f"{title} " if title and settings.title else ""
        found = [f"{lead}{part}" for part in _parts(text, settings)] or ([title] if title else [])
        rows += [row] * len(found)
        texts += found
    return Passages(corpus.name, name, np.array(rows, dtype=np.int64), texts)


def _parts(text: str, settings: PassageSettings) -> Iterator[str]:
    """Parts as they are written, white space between their words included; the last one ends with the text."""
    spans = [match.span() for match in _WORD.finditer(text)]
    step = settings.words - settings.overlap
    for start in range(0, max(1, len(spans) - settings.overlap), step):
        part = spans[start : start + settings.words]
        if part:
            yield text[part[0][0] : part[-1][1]]
