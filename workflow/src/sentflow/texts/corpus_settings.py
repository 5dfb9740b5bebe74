"""What catalog entries of corpora and question sets say of their texts, and of what is checked on the way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sentflow.texts.corpus_files import MEANINGS
from sentflow.texts.preparation import picked_settings
from sentflow.texts.sources import Source

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
        Where they are read from. A set without sources of judgements can be searched, but not evaluated.
    data_version, language, relevant_grade
        See `Questions`.
    ids
        ``column``: of the files; ``rows``: each row is a question, named by its number; ``distinct``: equal texts are
        one question.
    grades
        Grade as written → number, or None for rows that judge nothing; empty where grades are numbers.
    unknown
        ``refuse`` judgements of questions or documents that do not exist, or ``leave-out`` and count them.
    unjudged
        ``keep`` questions without any judgement, which count in no mean, or ``leave-out``, where files hold the
        questions of all splits.
    without
        Where questions are read from that are taken out: those with one of their ids, or with one of their texts,
        compared by runs of two or more letters in lower case.
    part
        ``of`` how many parts questions are assigned to by a digest of their ids, and which of them to ``keep``, from 1;
        empty for all. It depends on nothing but the id: sets of the same files with other parts share no question.
    same_ids
        See `Questions`; None is keep, and the log says where questions are documents of their ids.
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
    unjudged: str = "keep"
    without: Sequence[Source] = ()
    part: Mapping[str, Any] = field(default_factory=dict)
    same_ids: str | None = None
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
        picked |= {key: _sources(settings, key, where) for key in ("questions", "judgements", "without")}
        return cls(**picked)


def _sources(settings: Mapping[str, Any], key: str, where: str) -> list[Source]:
    return [
        Source.from_settings(item, where=f"{where}.{key}.{place}", meanings=MEANINGS[key])
        for place, item in enumerate(settings.get(key, ()))
    ]
