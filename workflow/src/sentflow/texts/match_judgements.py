"""Rows of judgements against the questions and documents that they name, and what is wrong with them."""

import logging
from collections.abc import Iterable, Mapping

from sentflow.texts.checks import named, whole_number
from sentflow.texts.corpora import Corpus
from sentflow.texts.settings import QuestionSettings
from sentflow.texts.sources import Row

logger = logging.getLogger(__name__)

_MISSING = object()


def match_judgements(
    settings: QuestionSettings,
    rows: Iterable[Row],
    corpus: Corpus,
    asked: Mapping[str, str],
    problems: list[str],
) -> dict[tuple[str, str], int]:
    """(Key of the question, identifier of the document) → grade."""
    known = set(corpus.ids)
    by_text = dict(zip(reversed(corpus.texts), reversed(corpus.ids), strict=True))
    judged: dict[tuple[str, str], int] = {}
    strangers, unknown, odd, torn = [], [], [], []
    for row in rows:
        question = row.number if settings.ids == "rows" else row.one("question", row.one("question_text"))
        written = row.one("grade", "1")
        number = whole_number(written)
        grade = (
            settings.grades.get(written, settings.grades.get(str(number), _MISSING))
            if settings.grades
            else number
        )
        if grade is None and settings.grades:
            continue
        if not isinstance(grade, int):
            odd.append(f"{row.where} ({written[:20]!r})")
            continue
        if question not in asked:
            strangers.append(f"{question[:40]} ({row.where})")
            continue
        texts = row.cells.get("document_text")
        documents = [by_text.get(text) for text in texts] if texts else row.cells["document"]
        for document in documents:
            if document not in known:
                if document is None or document:
                    unknown.append(f"{document or 'its text'} ({row.where})")
                continue
            pair = (question, document)
            if judged.setdefault(pair, grade) != grade:
                torn.append(f"{pair[1]} for {question[:40]} ({row.where})")
    if odd:
        wanted = ", ".join(settings.grades) if settings.grades else "whole numbers"
        problems.append(f"the grade is none of those expected ({wanted}) in {named(odd)}")
    if strangers and settings.unknown == "refuse":
        problems.append(
            f"judgements of questions that do not exist: {named(strangers)}. Write unknown: leave-out, "
            "if they are to be left out"
        )
    elif strangers:
        logger.warning("%d judgements are of questions that do not exist; they are left out", len(strangers))
    if unknown and settings.unknown == "refuse":
        problems.append(
            f"judgements of documents that the corpus {corpus.name} lacks: {named(unknown)}. Write unknown: leave-out, "
            "if they are to be left out"
        )
    elif unknown:
        logger.warning(
            "%d judgements are of documents that the corpus lacks; they are left out", len(unknown)
        )
    if torn:
        problems.append(f"a document is judged twice, with different grades: {named(torn)}")
    return judged
