"""JSON files whose rows are nested: paragraphs with questions, laws with articles, questions with their gold."""

from collections.abc import Iterator, Mapping
from typing import Any

from sentflow.errors import DataError
from sentflow.files.io import parse_json
from sentflow.texts.formats.raw_file import RawFile
from sentflow.texts.formats.records import Records, numbered

Row = Mapping[str, str]
ARTICLE_SEPARATOR = "|"  # between law and article in the identifier of an article


def read_squad(file: RawFile) -> Records:
    """SQuAD's form: one row per question, with its paragraph.

    Columns: question_id, question, context, title (of the article).
    """

    def rows(found: Any) -> Iterator[Row]:
        for article in found["data"]:
            for paragraph in article["paragraphs"]:
                for question in paragraph["qas"]:
                    yield {
                        "question_id": str(question["id"]),
                        "question": question["question"],
                        "context": paragraph["context"],
                        "title": str(article.get("title", "")),
                    }

    return _read(
        file, rows, '{"data": [{"paragraphs": [{"context": …, "qas": [{"id": …, "question": …}]}]}]}'
    )


def read_laws(file: RawFile) -> Records:
    """Laws with their articles; columns id (``law|article``), law_id, article_id, title, text.

    The form of the Zalo challenge (``law_id``) and of ALQAC (``id``, articles without titles).
    """

    def rows(found: Any) -> Iterator[Row]:
        for law in found:
            law_id = law["law_id"] if "law_id" in law else law["id"]
            for article in law["articles"]:
                article_id = str(article["article_id"] if "article_id" in article else article["id"])
                yield {
                    "id": law_article(law_id, article_id),
                    "law_id": law_id,
                    "article_id": article_id,
                    "title": article.get("title", ""),
                    "text": article["text"],
                }

    return _read(file, rows, '[{"law_id": …, "articles": [{"article_id": …, "title": …, "text": …}]}]')


def read_law_questions(file: RawFile) -> Records:
    """Questions with the articles that answer them: a row per question and article, one without where there is none.

    Columns: question_id, question, document (``law|article``, empty without gold). The form of the Zalo challenge
    (an object with ``items``, or the list itself, ``question``) and of ALQAC (``text``; ``id`` in 2022).
    """

    def rows(found: Any) -> Iterator[Row]:
        for item in found["items"] if isinstance(found, dict) else found:
            about = {
                "question_id": str(item["question_id"] if "question_id" in item else item["id"]),
                "question": item["question"] if "question" in item else item["text"],
            }
            gold = item.get("relevant_articles") or [None]
            for article in gold:
                document = (
                    "" if article is None else law_article(article["law_id"], str(article["article_id"]))
                )
                yield {**about, "document": document}

    return _read(file, rows, '{"items": [{"question_id": …, "question": …, "relevant_articles": […]}]}')


def law_article(law_id: str, article_id: str) -> str:
    """Identifier of an article among the documents."""
    return f"{law_id}{ARTICLE_SEPARATOR}{article_id}"


def _read(file: RawFile, rows: Any, form: str) -> Records:
    try:
        found = [*rows(parse_json(file.text()))]
    except ValueError as error:
        raise DataError(f"{file.name}: {error}. Is it JSON?") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{file.name} is not of the form {form}: {type(error).__name__} {error}.") from error
    if not found:
        raise DataError(f"{file.name} is empty: no row of the form {form}.")
    for number, row in enumerate(found, start=1):
        if odd := [name for name, value in row.items() if not isinstance(value, str)]:
            raise DataError(f"{file.name}: {', '.join(odd)} is no text in row {number}; expected {form}.")
    header = [*found[0]]
    return Records(file.name, header, [[row[name] for row in found] for name in header], numbered(len(found)))
