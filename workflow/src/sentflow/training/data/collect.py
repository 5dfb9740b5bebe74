"""Documents of corpora and questions into rows of training data."""

import re
from collections.abc import Iterable

from sentflow.texts.corpora import Corpus, Questions
from sentflow.texts.formats.nested import ARTICLE_SEPARATOR
from sentflow.training.data.reader import Rows, joined


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


def collected_neighbours(corpora: Iterable[Corpus]) -> Rows:
    """Every document with the next one, where both are of one law: their identifiers are the same before ``|``."""

    def of(corpus: Corpus) -> Rows:
        texts, laws = corpus.whole_texts(), [one.rpartition(ARTICLE_SEPARATOR)[0] for one in corpus.ids]
        places = [place for place, law in enumerate(laws[:-1]) if law and law == laws[place + 1]]
        return Rows(
            [f"{corpus.name} {corpus.ids[place]}" for place in places],
            {"text": [texts[place] for place in places], "other": [texts[place + 1] for place in places]},
        )

    return joined(map(of, corpora))


def collected_spans(corpora: Iterable[Corpus], split: str | None) -> Rows:
    """Every document as a text with a line per span: its title, then the parts of its text.

    Parameters
    ----------
    corpora
        Their documents.
    split
        Regular expression of what lies between two parts; None takes lines. White space within a part is one space.
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
