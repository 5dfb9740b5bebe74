"""Questions that are worth reading: those that most retrievers fail on, or on which two of them differ most."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sentflow.retrieval.ranking import Run
from sentflow.texts.corpora import CorpusFile, Questions, whole_text

LETTERS = 300  # of a text that are kept: enough to recognise a document
HARDEST, APART = "hardest", "apart"
_DIGITS = 12  # to which values are rounded before they are sorted: sums in another order must not break ties


@dataclass(frozen=True)
class HardQuestion:
    """A question that most retrievers fail on, or on which two of them differ most."""

    FILE: ClassVar[str] = "hard-questions"

    question_set: str
    view: str  # why the question is here, ``hardest`` or ``apart``
    place: int  # in that list, from 1
    measure: str  # what questions were scored by
    question: str
    group: str  # empty for none
    text: str
    mean: float  # over the retrievers that are no controls
    n_retrievers: int  # of these
    n_relevant: int  # documents of the question
    n_documents: int  # of the corpus
    # document, …: the first relevant one of the highest grade, and the start of its text
    document: str
    document_text: str
    grade: int
    # a, value_a, rank_a: a retriever, its value on the question, and its rank of `document`, 0 for none
    a: str
    value_a: float
    rank_a: int
    # first_a, …: what it ranks first, the start of its text, its grade (NaN: not judged); empty for nothing
    first_a: str
    first_text_a: str
    first_grade_a: float
    # b, …: the same of the second; empty where one retriever was measured
    b: str
    value_b: float
    rank_b: int
    first_b: str
    first_text_b: str
    first_grade_b: float


def best_two(retrievers: Sequence[str], values: np.ndarray) -> list[str]:
    """The two with the highest means, the higher one first; one where there is no other."""
    return [retrievers[row] for row in _lowest(-values.mean(axis=1), 2).tolist()]


def hardest(scores: np.ndarray, *, limit: int) -> np.ndarray:
    """int64 numbers of the questions with the lowest mean in (m, n) scores, the lowest first, in order where equal."""
    return _lowest(scores.mean(axis=0), limit)


def most_different(scores: np.ndarray, a: int, b: int, *, limit: int) -> np.ndarray:
    """int64 numbers of the questions on which rows a and b of (m, n) scores differ most; none with equal scores."""
    differences = np.abs(scores[a] - scores[b])
    order = _lowest(-differences, limit)
    return np.asarray(order[np.round(differences[order], _DIGITS) > 0])


def _lowest(values: np.ndarray, limit: int) -> np.ndarray:
    order: np.ndarray = np.argsort(np.round(values, _DIGITS), kind="stable")
    return order[:limit]


def hard_questions(
    corpus: CorpusFile,
    questions: Questions,
    values: Mapping[str, np.ndarray],
    asked: Sequence[str],
    runs: Mapping[str, Run],
    *,
    measure: str,
    serious: Sequence[str],
    pair: Sequence[str],
    limit: int,
) -> list[HardQuestion]:
    """The hardest questions, then those on which two retrievers differ most; at most `limit` of each kind.

    `values`: retriever → (n,) float64 by `measure`, of the n questions that were `asked`. `runs`: of the two that are
    shown at least. `serious`: retrievers that are no controls. `pair`: the two, or one where there is no other.
    """
    counted = np.stack([values[name] for name in serious])
    means = counted.mean(axis=0)
    chosen = {HARDEST: hardest(counted, limit=limit)}
    if len(pair) == 2:
        chosen[APART] = most_different(np.stack([values[name] for name in pair]), 0, 1, limit=limit)
    judged, row_of = questions.by_question(), {name: row for row, name in enumerate(questions.ids)}
    shown = {document for grades in judged.values() for document in grades}
    shown |= {
        document for run in runs.values() for name in run.ranked for document in run.documents(name)[:1]
    }
    texts = {name: whole_text(title, text) for name, title, text in corpus.documents() if name in shown}

    def start(document: str) -> str:
        text = " ".join(texts[document].split())
        return text if len(text) <= LETTERS else text[:LETTERS].rstrip() + " …"

    def found_by(side: str, retriever: str, column: int, best: str) -> dict[str, Any]:
        """What one retriever made of a question."""
        run, name = runs.get(retriever), asked[column]
        ranked = run.documents(name) if run and name in run.ranked else []
        first = ranked[0] if ranked else ""
        return {
            side: retriever,
            f"value_{side}": float(values[retriever][column]) if retriever else math.nan,
            f"rank_{side}": ranked.index(best) + 1 if best in ranked else 0,
            f"first_{side}": first,
            f"first_text_{side}": start(first) if first else "",
            f"first_grade_{side}": float(judged[name].get(first, math.nan)),
        }

    rows = []
    for view, columns in chosen.items():
        for place, column in enumerate(columns.tolist(), 1):
            name = asked[column]
            grades, row = judged[name], row_of[name]
            best = max(grades, key=grades.__getitem__)  # the first of those with the highest grade
            rows.append(
                HardQuestion(
                    question_set=questions.name,
                    view=view,
                    place=place,
                    measure=measure,
                    question=name,
                    group=questions.groups[row],
                    text=questions.texts[row],
                    mean=float(means[column]),
                    n_retrievers=len(serious),
                    n_relevant=sum(grade >= questions.relevant_grade for grade in grades.values()),
                    n_documents=len(corpus),
                    document=best,
                    document_text=start(best),
                    grade=grades[best],
                    **found_by("a", pair[0], column, best),
                    **found_by("b", pair[1] if len(pair) == 2 else "", column, best),
                )
            )
    return rows
