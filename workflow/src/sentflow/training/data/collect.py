"""Documents of corpora and questions into rows of training data."""

import re
from collections.abc import Iterable

from sentflow.config.collections import Cut
from sentflow.texts.corpora import Corpus, Questions
from sentflow.texts.formats.json_records import ARTICLE_SEPARATOR
from sentflow.texts.split_passages import split_corpus
from sentflow.training.data.prepare import Rows, joined


def collected_texts(corpora: Iterable[Corpus], question_sets: Iterable[Questions]) -> Rows:
    """Title and text of every document, then every question, a row each."""
    named: list[tuple[str, list[str], list[str]]] = [
        *((corpus.name, corpus.ids, corpus.whole_texts()) for corpus in corpora),
        *((questions.name, questions.ids, questions.texts) for questions in question_sets),
    ]
    return joined(Rows([f"{name} {one}" for one in ids], {"text": texts}) for name, ids, texts in named)


def collected_titles(corpora: Iterable[Corpus]) -> Rows:
    """Title and text of every document as a pair; documents that lack one have an empty cell."""
    return joined(
        Rows([f"{corpus.name} {one}" for one in corpus.ids], {"text": corpus.titles, "other": corpus.texts})
        for corpus in corpora
    )


def collected_neighbours(corpora: Iterable[Corpus], words: int | None = None) -> Rows:
    """Every document with the next one of its law, or every passage of so many words with the next of its document.

    Two documents are of one law where their identifiers are the same before the last ``|``. What is left at the end of
    a document is a passage if it has half as many words.
    """
    return joined(_articles(corpus) if words is None else _passages(corpus, words) for corpus in corpora)


def _articles(corpus: Corpus) -> Rows:
    return _with_next(
        [f"{corpus.name} {one}" for one in corpus.ids],
        corpus.whole_texts(),
        [one.rpartition(ARTICLE_SEPARATOR)[0] for one in corpus.ids],
    )


def _passages(corpus: Corpus, words: int) -> Rows:
    found = split_corpus(corpus, "", Cut(words=words, title=False))
    long = [place for place, text in enumerate(found.texts) if 2 * len(text.split()) >= words]
    documents = [corpus.ids[found.documents[place]] for place in long]
    return _with_next(
        [f"{corpus.name} {one}" for one in documents], [found.texts[place] for place in long], documents
    )


def _with_next(names: list[str], texts: list[str], wholes: list[str]) -> Rows:
    """Each text with the one after it, where both are of the same whole, which has a name."""
    places = [place for place, one in enumerate(wholes[:-1]) if one and one == wholes[place + 1]]
    return Rows(
        [names[place] for place in places],
        {"text": [texts[place] for place in places], "other": [texts[place + 1] for place in places]},
    )


def collected_spans(corpora: Iterable[Corpus], split: str | None) -> Rows:
    """Every document as a text with a line per span: its title, then the parts of its text, in single spaces.

    `split`: regular expression of what lies between two parts; None takes lines.
    """
    between = re.compile(r"\n" if split is None else split)

    def spans(title: str, text: str) -> str:
        # Groups of the expression would come as parts of their own, and None where they match nothing
        places = [0, *(place for found in between.finditer(text) for place in found.span()), len(text)]
        parts = [text[start:end] for start, end in zip(places[::2], places[1::2], strict=True)]
        lines = (" ".join(part.split()) for part in [title, *parts])
        return "\n".join(line for line in lines if line)

    return joined(
        Rows(
            [f"{corpus.name} {one}" for one in corpus.ids],
            {"text": list(map(spans, corpus.titles, corpus.texts))},
        )
        for corpus in corpora
    )
