"""What retrievers reach more or less than the reference, question by question, the best first."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import QuestionGapRow
from sentflow.report.figure import canvas, layout, lettering
from sentflow.report.figure.panels import Panels
from sentflow.report.figure.recipe import Caption, Recipe, nothing, sentences
from sentflow.report.numbers import count, counted, interval, percent, signed
from sentflow.report.rows import data_note, unique

_PANEL_INCHES, _LEAST_PANEL, _MOST_PANEL = 0.95, 1.5, 2.6
_NAME_SIZE, _SIZE = 7, 6
_BESIDE = 0.7  # inches of labels beside the first panel
_MOST_MODELS, _MOST_SETS = 4, 8
_BETTER, _WORSE = "#0072B2", "#D55E00"


def draw(rows: Sequence[QuestionGapRow]) -> Figure:
    """A line of panels per question set, a column per retriever, on one axis of differences."""
    texts = texts_of(rows)
    if not rows:
        return layout.nothing(texts, rows)
    sets, models = unique(row.questions for row in rows)[:_MOST_SETS], shown_models(rows)
    titles = {row.model: row.model_title for row in rows if row.model in models}
    room = max(_LEAST_PANEL, min(_MOST_PANEL, layout.column_inches(len(models), _BESIDE)))
    names = lettering.distinct(titles, lettering.into(room, _NAME_SIZE, bold=True))
    labels = lettering.starts({name: name for name in sets}, lettering.into(_PANEL_INCHES, _NAME_SIZE))
    figure = Figure()
    panels = figure.subplots(len(sets), len(models), squeeze=False, sharey=True)
    for line, name in enumerate(sets):
        for column, model in enumerate(models):
            axes = panels[line, column]
            members = [row for row in rows if (row.questions, row.model) == (name, model)]
            if not members:
                axes.set_visible(False)
                continue
            _draw_panel(axes, members)
            if column == 0:
                axes.set_ylabel(labels[name], fontsize=_NAME_SIZE)
            if line == 0:
                axes.annotate(
                    names[model], (0, 1), xytext=(0, 20), xycoords="axes fraction", textcoords="offset points",
                    ha="left", va="bottom", fontweight="bold", color=canvas.INK, fontsize=_NAME_SIZE,
                )  # fmt: skip
            if line == len(sets) - 1:
                axes.set_xlabel("questions")
    canvas.few_ticks(panels[0, 0].yaxis)
    size = Panels([_PANEL_INCHES] * len(sets), _LEAST_PANEL, _MOST_PANEL)
    layout.finish(figure, texts, rows, size, _handles(rows[0].reference_title))
    return figure


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
        why = "Nothing to compare: fewer than two retrievers were measured on the same questions."
        return nothing("Differences question by question", why)
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
    star = "*" if first.p_holm <= first.alpha else ""
    counts = f"won {count(first.wins)}, tied {count(first.ties)}, lost {count(first.losses)}"
    axes.set_title(
        f"{signed(first.mean)}{star} {interval(first.low, first.high)}\n{counts}",
        loc="left", fontsize=_SIZE, color=canvas.INK, pad=2,
    )  # fmt: skip


def _handles(reference: str) -> list[Line2D]:
    fits = lettering.into(2.2, 7)
    look = {"linestyle": "none", "marker": "s", "markersize": 4}
    return [
        Line2D([], [], color=_BETTER, label="retriever higher", **look),  # type: ignore[arg-type]
        Line2D([], [], color=_WORSE, label=f"{lettering.cut(reference, fits)} higher", **look),  # type: ignore[arg-type]
        Line2D([], [], color=canvas.INK, linewidth=0.8, label="mean"),
    ]


FIGURE = Recipe(QuestionGapRow, draw, texts_of, may_be_empty=True)
