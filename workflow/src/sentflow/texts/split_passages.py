"""Long documents into passages, so that no encoder has to cut them off."""

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from sentflow.config.collections import Cut
from sentflow.texts.corpora import Corpus, Passages

_WORD = re.compile(r"\S+")

Spans = Sequence[tuple[int, int]]
"""Where the units of a text begin and end, ascending; in characters, none empty."""


def word_spans(text: str) -> Spans:
    """The words of a text, between white space."""
    return [match.span() for match in _WORD.finditer(text)]


def split_corpus(
    corpus: Corpus, name: str, settings: Cut, spans_of: Callable[[str], Spans] = word_spans
) -> Passages:
    """The passages of all documents that have a text; a document without one but with a title is its title.

    `spans_of` gives the words or tokens of a text, which are counted. A passage begins and ends between words; a word
    that is longer than a passage is cut between its tokens.
    """
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


def _parts(text: str, spans: Spans, settings: Cut) -> Iterator[str]:
    """Parts as they are written, white space between their words included; the last one ends with the text."""
    begins_word = [
        number == 0 or text[start].isspace() or any(map(str.isspace, text[spans[number - 1][1] : start]))
        for number, (start, _) in enumerate(spans)
    ]
    size, first = settings.tokens or settings.words or 0, 0
    while first < len(spans):
        end = min(first + size, len(spans))
        if end < len(spans):
            end = next((place for place in range(end, first, -1) if begins_word[place]), end)
        yield text[spans[first][0] : spans[end - 1][1]].strip()
        if end == len(spans):
            return
        # At most so many are shared; none where the words that were left are no more than these
        again = max(end - settings.overlap, first + 1)
        first = next((place for place in range(again, end) if begins_word[place]), end)
