"""What retrievers reach against the time per question, the size of what they search, and the multiplications."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sentflow.report.costs.pareto import Point, draw_points, write_ticks
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalCostRow
from sentflow.report.figure import canvas
from sentflow.report.figure.panels import handles, nothing_drawn, panels
from sentflow.report.figure.recipe import Caption, Recipe, nothing, sentences
from sentflow.report.numbers import counted, file_size, percent, seconds_each
from sentflow.report.rows import data_note, unique

_PANEL_INCHES, _MOST_PANEL = 1.25, 4.0
_PANELS_INCHES = 5.7  # of all panels of a line side by side, at least
_MOST_SETS = 8

_FLOPS = "FLOPS per question and document"
_Cost: TypeAlias = tuple[Callable[[RetrievalCostRow], float], Callable[[float], str]]
_COSTS: Mapping[str, _Cost] = {
    "time per question": (lambda row: row.seconds_each, seconds_each),
    "size per document": (lambda row: row.bytes_per_document, file_size),
    _FLOPS: (lambda row: row.flops, "{:,g}".format),
}


def draw(rows: Sequence[RetrievalCostRow]) -> Figure:
    """A line of panels per question set, a column per kind of cost; controls, which search nothing, are left out."""
    shown = _of_texts(rows)
    if not shown:
        return nothing_drawn(words.NOTHING_SEARCHED, rows)
    sets, costs, looks = (
        unique(row.questions for row in shown)[:_MOST_SETS],
        _costs_of(shown),
        canvas.looks(shown),
    )
    least = _PANELS_INCHES / len(costs)
    limits = {heading: [cost(row) for row in shown if cost(row) > 0] for heading, (cost, _) in costs.items()}

    def draw_panel(key: tuple[str, str], axes: Axes) -> None:
        (name, heading), first = key, next(iter(costs))
        cost, written = costs[heading]
        draw_points(axes, _points([row for row in shown if row.questions == name], cost), looks)
        write_ticks(axes, written, limits[heading], inches=least)
        if heading == first:
            axes.set_ylabel(shown[0].measure)
        canvas.few_ticks(axes.yaxis)
        if name == sets[-1]:
            axes.set_xlabel(heading)

    headings = {(name, cost): "" if place else name for name in sets for place, cost in enumerate(costs)}
    return panels(
        headings, draw_panel, rows=shown, columns=len(costs), heights=[_PANEL_INCHES], width=(least, _MOST_PANEL),
        share=("col", "row"), legend=handles(shown, looks, linestyle="none"),
    )  # fmt: skip


def texts_of(rows: Sequence[RetrievalCostRow]) -> Caption:
    """Texts of the figure of costs."""
    shown = _of_texts(rows)
    if not shown:
        return nothing("Effectiveness and cost", words.NOTHING_SEARCHED)
    first = shown[0]
    sets, models = unique(row.questions for row in shown), unique(row.model for row in shown)
    unknown = unique(row.model_title for row in shown if math.isnan(row.seconds_each))
    has_flops = _FLOPS in _costs_of(shown)
    return Caption(
        title=f"{first.measure} against {'time, size and FLOPS' if has_flops else 'time and size'}",
        reading=sentences(
            f"Mean with its {percent(first.level)} interval for {words.POPULATION}. Time: ranking the documents for a "
            "question, with an index that is in memory, and cutting or embedding the question, start and loading of "
            "the encoder spread over all questions; of a fusion that of all that it is made of. One measurement, on a "
            "machine that may have done other work. Size: arrays of postings, weights or vectors that are searched. "
            "Dashed: retrievers that no other beats in both, which is not a test.",
            "FLOPS: multiplications for a question and a document of the set on average, one for each term that both "
            "have or for each dimension of a vector; not counted of retrievers that are made of others."
            if has_flops
            else "",
            f"Not known, and not drawn: {', '.join(unknown)}." if unknown else "",
            f"Not drawn: {counted(len(sets) - _MOST_SETS, 'question set')}; they are in the data of the figure."
            if len(sets) > _MOST_SETS
            else "",
            data_note(shown),
        ),
        alternative=f"Points of {counted(len(models), 'retriever')} on {', '.join(sets)}: {first.measure} against time "
        f"per question, size per document{' and FLOPS' if has_flops else ''}.",
    )


def _costs_of(rows: Sequence[RetrievalCostRow]) -> dict[str, _Cost]:
    """Time and size; what is counted of multiplications only where that compares two retrievers of a set."""
    counted_of = Counter(row.questions for row in rows if row.flops > 0)
    compares = max(counted_of.values(), default=0) > 1
    return {heading: found for heading, found in _COSTS.items() if heading != _FLOPS or compares}


def _of_texts(rows: Sequence[RetrievalCostRow]) -> list[RetrievalCostRow]:
    return [row for row in rows if not row.is_control]


def _points(rows: Sequence[RetrievalCostRow], cost: Callable[[RetrievalCostRow], float]) -> list[Point]:
    return [Point(row.model, cost(row), row.value, row.low, row.high) for row in rows if cost(row) > 0]


FIGURE = Recipe(RetrievalCostRow, draw, texts_of, may_be_empty=True)
