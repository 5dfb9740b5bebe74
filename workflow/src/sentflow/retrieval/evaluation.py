"""A run against the judgements of its questions: values per question, and what is to be known about their means."""

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sentflow.retrieval.measures import Grades, Ranking, chance, per_question
from sentflow.retrieval.ranking import Run
from sentflow.retrieval.ties import (
    CORPUS,
    MEAN,
    TREC_EVAL,
    Orders,
    as_trec_eval,
    best_and_worst,
    mean_over_orders,
)
from sentflow.texts.corpora import Corpus, Questions

JUDGED_AT = 10


@dataclass(frozen=True)
class Evaluation:
    """What a run reached on the questions that have a relevant document."""

    questions: list[str]  # n identifiers
    groups: list[str]  # n names of groups, empty where there are none
    # leaked: (n,) bool: which questions are known from training; None where no training set is named
    leaked: np.ndarray | None
    n_relevant: np.ndarray  # (n,) int64 relevant documents of each question
    ranks: list[np.ndarray]  # n arrays: the ranks, from 1, at which the run has them, ascending
    # values: measure → (n,) float64. A question for which the run has no document counts as 0.
    values: dict[str, np.ndarray]
    # best_order, worst_order: the same if documents with equal scores were in the order that is best, or worst, for
    # the question; equal to `values` where no scores are equal
    best_order: dict[str, np.ndarray]
    worst_order: dict[str, np.ndarray]
    # condensed: the same without the documents that nobody judged; empty where only relevant documents were judged, so
    # that a document without a judgement says nothing
    condensed: dict[str, np.ndarray]
    # with_duplicates: the same if a document whose text equals that of a judged one has its grade; empty without such
    # documents
    with_duplicates: dict[str, np.ndarray]
    # chance: measure → what a random order of the documents reaches on average; NaN for measures without a closed form
    chance: dict[str, float]
    judged_share: float  # share of judged documents among the first 10 of a question, mean over the questions
    n_left_out: int  # questions without a relevant document, which count in no mean
    n_unanswered: int  # of the n questions those for which the run has no document
    n_tied_at_cut: int  # questions for which documents with the score of the last one were cut off


def evaluate(
    run: Run,
    questions: Questions,
    corpus: Corpus,
    measures: Sequence[str],
    *,
    depth: int | None = None,
    leaked: Collection[str] | None = None,
    ties: str = CORPUS,
) -> Evaluation:
    """Measure a run.

    `run`: over the documents of `corpus`. `depth`: documents that were ranked per question at most; None for no limit.
    `leaked`: the questions that are known from training; None where no training set is named. `ties`: documents with
    equal scores are taken in the order of the run (``corpus``) or of ``trec_eval``, or values are means over all
    orders (``mean``), which are best and worst, too.
    """
    run = as_trec_eval(run) if ties == TREC_EVAL else run
    judged = questions.by_question()
    least = questions.relevant_grade
    grades = {
        name: found for name, found in judged.items() if max(found.values(), default=least - 1) >= least
    }
    ranking = {name: run.documents(name) for name in grades if name in run.ranked}

    scores = {
        name: dict(zip(documents, run.ranked[name].scores.tolist(), strict=True))
        for name, documents in ranking.items()
        if ties == MEAN
    }

    def measured(order: Ranking, truth: Grades) -> dict[str, np.ndarray]:
        if ties == MEAN:
            return mean_over_orders(order, scores, truth, measures, relevant_grade=least)
        return per_question(order, truth, measures, relevant_grade=least)

    values = measured(ranking, grades)
    rows = {name: row for row, name in enumerate(grades)}

    def changed(order: Ranking, truth: Grades) -> dict[str, np.ndarray]:
        """`values` with those of the questions of `truth` measured anew."""
        if not truth:
            return values
        found = {measure: own.copy() for measure, own in values.items()}
        places = [rows[name] for name in truth]
        for measure, own in measured(order, truth).items():
            found[measure][places] = own
        return found

    def of_order(order: Ranking) -> dict[str, np.ndarray]:
        return changed(order, {name: grades[name] for name in order})

    best, worst = ({}, {}) if ties == MEAN else best_and_worst(run, ranking, grades)
    condensed = _condensed(ranking, grades)
    equals = corpus.copies()
    widened = {name: _widened(found, equals) for name, found in grades.items()}
    widened = {name: found for name, found in widened.items() if len(found) > len(grades[name])}
    negatives = any(grade < least for found in grades.values() for grade in found.values())
    group_of = dict(zip(questions.ids, questions.groups, strict=True))
    relevant = {
        name: {document for document, grade in found.items() if grade >= least}
        for name, found in grades.items()
    }
    first = [ranking.get(name, [])[:JUDGED_AT] for name in grades]
    shares = [
        sum(document in found for document in some) / len(some) if some else 0.0
        for some, found in zip(first, grades.values(), strict=True)
    ]
    return Evaluation(
        questions=[*grades],
        groups=[group_of[name] for name in grades],
        leaked=None if leaked is None else np.array([name in leaked for name in grades], dtype=bool),
        n_relevant=np.array([len(wanted) for wanted in relevant.values()], dtype=np.int64),
        ranks=[_ranks(ranking.get(name, ()), wanted) for name, wanted in relevant.items()],
        values=values,
        best_order=of_order(best),
        worst_order=of_order(worst),
        condensed=of_order(condensed) if negatives else {},
        with_duplicates=changed(ranking, widened) if widened else {},
        chance=chance(
            grades,
            measures,
            relevant_grade=least,
            n_documents=len(corpus),
            depth=len(corpus) if depth is None else depth,
        )
        if grades
        else {},
        judged_share=float(np.mean(shares)) if shares else 0.0,
        n_left_out=len(questions) - len(grades),
        n_unanswered=sum(not ranking.get(name) for name in grades),
        n_tied_at_cut=sum(run.ranked[name].tied_at_cut > 0 for name in ranking),
    )


def _ranks(documents: Sequence[str], wanted: Container[str]) -> np.ndarray:
    return np.array([rank for rank, name in enumerate(documents, 1) if name in wanted], dtype=np.int64)


def _condensed(ranking: Ranking, grades: Grades) -> Orders:
    """Only judged documents, for the questions that have others, too."""
    kept = {
        name: [document for document in documents if document in grades[name]]
        for name, documents in ranking.items()
    }
    return {name: documents for name, documents in kept.items() if len(documents) < len(ranking[name])}


def _widened(grades: Mapping[str, int], equals: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Grades with those of equal texts; a document that is judged itself keeps its own."""
    found = dict(grades)
    for document, grade in grades.items():
        for other in equals.get(document, ()):
            if other not in grades:
                found[other] = max(grade, found.get(other, grade))
    return found
