"""Recall by the number of documents that are read: a panel per question set, a curve per retriever."""

import math
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RecallRow
from sentflow.report.figure import canvas
from sentflow.report.figure.panels import handles, nothing_drawn, panels
from sentflow.report.figure.recipe import Caption, Recipe, nothing, sentences
from sentflow.report.numbers import count, counted, percent
from sentflow.report.rows import data_note, unique

_WIDTH = (1.5, 4.0)  # inches of a panel
_MOST_BANDS = 8  # retrievers; intervals of more would hide the curves
_STEP = 1.025  # factor between the intervals of two retrievers, so that none covers another


def draw(rows: Sequence[RecallRow]) -> Figure:
    """Documents on a logarithmic axis; the panels share their axes."""
    if not rows:
        return nothing_drawn(words.NOTHING_SEARCHED, rows)
    sets, looks = unique(row.questions for row in rows), canvas.looks(rows)
    powers = range(int(math.log10(max(row.cutoff for row in rows))), -1, -1)

    def draw_set(name: str, axes: Axes) -> None:
        _draw_panel(axes, [row for row in rows if row.questions == name], looks)
        axes.set_ylim(0, 1.02)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
        canvas.spaced_ticks(axes.xaxis, [10**power for power in powers], count, inches=_WIDTH[0])

    return panels(
        {name: name for name in sets}, draw_set, rows=rows, heights=[1.6], width=_WIDTH,
        labels=("documents read per question", "recall"), legend=handles(rows, looks),
    )  # fmt: skip


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


FIGURE = Recipe(RecallRow, draw, texts_of, may_be_empty=True)
