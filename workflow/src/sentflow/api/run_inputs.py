"""Questions, documents, runs and judgements as a notebook has them: lists, dictionaries, rows, files."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.api.arguments import ArgumentError
from sentflow.retrieval.ranking import Ranked, Run
from sentflow.retrieval.trec import read_judgements, read_scores
from sentflow.texts.corpora import Corpus, Questions

Scores = dict[str, dict[str, float]]
Grades = dict[str, dict[str, int]]


@dataclass(frozen=True)
class Texts:
    """Texts by name, in their order; those of a list are named by their places, from 0."""

    ids: list[str]
    titles: list[str]
    texts: list[str]


def texts_of(given: Any, argument: str) -> Texts:
    """Texts of a list, or of a dictionary by name; a document may be (title, text)."""
    if isinstance(given, str) or not isinstance(given, Mapping | Iterable):
        raise ArgumentError(
            f"{argument} is a {type(given).__name__}. Give a list of texts, or a dictionary from names to texts."
        )
    items = given.items() if isinstance(given, Mapping) else enumerate(given)
    found = {str(name): item if isinstance(item, tuple) else ("", item) for name, item in items}
    for name, item in found.items():
        if len(item) != 2 or not all(isinstance(part, str) for part in item):
            raise ArgumentError(
                f"{argument}[{name!r}] is no text. Give a string, or (title, text) of a document."
            )
    if not found:
        raise ArgumentError(f"{argument} is empty. Give at least one text.")
    return Texts([*found], [title for title, _ in found.values()], [text for _, text in found.values()])


def corpus_of(documents: Any) -> Corpus:
    """Documents as a corpus; see `texts_of`."""
    found = texts_of(documents, "documents")
    return Corpus("documents", "own", "und", found.ids, found.titles, found.texts)


def scores_of(run: Any) -> Scores:
    """Question → document → score, in the order given."""
    if isinstance(run, str | Path):
        return read_scores(Path(run))
    scores: Scores = {}
    for question, own in _by_question(run, "run", ("question", "document", "score")):
        of_question = scores.setdefault(question, {})
        for name, score in own:
            if not _is_number(score):
                raise ArgumentError(
                    f"run: the score of {name!r} for {question!r} is {score!r}. Give a finite number."
                )
            if name in of_question:
                raise ArgumentError(f"run: {name!r} occurs twice for {question!r}. Name each document once.")
            of_question[name] = float(score)
    return scores


def grades_of(judgements: Any) -> Grades:
    """Question → document → grade."""
    if isinstance(judgements, str | Path):
        return read_judgements(Path(judgements))
    grades: Grades = {}
    for question, own in _by_question(judgements, "judgements", ("question", "document", "grade"), 1):
        of_question = grades.setdefault(question, {})
        for name, grade in own:
            if not _is_number(grade) or int(grade) != grade:
                raise ArgumentError(f"judgements: a grade of {question!r} is {grade!r}. Give a whole number.")
            of_question[name] = int(grade)
    if not any(grades.values()):
        raise ArgumentError("judgements are empty. Give at least one relevant document.")
    return grades


def _by_question(
    given: Any, argument: str, names: Sequence[str], default: Any = None
) -> Iterable[tuple[str, Iterable[tuple[str, Any]]]]:
    """A question and its documents with their values; `default` is that of documents without one, where it may lack."""
    if not isinstance(given, Iterable):
        raise ArgumentError(
            f"{argument} is a {type(given).__name__}. Give a dictionary, rows of ({', '.join(names)}), or the path of "
            "a file in TREC's form."
        )
    if isinstance(given, Mapping):
        for question, own in given.items():
            if not isinstance(own, Mapping):
                if default is None or isinstance(own, str) or not isinstance(own, Iterable):
                    lists = "" if default is None else ", or a list of the relevant documents"
                    raise ArgumentError(
                        f"{argument}[{question!r}] is a {type(own).__name__}. Give document → {names[2]}{lists}."
                    )
                own = dict.fromkeys(own, default)
            yield str(question), [(str(document), value) for document, value in own.items()]
        return
    least = len(names) if default is None else len(names) - 1
    for number, row in enumerate(given):
        if isinstance(row, str) or not isinstance(row, Sequence) or not least <= len(row) <= len(names):
            raise ArgumentError(f"{argument}[{number}] is {row!r}. Give ({', '.join(names)}).")
        question, document, value, *_ = *row, default
        yield str(question), [(str(document), value)]


def _is_number(value: Any) -> bool:
    try:
        return math.isfinite(float(value)) and not isinstance(value, bool | str)
    except (TypeError, ValueError):
        return False


def ranked_run(
    scores: Mapping[str, Mapping[str, float]], document_ids: Sequence[str], *, ordered: bool
) -> Run:
    """Scores as a run."""
    row_of = {name: row for row, name in enumerate(document_ids)}
    ranked = {}
    for question, found in scores.items():
        rows = np.array([row_of[name] for name in found], dtype=np.int64)
        values = np.array([*found.values()], dtype=np.float64)
        order = np.lexsort((rows if ordered else np.arange(len(rows)), -values))
        ranked[question] = Ranked(rows[order], values[order])
    return Run(document_ids, ranked)


def judged_questions(name: str, grades: Mapping[str, Mapping[str, int]], relevant_grade: int) -> Questions:
    """Judgements as questions, whose texts do not matter."""
    ids = [*grades]
    rows = [(row, one, grade) for row, judged in enumerate(grades.values()) for one, grade in judged.items()]
    return Questions(
        name=name,
        corpus="documents",
        data_version="own",
        language="und",
        relevant_grade=relevant_grade,
        ids=ids,
        texts=ids,
        groups=[""] * len(ids),
        judged=np.array([row for row, _, _ in rows], dtype=np.int64),
        documents=[one for _, one, _ in rows],
        grades=np.array([grade for *_, grade in rows], dtype=np.int64),
    )
