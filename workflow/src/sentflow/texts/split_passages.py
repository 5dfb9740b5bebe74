"""Long documents into passages, so that no encoder has to cut them off."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sentflow.errors import ConfigError
from sentflow.texts.corpora import Corpus, Passages

_WORD = re.compile(r"\S+")

Spans = Sequence[tuple[int, int]]
"""Where the units of a text begin and end, ascending; in characters, none empty."""


@dataclass(frozen=True)
class PassageSettings:
    """How documents are cut: by words, or by tokens."""

    # words: words of a passage between white space; the last one of a document may have fewer
    words: int | None = None
    overlap: int = 0  # words or tokens that a passage shares with the one before it, fewer than it has
    title: bool = True  # whether each passage begins with the title of its document, which comes on top
    tokens: int | None = None  # tokens of a passage, instead of words

    @property
    def size(self) -> int:
        """Words or tokens of a passage."""
        return self.tokens or self.words or 0

    def check(self, where: str) -> None:
        """Refuse numbers that cannot be meant."""
        unit = "words" if self.tokens is None else "tokens"
        if self.size < 1 or not 0 <= self.overlap < self.size:
            raise ConfigError(
                f"{where}: passages of {self.size} {unit} that overlap by {self.overlap}. Write {unit} of at least 1, "
                "and an overlap below it."
            )


def word_spans(text: str) -> Spans:
    """The words of a text, between white space."""
    return [match.span() for match in _WORD.finditer(text)]


def split_corpus(
    corpus: Corpus, name: str, settings: PassageSettings, spans_of: Callable[[str], Spans] = word_spans
) -> Passages:
    """The passages of all documents that have a text; a document without one but with a title is its title."""
    rows: list[int] = []
    texts: list[str] = []
    for row, (title, text) in enumerate(zip(corpus.titles, corpus.texts, strict=True)):
        lead = f"{title} " if title and settings.title else ""
        found = [f"{lead}{part}" for part in _parts(text, spans_of(text), settings)] or (
            [title] if title else []
        )
        rows += [row] * len(found)
        texts += found
    return Passages(corpus.name, name, np.array(rows, dtype=np.int64), texts)


def _parts(text: str, spans: Spans, settings: PassageSettings) -> Iterator[str]:
    """Parts as they are written, white space between their words included; the last one ends with the text."""
    begins_word = [
        number == 0 or text[start].isspace() or any(map(str.isspace, text[spans[number - 1][1] : start]))
        for number, (start, _) in enumerate(spans)
    ]
    first = 0
    while first < len(spans):
        end = min(first + settings.size, len(spans))
        if end < len(spans):
            end = next((place for place in range(end, first, -1) if begins_word[place]), end)
        yield text[spans[first][0] : spans[end - 1][1]].strip()
        if end == len(spans):
            return
        # At most so many are shared; none where the words that were left are no more than these
        again = max(end - settings.overlap, first + 1)
        first = next((place for place in range(again, end) if begins_word[place]), end)
