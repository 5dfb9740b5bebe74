"""Measures of a run against judgements, question by question, by ir-measures; means over judged questions only."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sentflow.errors import ConfigError
from sentflow.retrieval.corpus import Questions
from sentflow.retrieval.ranking import Run

DEFAULT = ("nDCG@10", "R@10", "R@100", "RR@10", "AP@100", "P@10")


def per_question(run: Run, questions: Questions, measures: Sequence[str] = DEFAULT) -> dict[str, np.ndarray]:
    """The value of each measure for each question that has a relevant document.

    Parameters
    ----------
    run
        Its order of documents counts, not its scores, so that the rule for ties is ours.
    questions
        With their judgements; documents that were not judged are not relevant.
    measures
        Names as ir-measures writes them. Grades below `Questions.relevant_grade` are not relevant, except for the gains
        of nDCG, which are the grades themselves.

    Returns
    -------
    dict
        Measure → (n,) float64, one value for each of `judged_questions`; 0 where the run has no document.

    Raises
    ------
    ConfigError
        ir-measures does not know a measure.
    """
    import ir_measures

    names = judged_questions(questions)
    parsed = {name: _measure(name, questions.relevant_grade) for name in measures}
    judged = questions.by_question()
    qrels = {name: judged[name] for name in names}
    found = {
        name: {
            document: -float(rank) for rank, document in enumerate(run.documents(name) if name in run.ranked else ())
        }
        for name in names
    }
    values = {name: np.zeros(len(names)) for name in measures}
    row_of = {name: row for row, name in enumerate(names)}
    key_of = {str(measure): name for name, measure in parsed.items()}
    for value in ir_measures.iter_calc(list(parsed.values()), qrels, found):
        values[key_of[str(value.measure)]][row_of[value.query_id]] = value.value
    return values


def judged_questions(questions: Questions) -> list[str]:
    """The questions that have a relevant document, in their order: those that count in a mean."""
    relevant = questions.judged[questions.grades >= questions.relevant_grade]
    return [questions.ids[row] for row in np.unique(relevant)]


def _measure(name: str, relevant_grade: int) -> Any:
    import ir_measures

    try:
        measure = ir_measures.parse_measure(name)
    except (NameError, ValueError, SyntaxError, TypeError) as error:
        raise ConfigError(f"{name!r} is no measure: {error}. Write for example {', '.join(DEFAULT)}.") from error
    supports = getattr(type(measure), "SUPPORTED_PARAMS", {})
    stated: Mapping[str, Any] = measure.params
    if "rel" in supports and "rel" not in stated and relevant_grade != 1:
        return measure(rel=relevant_grade)
    return measure
