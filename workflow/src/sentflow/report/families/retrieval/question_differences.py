"""What retrievers reach more or less than the reference, question by question, the best first."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import QuestionGapRow
from sentflow.report.figure import canvas, lettering
from sentflow.report.figure.panels import nothing_drawn, panels
from sentflow.report.figure.recipe import Caption, Recipe, nothing, sentences
from sentflow.report.numbers import count, counted, interval, percent, signed
from sentflow.report.rows import data_note, unique

_PANEL_INCHES, _SIZE = 0.95, 6
_NOTHING = "Nothing to compare: fewer than two retrievers were measured on the same questions."
_MOST_MODELS, _MOST_SETS = 4, 8
_BETTER, _WORSE = "#0072B2", "#D55E00"


def draw(rows: Sequence[QuestionGapRow]) -> Figure:
    """A line of panels per question set, a column per retriever, on one axis of differences."""
    if not rows:
        return nothing_drawn(_NOTHING, rows)
    sets, models = unique(row.questions for row in rows)[:_MOST_SETS], shown_models(rows)
    titles = {row.model: row.model_title for row in rows if row.model in models}
    labels = lettering.distinct({name: name for name in sets}, lettering.into(_PANEL_INCHES, 7))
    headings = {(name, model): titles[model] if name == sets[0] else "" for name in sets for model in models}
    of = {key: [row for row in rows if (row.questions, row.model) == key] for key in headings}

    def draw_panel(key: tuple[str, str], axes: Axes) -> None:
        if not of[key]:
            axes.set_visible(False)
            return
        _draw_panel(axes, of[key])
        canvas.few_ticks(axes.yaxis)
        if key[1] == models[0]:
            axes.set_ylabel(labels[key[0]])

    return panels(
        headings, draw_panel, rows=rows, columns=len(models), heights=[_PANEL_INCHES], width=(1.5, 2.6),
        share=(False, True), labels=("questions", ""), legend=_handles(rows[0].reference_title),
        subtitles={key: _said(own) for key, own in of.items() if own},
    )  # fmt: skip


def shown_models(rows: Sequence[QuestionGapRow]) -> list[str]:
    """All retrievers, or, where they are too many, those with the highest mean difference over the question sets."""
    means = {(row.model, row.questions): row.mean for row in rows}
    models = unique(row.model for row in rows)

    def over_sets(model: str) -> float:
        return float(np.mean([mean for (name, _), mean in means.items() if name == model]))

    chosen = sorted(models, key=lambda model: -over_sets(model))[:_MOST_MODELS]
    return [model for model in models if model in chosen]


def texts_of(rows: Sequence[QuestionGapRow]) -> Caption:
    """Texts of the differences question by question."""
    if not rows:
        return nothing("Differences question by question", _NOTHING)
    first = rows[0]
    models, sets = unique(row.model for row in rows), unique(row.questions for row in rows)
    left_out = [
        *([counted(len(models) - _MOST_MODELS, "retriever")] if len(models) > _MOST_MODELS else []),
        *([counted(len(sets) - _MOST_SETS, "question set")] if len(sets) > _MOST_SETS else []),
    ]
    return Caption(
        title=f"{first.measure} less that of {first.reference_title}, question by question",
        reading=sentences(
            "A bar per question, the highest difference first. Above: the mean difference with its "
            f"{percent(first.level)} t interval (the grey band; none where differences are few), for "
            f"{words.POPULATION}; * significant at {percent(first.alpha)} (paired t-test, Holm over all "
            "pairs of the question set); and how many questions the retriever won, tied and lost.",
            f"Not drawn: {' and '.join(left_out)}; they are in the data of the figure." if left_out else "",
            data_note(rows),
        ),
        alternative=f"Sorted differences of {first.measure} from {first.reference_title} of "
        f"{counted(len(models), 'retriever')} on {', '.join(sets)}. The table of differences has means and tests.",
    )


def _draw_panel(axes: Axes, rows: Sequence[QuestionGapRow]) -> None:
    first = rows[0]
    gaps = np.sort([row.difference for row in rows])[::-1]
    edges = np.arange(len(gaps) + 1)
    for color, part in ((_BETTER, np.maximum(gaps, 0)), (_WORSE, np.minimum(gaps, 0))):
        axes.stairs(part, edges, fill=True, color=color, linewidth=0)
    if not math.isnan(first.low):
        axes.axhspan(first.low, first.high, color=canvas.QUIET, alpha=0.35, linewidth=0)
    axes.axhline(first.mean, color=canvas.INK, linewidth=0.8)
    axes.axhline(0, color=canvas.QUIET, linewidth=0.5)
    axes.set_xlim(0, len(gaps))
    middle = len(gaps) // 2
    axes.set_xticks([0, middle, len(gaps)] if middle else [0, len(gaps)])
    axes.tick_params(labelsize=_SIZE)


def _said(rows: Sequence[QuestionGapRow]) -> str:
    """The mean difference, and on how many questions the retriever won, tied and lost."""
    first = rows[0]
    star = "*" if first.p_holm <= first.alpha else ""
    counts = f"won {count(first.wins)}, tied {count(first.ties)}, lost {count(first.losses)}"
    return f"{signed(first.mean)}{star} {interval(first.low, first.high)}\n{counts}"


def _handles(reference: str) -> list[Line2D]:
    look = {"linestyle": "none", "marker": "s", "markersize": 4}
    return [
        Line2D([], [], color=_BETTER, label="retriever higher", **look),  # type: ignore[arg-type]
        Line2D([], [], color=_WORSE, label=f"{reference} higher", **look),  # type: ignore[arg-type]
        Line2D([], [], color=canvas.INK, linewidth=0.8, label="mean"),
    ]


FIGURE = Recipe(QuestionGapRow, draw, texts_of, may_be_empty=True)
