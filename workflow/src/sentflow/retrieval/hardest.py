"""Questions worth reading: those that most retrievers fail on, and those on which two differ most."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sentflow.retrieval.ranking import Run
from sentflow.texts.corpora import Corpus, Questions

LETTERS = 300  # of a text that are kept: enough to recognise a document


HARDEST, APART = "hardest", "apart"
_DIGITS = 12  # to which values are rounded before they are sorted: sums in another order must not break ties


@dataclass(frozen=True)
class HardQuestion:
    """A question that most retrievers fail on, or on which two of them differ most."""

    FILE: ClassVar[str] = "hard-questions"

    # question_set, view, place: the set; why the question is here, ``hardest`` or ``apart``; its place in that list,
    # from 1
    question_set: str
    view: str
    place: int
    measure: str  # what questions were scored by
    # question, group, text: identifier, group (empty for none) and text
    question: str
    group: str
    text: str
    # mean, n_retrievers: mean over the retrievers that are no controls, and their number
    mean: float
    n_retrievers: int
    # n_relevant, n_documents: relevant documents of the question, and documents of the corpus
    n_relevant: int
    n_documents: int
    # document, document_text, grade: the relevant document of the highest grade, in the order of judgements; the start
    # of its text
    document: str
    document_text: str
    grade: int
    # a, value_a, rank_a: the first of the two retrievers, its value on the question, and the rank of `document` in its
    # run; 0 where it is not there
    a: str
    value_a: float
    rank_a: int
    # first_a, first_text_a, first_grade_a: the document that it ranks first, the start of its text, and its grade, NaN
    # where nobody judged it. Empty where it found nothing.
    first_a: str
    first_text_a: str
    first_grade_a: float
    # b, value_b, rank_b, first_b, first_text_b, first_grade_b: the same of the second; empty where one retriever was
    # measured
    b: str
    value_b: float
    rank_b: int
    first_b: str
    first_text_b: str
    first_grade_b: float


@dataclass(frozen=True)
class Searched:
    """What was asked, and what all retrievers found."""

    # corpus, questions: documents, and questions with their judgements
    corpus: Corpus
    questions: Questions
    measure: str  # what questions were scored by
    retrievers: Sequence[str]  # m names
    asked: Sequence[str]  # n questions with a relevant document
    values: np.ndarray  # (m, n) float64
    runs: Mapping[str, Run]  # retriever → its run, of the two that are shown at least


def best_two(retrievers: Sequence[str], values: np.ndarray) -> list[str]:
    """The two with the highest means, the higher one first; one where there is no other."""
    order = np.argsort(-np.round(values.mean(axis=1), _DIGITS), kind="stable")
    return [retrievers[row] for row in order[:2].tolist()]


def hardest(scores: np.ndarray, *, limit: int) -> np.ndarray:
    """int64 numbers of the questions with the lowest mean in (m, n) scores, the lowest first, in order where equal."""
    return _lowest(scores.mean(axis=0), limit)


def most_different(scores: np.ndarray, a: int, b: int, *, limit: int) -> np.ndarray:
    """int64 numbers of the questions on which rows a and b of (m, n) scores differ most; none with equal scores."""
    differences = np.abs(scores[a] - scores[b])
    order = _lowest(-differences, limit)
    chosen: np.ndarray = order[np.round(differences[order], _DIGITS) > 0]
    return chosen


def _lowest(values: np.ndarray, limit: int) -> np.ndarray:
    order: np.ndarray = np.argsort(np.round(values, _DIGITS), kind="stable")
    return order[:limit]


def hard_questions(
    searched: Searched, *, serious: Sequence[str], pair: Sequence[str], limit: int
) -> list[HardQuestion]:
    """The hardest questions, then those on which two retrievers differ most.

    `pair`: the two that are shown and compared, or one where there is no other. `limit`: at most so many questions of
    each kind.
    """
    row_of = {name: row for row, name in enumerate(searched.retrievers)}
    counted = searched.values[[row_of[name] for name in serious]]
    means = counted.mean(axis=0)
    found = {HARDEST: hardest(counted, limit=limit)}
    if len(pair) == 2:
        found[APART] = most_different(searched.values, *(row_of[name] for name in pair), limit=limit)
    documents = _Documents(searched)
    about: dict[str, Any] = {
        "question_set": searched.questions.name,
        "measure": searched.measure,
        "n_retrievers": len(serious),
    }
    return [
        HardQuestion(
            **about,
            view=view,
            place=place,
            mean=float(means[column]),
            **documents.of_question(searched.asked[column]),
            **documents.found_by("a", pair[0], column, row_of),
            **documents.found_by("b", pair[1] if len(pair) == 2 else "", column, row_of),
        )
        for view, columns in found.items()
        for place, column in enumerate(columns.tolist(), 1)
    ]


class _Documents:
    """What a row says of documents."""

    def __init__(self, searched: Searched) -> None:
        self._searched = searched
        self._judged = searched.questions.by_question()
        questions = searched.questions
        self._row = {name: row for row, name in enumerate(questions.ids)}
        self._text = dict(zip(searched.corpus.ids, searched.corpus.whole_texts(), strict=True))

    def of_question(self, name: str) -> dict[str, Any]:
        """The question and its best document."""
        questions, row = self._searched.questions, self._row[name]
        document = self._best(name)
        grades = self._judged[name]
        return {
            "question": name,
            "group": questions.groups[row],
            "text": questions.texts[row],
            "n_relevant": sum(grade >= questions.relevant_grade for grade in grades.values()),
            "n_documents": len(self._searched.corpus),
            "document": document,
            "document_text": self._start(document),
            "grade": grades[document],
        }

    def found_by(self, side: str, retriever: str, column: int, row_of: Mapping[str, int]) -> dict[str, Any]:
        """What one retriever made of a question."""
        name = self._searched.asked[column]
        run = self._searched.runs.get(retriever)
        ranked = run.documents(name) if run and name in run.ranked else []
        first = ranked[0] if ranked else ""
        best = self._best(name)
        return {
            side: retriever,
            f"value_{side}": float(self._searched.values[row_of[retriever], column])
            if retriever
            else math.nan,
            f"rank_{side}": ranked.index(best) + 1 if best in ranked else 0,
            f"first_{side}": first,
            f"first_text_{side}": self._start(first) if first else "",
            f"first_grade_{side}": float(self._judged[name].get(first, math.nan)),
        }

    def _best(self, name: str) -> str:
        """The first of the documents with the highest grade."""
        grades = self._judged[name]
        return max(grades, key=lambda document: grades[document])

    def _start(self, document: str) -> str:
        text = " ".join(self._text[document].split())
        return text if len(text) <= LETTERS else text[:LETTERS].rstrip() + " …"
