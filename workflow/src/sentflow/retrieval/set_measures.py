"""Measures of sets of documents: what was decided for each question, against its relevant documents."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from sentflow.retrieval.measures import Grades, Ranking, per_question

F2, SET_P, SET_R, F2_PUBLISHED = "F2", "SetP", "SetR", "F2-published"
SET_MEASURES = (F2, SET_P, SET_R, F2_PUBLISHED)
# The parameter of trec_eval, and so of ir-measures, is the square of beta
_NAMES = {F2: "SetF(beta=4.0)", SET_P: "SetP", SET_R: "SetR"}


def set_values(decided: Ranking, grades: Grades, *, relevant_grade: int = 1) -> dict[str, np.ndarray]:
    """Set measures of each question.

    Parameters
    ----------
    decided
        Question → its documents; a document that repeats counts once, and questions may be missing.
    grades
        Of the n questions that count, in the order of the values.
    relevant_grade
        The least grade that is relevant.

    Returns
    -------
    dict
        Each of `SET_MEASURES` → (n,) float64 in [0, 1]; 0 for a question without a document.

    Notes
    -----
    With precision P and recall R of the set, F2 = 5 P R / (4 P + R). ``F2-published`` is the count of the published
    pipeline of the Zalo challenge 2021: each document decided for is compared with every relevant one and counts as
    wrong for each that it is not, so that a question with several relevant documents never reaches 1.
    """
    kept = {name: list(dict.fromkeys(decided.get(name, ()))) for name in grades}
    values = per_question(kept, grades, [*_NAMES.values()], relevant_grade=relevant_grade)
    found = {name: values[written] for name, written in _NAMES.items()}
    relevant = relevant_of(grades, relevant_grade)
    found[F2_PUBLISHED] = np.array([_published(kept[name], relevant[name]) for name in grades])
    return found


def relevant_of(grades: Grades, relevant_grade: int) -> dict[str, list[str]]:
    """Question → its relevant documents."""
    return {
        name: [document for document, grade in own.items() if grade >= relevant_grade]
        for name, own in grades.items()
    }


def f2(precision: float, recall: float) -> float:
    """5 P R / (4 P + R); 0 where both are 0."""
    weight = 4 * precision + recall
    return 5 * precision * recall / weight if weight else 0.0


def of_means(values: Mapping[str, np.ndarray]) -> float:
    """F2 of the mean precision and the mean recall, which some papers give instead of the mean F2."""
    return f2(float(values[SET_P].mean()), float(values[SET_R].mean()))


def _published(decided: Sequence[str], relevant: Iterable[str]) -> float:
    relevant = set(relevant)
    n_right = sum(document in relevant for document in decided)
    n_compared = len(decided) * len(relevant)
    # every comparison that is no match is a false positive
    return f2(n_right / n_compared, n_right / len(relevant)) if n_compared else 0.0
