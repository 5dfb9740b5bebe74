"""Submissions of the Zalo AI challenge 2021, legal text retrieval: a JSON list of questions with articles of laws."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sentflow.errors import DataError
from sentflow.texts.corpora import Corpus, Questions
from sentflow.texts.formats.json_records import ARTICLE_SEPARATOR

_ENDINGS = (("nd-cp", "nđ-cp"), ("nđ-", "nđ-cp"), ("nð-cp", "nđ-cp"))  # the last with the letter eth
_WHOLE = {"09/2014/ttlt-btp-tandtc-vksndtc": "09/2014/ttlt-btp-tandtc-vksndtc-btc"}


def submission(question_ids: Sequence[str], decided: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """The articles that were decided for, in the form of the challenge.

    Returns ``{"question_id", "relevant_articles": [{"law_id", "article_id"}]}`` for each question, also for one
    without an article. Numbers of laws are repaired, see `repaired_law`; articles that are the same then occur once.
    """
    return [
        {"question_id": name, "relevant_articles": _articles(decided.get(name, ()))} for name in question_ids
    ]


def submission_text(found: Sequence[Mapping[str, Any]]) -> str:
    """A submission as JSON, without line ends, other than ASCII characters escaped: as the published files are."""
    return json.dumps(found)


def repaired_law(law_id: str) -> str:
    """The number of a law as the organisers write it, where the corpus has a slip of the pen.

    The endings ``nd-cp``, ``nđ-`` and ``nð-cp`` (eth) become ``nđ-cp``, and one circular gets the ministry that its
    number lacks: the repairs of CuongNN218/zalo_ltr_2021@b63aa805.
    """
    for ending, right in _ENDINGS:
        if law_id.endswith(ending):
            return law_id.removesuffix(ending) + right
    return _WHOLE.get(law_id, law_id)


def article_of(document: str) -> tuple[str, str]:
    """The number of the law and the article that a document is, as its id says."""
    law, separator, article = document.rpartition(ARTICLE_SEPARATOR)
    if not separator:
        raise DataError(
            f"document {document!r} is no article of a law: its id must be law{ARTICLE_SEPARATOR}article. "
            "Files of the Zalo challenge need a corpus of format laws."
        )
    return law, article


def _articles(documents: Sequence[str]) -> list[dict[str, str]]:
    found = ((repaired_law(law), article) for law, article in map(article_of, documents))
    return [{"law_id": law, "article_id": article} for law, article in dict.fromkeys(found)]


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
