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
    rows: Iterable[Sequence[Any]]
    if isinstance(run, Mapping):
        rows = ((name, one, score) for name, scores in _maps(run, "run") for one, score in scores.items())
    else:
        rows = _rows(run, "run", ("question", "document", "score"))
    found: Scores = {str(name): {} for name in run} if isinstance(run, Mapping) else {}
    for question, document, score in rows:
        own, name = found.setdefault(str(question), {}), str(document)
        if not _is_number(score):
            raise ArgumentError(
                f"run: the score of {name!r} for {str(question)!r} is {score!r}. Give a finite number."
            )
        if name in own:
            raise ArgumentError(f"run: {name!r} occurs twice for {str(question)!r}. Name each document once.")
        own[name] = float(score)
    return found


def grades_of(judgements: Any) -> Grades:
    """Question → document → grade."""
    if isinstance(judgements, str | Path):
        return read_judgements(Path(judgements))
    found: Grades = {}
    if isinstance(judgements, Mapping):
        for name, judged in judgements.items():
            if isinstance(judged, str) or not isinstance(judged, Mapping | Iterable):
                raise ArgumentError(
                    f"judgements[{name!r}] is a {type(judged).__name__}. Give document → grade, or a list of the "
                    "relevant documents."
                )
            graded = judged if isinstance(judged, Mapping) else dict.fromkeys(judged, 1)
            found[str(name)] = {str(document): _grade(grade, name) for document, grade in graded.items()}
    else:
        for row in _rows(judgements, "judgements", ("question", "document", "grade"), least=2):
            own = found.setdefault(str(row[0]), {})
            own[str(row[1])] = _grade(row[2] if len(row) == 3 else 1, row[0])
    if not any(found.values()):
        raise ArgumentError("judgements are empty. Give at least one relevant document.")
    return found


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


def _maps(given: Mapping[Any, Any], argument: str) -> Iterable[tuple[Any, Mapping[Any, Any]]]:
    for name, found in given.items():
        if not isinstance(found, Mapping):
            raise ArgumentError(f"{argument}[{name!r}] is a {type(found).__name__}. Give document → score.")
        yield name, found


def _rows(given: Any, argument: str, names: Sequence[str], least: int = 3) -> Iterable[Sequence[Any]]:
    if not isinstance(given, Iterable):
        raise ArgumentError(
            f"{argument} is a {type(given).__name__}. Give a dictionary, rows of ({', '.join(names)}), or the path of "
            "a file in TREC's form."
        )
    for number, row in enumerate(given):
        if isinstance(row, str) or not isinstance(row, Sequence) or not least <= len(row) <= len(names):
            raise ArgumentError(f"{argument}[{number}] is {row!r}. Give ({', '.join(names)}).")
        yield row


def _is_number(value: Any) -> bool:
    try:
        return math.isfinite(float(value)) and not isinstance(value, bool | str)
    except (TypeError, ValueError):
        return False


def _grade(value: Any, question: Any) -> int:
    if not _is_number(value) or int(value) != value:
        raise ArgumentError(f"judgements: a grade of {str(question)!r} is {value!r}. Give a whole number.")
    return int(value)
