"""Figures of evaluated runs: recall, and differences question by question."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sentflow.api.plots import drawn
from sentflow.compare.question_rows import QuestionDifference
from sentflow.report.families.retrieval.question_summary import gap_rows, recall_rows
from sentflow.retrieval.evaluation import QuestionValues

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sentflow.api.run_evaluation import RunEvaluation

_DATA = "questions and judgements as given"


def recall_curves(evaluations: Sequence["RunEvaluation"]) -> "Figure":
    """The figure `recall-curve` of the report, as deep as the deepest run; all of the same questions."""
    return drawn("recall-curve", list(recall_rows(_values(evaluations), _settings(evaluations))))


def question_differences(
    evaluations: Sequence["RunEvaluation"],
    tested: Sequence[QuestionDifference],
    *,
    measure: str,
    reference: str,
) -> "Figure":
    """The figure `question-differences` of the report: every run less the one of the name `reference`."""
    settings = {**_settings(evaluations), "main": measure, "reference": reference}
    return drawn("question-differences", list(gap_rows(_values(evaluations), tested, settings)))


def _values(evaluations: Sequence["RunEvaluation"]) -> list[QuestionValues]:
    return [
        QuestionValues(
            one.question_set,
            one.name,
            one.found.questions,
            one.found.groups,
            one.found.n_relevant,
            one.found.ranks,
            one.found.values,
        )
        for one in evaluations
    ]


def _settings(evaluations: Sequence["RunEvaluation"]) -> Mapping[str, Any]:
    first, names = evaluations[0], [one.name for one in evaluations]
    asked = {"title": first.question_set, "data_version": _DATA, "relevant_grade": first.relevant_grade}
    return {
        "order": ([first.question_set], names),
        "depth": max(one.depth for one in evaluations),
        "level": first.bootstrap.level,
        "n_resamples": first.bootstrap.n_resamples,
        "seed": first.seed,
        "question_sets": {first.question_set: asked},
        "retrievers": {
            name: {"title": name, "control": False, "position": place} for place, name in enumerate(names)
        },
    }
