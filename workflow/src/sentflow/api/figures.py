"""Figures of the report drawn from results in memory, which a notebook shows."""

from collections.abc import Sequence
from functools import partial
from io import BytesIO
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from sentflow.compare.rows import QuestionDifference
from sentflow.report.families.retrieval.summary import gap_rows, recall_rows
from sentflow.report.settings import RetrievalSummary
from sentflow.retrieval.evaluation import QuestionValues

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sentflow.api.run_evaluation import RunEvaluation


def drawn(figure: str, rows: Sequence[Any]) -> "Figure":
    """A figure of the report by its name, from rows of its own kind; see `sentflow.report.figure.recipe.Recipe`."""
    from sentflow.flow import products
    from sentflow.flow.products import FIGURE
    from sentflow.report.figure import canvas

    with canvas.style():
        return shown(products.find(FIGURE, figure).load().draw(rows))


def shown(figure: "Figure") -> "Figure":
    """A figure that a notebook shows as the last value of a cell, whatever its back end is."""

    def png(figure: "Figure") -> bytes:
        stream = BytesIO()
        figure.savefig(stream, format="png", dpi=100, bbox_inches="tight")
        return stream.getvalue()

    # figures that were not made by pyplot have no picture in a notebook of their own
    figure._repr_png_ = partial(png, figure)  # type: ignore[attr-defined]
    return figure


def recall_curves(evaluations: Sequence["RunEvaluation"]) -> "Figure":
    """The figure `recall-curve`, as deep as the deepest run; all of the same questions."""
    return drawn("recall-curve", list(recall_rows(_values(evaluations), _settings(evaluations))))


def question_differences(
    evaluations: Sequence["RunEvaluation"], tested: Sequence[QuestionDifference], *, reference: str
) -> "Figure":
    """The figure `question-differences`: every run less the one of the name `reference`."""
    settings = _settings(evaluations, tested[0].measure, reference)
    return drawn("question-differences", list(gap_rows(_values(evaluations), tested, settings)))


def _values(evaluations: Sequence["RunEvaluation"]) -> list[QuestionValues]:
    found = attrgetter("questions", "groups", "n_relevant", "ranks", "values")
    return [QuestionValues(one.question_set, one.name, *found(one.found)) for one in evaluations]


def _settings(
    evaluations: Sequence["RunEvaluation"], main: str = "", reference: str = ""
) -> RetrievalSummary:
    first, names = evaluations[0], [one.name for one in evaluations]
    about = {"title": first.question_set, "language": "und", "relevant_grade": first.relevant_grade}
    about |= {"data_version": "questions and judgements as given"}
    titles = {name: {"title": name, "control": False, "position": place} for place, name in enumerate(names)}
    drawn_from = {
        "level": first.bootstrap.level,
        "n_resamples": first.bootstrap.n_resamples,
        "seed": first.seed,
    }
    asked = {
        "measures": (),
        "main": main,
        "reference": reference,
        "depth": max(one.depth for one in evaluations),
    }
    sets = {
        "question_sets": {first.question_set: about},
        "corpora": {},
        "retrievers": titles,
        "shown": tuple(names),
    }
    return RetrievalSummary.model_validate(sets | asked | drawn_from)
