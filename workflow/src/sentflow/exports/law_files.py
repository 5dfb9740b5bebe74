"""The intermediate files of a published system of the Zalo AI challenge 2021, for programs that read these.

CuongNN218/zalo_ltr_2021@b63aa805 writes them in ``create_corpus.py`` and ``preprocessing.py``.
"""

from collections.abc import Iterable, Iterator

from sentflow.exports.submission import article_of
from sentflow.texts.corpora import Corpus, Questions


def text_lines(corpus: Corpus, asked: Iterable[Questions]) -> Iterator[str]:
    """What its language models read (``corpus.txt``): a line per article, ``title. text``, then one per question.

    Line ends within a text become spaces; an article without a title is its text.
    """
    for title, text in zip(corpus.titles, corpus.texts, strict=True):
        yield _one_line(f"{title}. {text}" if title else text)
    for questions in asked:
        yield from map(_one_line, questions.texts)


def article_texts(corpus: Corpus) -> dict[str, dict[str, str]]:
    """``law_article`` → ``{"title", "text"}`` (``legal_dict.json``); of two articles with one key, the first."""
    found: dict[str, dict[str, str]] = {}
    for document, title, text in zip(corpus.ids, corpus.titles, corpus.texts, strict=True):
        found.setdefault("_".join(article_of(document)), {"title": title, "text": text})
    return found


def article_list(corpus: Corpus) -> list[tuple[str, str, str]]:
    """Law, article and whole text of each document, in the order of the corpus.

    ``doc_refers.json``; the published file is a pickle of the same list, ``doc_refers_saved.pkl``.
    """
    return [
        (*article_of(document), text) for document, text in zip(corpus.ids, corpus.whole_texts(), strict=True)
    ]


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())
