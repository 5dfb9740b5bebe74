"""Recall by the number of documents that are read: a panel per question set, a curve per retriever."""

import math
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, NullLocator

from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RecallRow
from sentflow.report.figure import canvas, layout, legend, lettering
from sentflow.report.figure.grid import draw_grid
from sentflow.report.figure.panels import Panels
from sentflow.report.figure.recipe import Caption, Recipe, nothing, sentences
from sentflow.report.numbers import count, counted, percent
from sentflow.report.rows import data_note, unique

_COLUMNS = 3
_PANEL_INCHES, _LEAST_PANEL, _MOST_PANEL = 1.6, 1.5, 4.0
_MOST_BANDS = 8  # retrievers; intervals of more would hide the curves
_STEP = 1.025  # factor between the intervals of two retrievers, so that none covers another


def draw(rows: Sequence[RecallRow]) -> Figure:
    """Documents on a logarithmic axis; the panels share their axes."""
    texts = texts_of(rows)
    if not rows:
        return layout.nothing(texts, rows)
    sets = unique(row.questions for row in rows)
    headings = lettering.starts({name: name for name in sets}, lettering.into(_LEAST_PANEL, 7, bold=True))
    looks = canvas.looks(rows)

    def draw_set(axes: Axes, name: str, _is_lowest: bool) -> None:
        _draw_panel(axes, [row for row in rows if row.questions == name], looks)

    grid = draw_grid(headings, draw_set, columns=_COLUMNS, labels=("documents read per question", "recall"))
    grid.first.set_ylim(0, 1.02)
    grid.first.set_yticks([0, 0.25, 0.5, 0.75, 1])
    _set_ticks(grid.first, max(row.cutoff for row in rows))
    size = Panels([_PANEL_INCHES] * grid.n_lines, _LEAST_PANEL, _MOST_PANEL)
    layout.finish(grid.figure, texts, rows, size, legend.handles(rows, looks))
    return grid.figure


def texts_of(rows: Sequence[RecallRow]) -> Caption:
    """Texts of the curves of recall."""
    title = "Recall by documents read"
    if not rows:
        return nothing(title, words.NOTHING_SEARCHED)
    models, sets = unique(row.model for row in rows), unique(row.questions for row in rows)
    bars = (
        f"Bars: {percent(rows[0].level)} intervals ({words.BY_QUESTIONS}), for {words.POPULATION}."
        if len(models) <= _MOST_BANDS
        else "Intervals are in the data of the figure."
    )
    return Caption(
        title=title,
        reading=sentences(
            "Share of the relevant documents of a question that are among the first ones, mean over the questions "
            "with a relevant document. A curve that stays level found no more.",
            bars,
            data_note(rows),
        ),
        alternative=f"Curves of recall by documents read for {counted(len(models), 'retriever')} on "
        f"{', '.join(sets)}. The table of measures has recall at some cutoffs.",
    )


def _draw_panel(axes: Axes, rows: Sequence[RecallRow], looks: Mapping[str, canvas.Look]) -> None:
    models = unique(row.model for row in rows)
    for place, model in enumerate(models):
        members = sorted((row for row in rows if row.model == model), key=lambda row: row.cutoff)
        look = looks[model]
        axes.plot([row.cutoff for row in members], [row.recall for row in members], color=look.color)
        for row in members:
            if math.isnan(row.low):
                continue
            at = row.cutoff * _STEP ** (place - (len(models) - 1) / 2)
            axes.plot(at, row.recall, color=look.color, marker=look.marker, markersize=3)
            if len(models) <= _MOST_BANDS:
                axes.plot((at, at), (row.low, row.high), color=look.color, linewidth=0.7)
    axes.set_xscale("log")
    axes.grid(True)


def _set_ticks(axes: Axes, depth: int) -> None:
    """Powers of ten, as far as they can be read side by side."""
    ticks = [10**power for power in range(int(math.log10(depth)) + 1)]
    inches = _LEAST_PANEL / max(1.0, math.log10(depth))
    step = math.ceil(lettering.width(f" {count(ticks[-1])} ", 6.5) / inches)
    axes.set_xticks(ticks[::step], [count(tick) for tick in ticks[::step]])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())


FIGURE = Recipe(RecallRow, draw, texts_of, may_be_empty=True)
