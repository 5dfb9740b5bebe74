"""Raw files into documents, questions and judgements: read, match, and say all that is wrong at once."""

import hashlib
import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from unicodedata import normalize

import numpy as np

from sentflow.config.collections import CorpusSettings, QuestionSettings
from sentflow.texts.checks import named, refuse, verified_files, whole_number
from sentflow.texts.corpora import (
    EXCLUDE,
    KEEP,
    Corpus,
    CorpusFile,
    Document,
    Questions,
    digest_of,
    folded,
    whole_text,
)
from sentflow.texts.settings import NOTHING, CollectionChecks
from sentflow.texts.sources import Row, Source, rows_of, sources_of

logger = logging.getLogger(__name__)


def prepare_corpus(
    corpus: str, raw_files: Sequence[Path], settings: CorpusSettings, checks: CollectionChecks = NOTHING
) -> Iterator[Document]:
    """Read and check the documents of a corpus; a repeated id with the same text is the same document.

    Holds 16 bytes for each id and each text. Raises DataError: all that is wrong, after the last document.
    """
    documents = sources_of(settings.documents, "documents", f"corpora.{corpus}")
    names = [file for source in documents for file in source.entry.files]
    paths = verified_files(names, raw_files, checks.files, where=f"corpora.{corpus}")
    found: dict[bytes, bytes] = {}
    has_text = False
    nameless, empty, conflicting = [], [], []
    for row in rows_of(documents, paths):
        title = " ".join(row.one("title").split())
        for text in row.cells["text"]:
            key = text if settings.ids == "distinct" else row.one("id")
            if not key:
                nameless.append(row.where)
                continue
            if not title + text:
                empty.append(row.where)
            name, content = digest_of(key), digest_of(f"{len(title)} {title}{text}")
            if name not in found:
                found[name] = content
                has_text = has_text or title + text != ""
                yield str(len(found)) if settings.ids == "distinct" else key, title, text
            elif found[name] != content:
                conflicting.append(f"{key} ({row.where})")
    problems = [f"the id is empty in {named(nameless)}"] if nameless else []
    if empty and settings.empty == "refuse":
        problems.append(f"text is empty in {named(empty)}: fill or delete them, or write empty: keep")
    elif empty:
        logger.warning("%s: %d documents have no text: nothing finds them", corpus, len(empty))
    if conflicting:
        problems.append(f"one id, but another text than before, in {named(conflicting)}")
    if checks.rows not in (None, len(found)):
        problems.append(f"{len(found)} documents, expected {checks.rows}")
    if not has_text and not problems:
        problems.append("no document has a text" if found else "no document")
    refuse(problems, table=corpus)
    logger.info("%s: %d documents", corpus, len(found))


_MISSING = object()


def match_judgements(
    settings: QuestionSettings,
    sources: Sequence[Source],
    paths: Mapping[str, Path],
    corpus: Corpus | CorpusFile,
    text_of: Mapping[str, str],
    problems: list[str],
) -> dict[tuple[str, str], int]:
    """(Key of the question, identifier of the document) → grade."""
    known: set[str] = set()
    by_text: dict[bytes, str] = {}  # of equal texts the first document
    with_texts = any("document_text" in source.columns for source in sources)
    for name, _, text in corpus.documents() if sources else ():
        known.add(name)
        if with_texts:
            by_text.setdefault(digest_of(text), name)
    judged: dict[tuple[str, str], int] = {}
    unknown_questions, unknown_documents, faulty, conflicting = [], [], [], []
    for row in rows_of(sources, paths):
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
            faulty.append(f"{row.where} ({written[:20]!r})")
            continue
        if question not in text_of:
            unknown_questions.append(f"{question[:40]} ({row.where})")
            continue
        texts = row.cells.get("document_text")
        documents = [by_text.get(digest_of(text)) for text in texts] if texts else row.cells["document"]
        for document in documents:
            if document not in known:
                if document is None or document:
                    unknown_documents.append(f"{document or 'its text'} ({row.where})")
                continue
            pair = (question, document)
            if judged.setdefault(pair, grade) != grade:
                conflicting.append(f"{pair[1]} for {question[:40]} ({row.where})")
    if faulty:
        wanted = ", ".join(settings.grades) if settings.grades else "whole numbers"
        problems.append(f"the grade is none of those expected ({wanted}) in {named(faulty)}")
    for unknown, what in (
        (unknown_questions, "questions that do not exist"),
        (unknown_documents, f"documents that the corpus {corpus.name} lacks"),
    ):
        if unknown and settings.unknown == "refuse":
            remedy = "To skip them, write unknown: leave-out"
            problems.append(f"judgements of {what}: {named(unknown)}. {remedy}")
        elif unknown:
            logger.warning("%d judgements are of %s; they are left out", len(unknown), what)
    if conflicting:
        problems.append(f"a document is judged twice, with different grades: {named(conflicting)}")
    return judged


_LONG_WORD = re.compile(r"\w\w+")


def prepare_questions(
    name: str,
    raw_files: Sequence[Path],
    settings: QuestionSettings,
    corpus: Corpus | CorpusFile,
    checks: CollectionChecks = NOTHING,
) -> Questions:
    """Read and check the questions of a set and their judgements."""
    where = f"question_sets.{name}"
    read = {
        key: sources_of(getattr(settings, key), key, where) for key in ("questions", "judgements", "without")
    }
    files = [file for own in read.values() for source in own for file in source.entry.files]
    paths = verified_files(files, raw_files, checks.files, where=where)
    problems: list[str] = []
    rows = _questions(settings.ids, rows_of(read["questions"], paths), problems)
    text_of = {key: row.one("text") for key, row in rows.items()}
    judged = match_judgements(settings, read["judgements"], paths, corpus, text_of, problems)
    out = _excluded(settings, [*rows_of(read["without"], paths)], text_of, judged, name)
    text_of = {key: text for key, text in text_of.items() if key not in out}
    judged = {pair: grade for pair, grade in judged.items() if pair[0] not in out}
    is_numbered = settings.ids == "distinct"
    names = {key: str(number) if is_numbered else key for number, key in enumerate(text_of, start=1)}
    if settings.same_ids == EXCLUDE:
        judged = {pair: grade for pair, grade in judged.items() if names[pair[0]] != pair[1]}
    row_of = {key: row for row, key in enumerate(text_of)}
    pairs = sorted(judged.items(), key=lambda pair: row_of[pair[0][0]])
    answered = {question for (question, _), grade in pairs if grade >= settings.relevant_grade}
    if checks.rows not in (None, len(text_of)):
        problems.append(f"{len(text_of)} questions, expected {checks.rows}")
    if checks.judged not in (None, len(pairs)):
        problems.append(f"{len(pairs)} judgements, expected {checks.judged}")
    if settings.judgements and not answered and not problems:
        problems.append(f"no question has a document of grade {settings.relevant_grade} or more")
    refuse(problems, table=name)
    n_without = len(text_of) - len(answered)
    if not settings.judgements:
        logger.warning("%s: no judgements; it can be searched, but not evaluated", name)
    elif n_without:
        logger.warning(
            "%s: %d of %d questions have no document of grade %d or more; they are not in the means",
            name,
            n_without,
            len(text_of),
            settings.relevant_grade,
        )
    if settings.same_ids is None and (n_own := _n_own_documents(names, text_of, corpus)):
        logger.warning(
            "%s: %d questions have the text of the document of their id, which ranks first. Write same_ids: exclude, "
            "so that it is not ranked for them, or same_ids: keep",
            *(name, n_own),
        )
    has_clusters = any(row.one("cluster") for row in rows.values())
    logger.info("%s: %d questions, %d judgements", name, len(text_of), len(pairs))
    return Questions(
        name=name,
        corpus=settings.corpus,
        data_version=settings.data_version,
        language=settings.language,
        relevant_grade=settings.relevant_grade,
        ids=[*names.values()],
        texts=[*text_of.values()],
        groups=[rows[key].one("group") for key in text_of],
        judged=np.array([row_of[question] for (question, _), _ in pairs], dtype=np.int64),
        documents=[document for (_, document), _ in pairs],
        grades=np.array([grade for _, grade in pairs], dtype=np.int64),
        clusters=[rows[key].one("cluster") for key in text_of] if has_clusters else (),
        same_ids=settings.same_ids or KEEP,
    )


def _n_own_documents(
    names: Mapping[str, str], text_of: Mapping[str, str], corpus: Corpus | CorpusFile
) -> int:
    """Questions whose id is that of a document with their text: equal ids alone say nothing where they are numbers."""
    own = {names[key]: folded(text) for key, text in text_of.items()}
    return sum(
        own.get(name) in (folded(text), folded(whole_text(title, text)))
        for name, title, text in corpus.documents()
        if name in own
    )


def _questions(ids: str, rows: Iterable[Row], problems: list[str]) -> dict[str, Row]:
    """Key of each question → its first row."""
    first: dict[str, Row] = {}
    empty, conflicting = [], []
    for row in rows:
        text = row.one("text")
        key = {"column": row.one("id"), "rows": row.number, "distinct": text}[ids]
        if not text or not key:
            empty.append(row.where)
        elif first.setdefault(key, row).one("text") != text:
            conflicting.append(f"{key} ({row.where})")
    if empty:
        problems.append(f"the question or its id is empty in {named(empty)}: fill or delete them")
    if conflicting:
        problems.append(f"one id, but another question than before, in {named(conflicting)}")
    if not first and not problems:
        problems.append("no question")
    return first


def _excluded(
    settings: QuestionSettings,
    others: Sequence[Row],
    text_of: Mapping[str, str],
    judged: Iterable[tuple[str, str]],
    name: str,
) -> set[str]:
    """Keys of the questions that the settings take out."""
    ids, texts = {row.one("id") for row in others}, {_letters(row.one("text")) for row in others} - {""}
    answered = [question for question, _ in judged]
    out = {key for key, text in text_of.items() if key in ids or _letters(text) in texts}
    if settings.without:
        n_pairs = sum(question in out for question in answered)
        logger.info("%s: %d questions and their %d judgements are taken out", name, len(out), n_pairs)
    if settings.unjudged == "leave-out":
        unjudged = text_of.keys() - set(answered)
        logger.info("%s: %d questions without a judgement are left out", name, len(unjudged))
        out |= unjudged
    if settings.part:
        elsewhere = {key for key in text_of if _part_of(key, settings.part.of) not in settings.part.keep}
        logger.info("%s: %d questions are of other parts", name, len(elsewhere))
        out |= elsewhere
    return out


def _part_of(key: str, n: int) -> int:
    """Which of n parts a question is assigned to, from 1."""
    return 1 + int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") % n


def _letters(text: str) -> str:
    """What two questions have in common that differ in case, spaces, signs and single letters."""
    return " ".join(_LONG_WORD.findall(normalize("NFC", text).lower()))
