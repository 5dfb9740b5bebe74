"""Raw files into a corpus, and into questions with their judgements: read, match, and say all that is wrong at once."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.errors import ConfigError
from sentflow.texts.checks import named
from sentflow.texts.corpora import Corpus, Questions
from sentflow.texts.corpus_files import MEANINGS, source_problems
from sentflow.texts.preparation import picked_settings, refuse, verified_files
from sentflow.texts.sources import Row, Source

logger = logging.getLogger(__name__)

IDS = ("column", "rows", "distinct")


@dataclass(frozen=True)
class CorpusSettings:
    """The part of a corpus's catalog entry that its table depends on, and what is checked on the way.

    Attributes
    ----------
    documents
        Where they are read from, in this order.
    data_version, language
        See `Corpus`.
    ids
        ``column``: of the files; ``distinct``: texts that are equal are one document, numbered in order of occurrence.
    empty
        ``refuse`` documents without a text, or ``keep`` them: they count, but nothing finds them.
    rows
        Expected number of documents, or None. Changes no byte, as does the next.
    files
        Name → catalog entry of raw files: what has a checksum there is verified again before it is read.
    """

    documents: Sequence[Source]
    data_version: str
    language: str
    ids: str = "column"
    empty: str = "refuse"
    rows: int | None = None
    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, corpus: str) -> "CorpusSettings":
        """Pick the settings out of a corpus's entry; its other keys are not this stage's.

        Raises
        ------
        ConfigError
            A key is missing, or has a value that does not fit.
        """
        where = f"corpora.{corpus}"
        picked = picked_settings(cls, settings, where=where)
        _check_choice("ids", picked.get("ids", "column"), ("column", "distinct"), where)
        _check_choice("empty", picked.get("empty", "refuse"), ("refuse", "keep"), where)
        _check_sources(settings, where)
        picked["documents"] = _sources(settings, "documents", where)
        return cls(**picked)


@dataclass(frozen=True)
class QuestionSettings:
    """The part of a question set's catalog entry that its tables depend on, and what is checked on the way.

    Attributes
    ----------
    corpus
        Name of the corpus that is searched.
    questions, judgements
        Where they are read from.
    data_version, language, relevant_grade
        See `Questions`.
    ids
        ``column``: of the files; ``rows``: each row is a question, named by its number; ``distinct``: equal texts are
        one question.
    grades
        Grade as written → number, or None for rows that judge nothing; empty where grades are numbers.
    unknown
        ``refuse`` judgements of documents that the corpus lacks, or ``leave-out`` and count them.
    rows, judged
        Expected numbers of questions and of judgements, or None. Change no byte, as does the next.
    files
        See `CorpusSettings`.
    """

    corpus: str
    questions: Sequence[Source]
    judgements: Sequence[Source]
    data_version: str
    language: str
    relevant_grade: int = 1
    ids: str = "column"
    grades: Mapping[str, int | None] = field(default_factory=dict)
    unknown: str = "refuse"
    rows: int | None = None
    judged: int | None = None
    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, name: str) -> "QuestionSettings":
        """Pick the settings out of a question set's entry; its other keys are not this stage's.

        Raises
        ------
        ConfigError
            A key is missing, or has a value that does not fit.
        """
        where = f"question_sets.{name}"
        picked = picked_settings(cls, settings, where=where)
        _check_choice("ids", picked.get("ids", "column"), IDS, where)
        _check_choice("unknown", picked.get("unknown", "refuse"), ("refuse", "leave-out"), where)
        _check_sources(settings, where)
        picked["questions"] = _sources(settings, "questions", where)
        picked["judgements"] = _sources(settings, "judgements", where)
        return cls(**picked)


def prepare_corpus(corpus: str, raw_files: Sequence[Path], settings: CorpusSettings) -> Corpus:
    """Read and check the documents of a corpus.

    Parameters
    ----------
    corpus
        Its name.
    raw_files
        Files of its dataset; those that the sources name are found among them by name.
    settings
        See `CorpusSettings`.

    Raises
    ------
    ConfigError
        The settings do not fit the files.
    DataError
        A file is not in order; or documents are: without text, of one id and different texts, of another number than
        stated. All problems are told at once. A repeated id with the same text is the same document.
    """
    paths = _paths(settings.documents, raw_files, settings.files, where=f"corpora.{corpus}")
    found: dict[str, tuple[str, str]] = {}
    nameless, empty, torn = [], [], []
    for row in _rows(settings.documents, paths):
        title = " ".join(row.one("title").split())
        for text in row.cells["text"]:
            key = text if settings.ids == "distinct" else row.one("id")
            if not key:
                nameless.append(row.where)
                continue
            if not title + text:
                empty.append(row.where)
            if found.setdefault(key, (title, text)) != (title, text):
                torn.append(f"{key} ({row.where})")
    problems = [f"the id is empty in {named(nameless)}"] if nameless else []
    if empty and settings.empty == "refuse":
        problems.append(f"text is empty in {named(empty)}: fill or delete them, or write empty: keep")
    elif empty:
        logger.warning("%s: %d documents have no text: nothing finds them", corpus, len(empty))
    if torn:
        problems.append(f"one id, but another text than before, in {named(torn)}")
    if settings.rows is not None and len(found) != settings.rows:
        problems.append(f"{len(found)} documents, expected {settings.rows}")
    if not found and not problems:
        problems.append("no document")
    refuse(problems, table=corpus)
    ids = [str(number) for number in range(1, len(found) + 1)] if settings.ids == "distinct" else [*found]
    logger.info("%s: %d documents", corpus, len(ids))
    titles, texts = ([document[side] for document in found.values()] for side in (0, 1))
    return Corpus(corpus, settings.data_version, settings.language, ids, titles, texts)


def prepare_questions(
    name: str, raw_files: Sequence[Path], settings: QuestionSettings, corpus: Corpus
) -> Questions:
    """Read and check the questions of a set and their judgements.

    Parameters
    ----------
    name
        Of the question set.
    raw_files
        Files of its dataset.
    settings
        See `QuestionSettings`.
    corpus
        That which is searched.

    Raises
    ------
    ConfigError
        The settings do not fit the files.
    DataError
        A file is not in order; or questions without text, of one id and different texts, or without a relevant
        document; judgements of unknown questions or documents, with grades that are no numbers, or twice with
        different grades; other numbers than stated. All problems are told at once.
    """
    where = f"question_sets.{name}"
    sources = [*settings.questions, *settings.judgements]
    paths = _paths(sources, raw_files, settings.files, where=where)
    problems: list[str] = []
    asked, groups, clusters = _questions(settings, paths, problems)
    judged = _judgements(settings, paths, corpus, asked, problems)
    row_of = {key: row for row, key in enumerate(asked)}
    pairs = sorted(judged.items(), key=lambda pair: row_of[pair[0][0]])
    answered = {question for (question, _), grade in pairs if grade >= settings.relevant_grade}
    if settings.rows is not None and len(asked) != settings.rows:
        problems.append(f"{len(asked)} questions, expected {settings.rows}")
    if settings.judged is not None and len(pairs) != settings.judged:
        problems.append(f"{len(pairs)} judgements, expected {settings.judged}")
    if not answered and not problems:
        problems.append(f"no question has a document of grade {settings.relevant_grade} or more")
    refuse(problems, table=name)
    n_without = len(asked) - len(answered)
    if n_without:
        logger.warning(
            "%s: %d of %d questions have no document of grade %d or more; they count in no mean",
            name,
            n_without,
            len(asked),
            settings.relevant_grade,
        )
    logger.info("%s: %d questions, %d judgements", name, len(asked), len(pairs))
    return Questions(
        name=name,
        corpus=settings.corpus,
        data_version=settings.data_version,
        language=settings.language,
        relevant_grade=settings.relevant_grade,
        ids=_names(settings.ids, asked),
        texts=[*asked.values()],
        groups=groups,
        judged=np.array([row_of[question] for (question, _), _ in pairs], dtype=np.int64),
        documents=[document for (_, document), _ in pairs],
        grades=np.array([grade for _, grade in pairs], dtype=np.int64),
        clusters=clusters if any(clusters) else (),
    )


def _questions(
    settings: QuestionSettings, paths: Mapping[str, Path], problems: list[str]
) -> tuple[dict[str, str], list[str], list[str]]:
    """Key of each question → its text; the group of each; and its cluster."""
    asked: dict[str, str] = {}
    groups: dict[str, str] = {}
    clusters: dict[str, str] = {}
    empty, torn = [], []
    for row in _rows(settings.questions, paths):
        text = row.one("text")
        key = {"column": row.one("id"), "rows": row.number, "distinct": text}[settings.ids]
        if not text or not key:
            empty.append(row.where)
        elif asked.setdefault(key, text) != text:
            torn.append(f"{key} ({row.where})")
        groups.setdefault(key, row.one("group"))
        clusters.setdefault(key, row.one("cluster"))
    if empty:
        problems.append(f"the question or its id is empty in {named(empty)}: fill or delete them")
    if torn:
        problems.append(f"one id, but another question than before, in {named(torn)}")
    if not asked and not problems:
        problems.append("no question")
    return asked, [groups[key] for key in asked], [clusters[key] for key in asked]


def _judgements(
    settings: QuestionSettings,
    paths: Mapping[str, Path],
    corpus: Corpus,
    asked: Mapping[str, str],
    problems: list[str],
) -> dict[tuple[str, str], int]:
    """(Key of the question, identifier of the document) → grade."""
    known = set(corpus.ids)
    by_text = dict(zip(reversed(corpus.texts), reversed(corpus.ids), strict=True))
    judged: dict[tuple[str, str], int] = {}
    strangers, unknown, odd, torn = [], [], [], []
    for row in _rows(settings.judgements, paths):
        question = row.number if settings.ids == "rows" else row.one("question", row.one("question_text"))
        written = row.one("grade", "1")
        grade = settings.grades.get(written, _MISSING) if settings.grades else _whole_number(written)
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
    if strangers:
        problems.append(f"judgements of questions that do not exist: {named(strangers)}")
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


_MISSING = object()


def _whole_number(written: str) -> int | None:
    try:
        return int(written)
    except ValueError:
        return None


def _names(ids: str, asked: Mapping[str, str]) -> list[str]:
    return [str(number) for number in range(1, len(asked) + 1)] if ids == "distinct" else [*asked]


def _check_sources(settings: Mapping[str, Any], where: str) -> None:
    for place, problem in source_problems(settings):
        raise ConfigError(f"{where}.{place}: {problem}")


def _sources(settings: Mapping[str, Any], key: str, where: str) -> list[Source]:
    return [
        Source.from_settings(item, where=f"{where}.{key}.{place}", meanings=MEANINGS[key])
        for place, item in enumerate(settings[key])
    ]


def _check_choice(key: str, value: str, known: Sequence[str], where: str) -> None:
    if value not in known:
        raise ConfigError(f"{where}.{key}: {value!r} does not exist. Write one of: {', '.join(known)}.")


def _paths(
    sources: Iterable[Source],
    raw_files: Sequence[Path],
    files: Mapping[str, Mapping[str, Any]],
    *,
    where: str,
) -> dict[str, Path]:
    names = list(dict.fromkeys(file for source in sources for file in source.reader.files))
    return verified_files(names, raw_files, files, where=where)


def _rows(sources: Sequence[Source], paths: Mapping[str, Path]) -> Iterable[Row]:
    """The rows of all sources; of several, with the number of the source before their own."""
    return (row for source in sources for row in source.rows(paths))
