"""The figures of retrieval: recall, costs, stages, weights of fusions, and differences question by question."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.report.costs.figures import Point, draw_points, write_ticks
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import (
    QuestionGapRow,
    RecallRow,
    RetrievalCostRow,
    StageRow,
    WeightRow,
)
from sentflow.report.figure import canvas, lettering
from sentflow.report.figure.panels import curve, handles, left_out, named, panels
from sentflow.report.figure.recipe import Recipe
from sentflow.report.numbers import count, file_size, interval, percent, seconds_each, signed
from sentflow.report.rows import grouped, unique

_NOTHING_SEARCHED = "Nothing to draw: no retriever of this selection searched a question set."
_MOST_SETS = 8  # of a figure

# --- recall ------------------------------------------------------------------------------------------------

_WIDTH = (1.5, 4.0)  # inches of a panel
_MOST_BANDS = 8  # retrievers; intervals of more would hide the curves
_APART = 1.025  # factor between the intervals of two retrievers, so that none covers another


def _draw_recall(rows: Sequence[RecallRow]) -> Figure:
    sets, looks = grouped(rows, "questions"), canvas.looks(rows)
    powers = range(int(math.log10(max(row.cutoff for row in rows))), -1, -1)

    def draw_set(name: str, axes: Axes) -> None:
        models = grouped(sets[name], "model")
        for place, (model, own) in enumerate(models.items()):
            look = looks[model]
            curve(axes, own, "cutoff", "recall", color=look.color)
            for row in sorted(own, key=lambda row: row.cutoff):
                if math.isnan(row.low):
                    continue
                at = row.cutoff * _APART ** (place - (len(models) - 1) / 2)
                axes.plot(at, row.recall, color=look.color, marker=look.marker, markersize=3)
                if len(models) <= _MOST_BANDS:
                    axes.plot((at, at), (row.low, row.high), color=look.color, linewidth=0.7)
        axes.set_xscale("log")
        axes.grid(True)
        axes.set_ylim(0, 1.02)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
        canvas.spaced_ticks(axes.xaxis, [10**power for power in powers], count, inches=_WIDTH[0])

    return panels(
        {name: name for name in sets}, draw_set, rows=rows, heights=[1.6], width=_WIDTH,
        labels=("documents read per question", "recall"), legend=handles(rows, looks),
    )  # fmt: skip


RECALL = Recipe(
    RecallRow,
    _draw_recall,
    "Recall by documents read",
    lambda rows: [
        "Share of the relevant documents of a question that are among the first ones, mean over the questions with a "
        "relevant document.",
        f"Bars: {percent(rows[0].level)} intervals ({words.BY_QUESTIONS}), for {words.POPULATION}."
        if len(unique(row.model for row in rows)) <= _MOST_BANDS
        else "Intervals are in the data of the figure.",
    ],
    nothing=_NOTHING_SEARCHED,
    what="retriever",
)


# --- costs -------------------------------------------------------------------------------------------------

_COST_INCHES, _MOST_COST = 1.25, 4.0
_PANELS_INCHES = 5.7  # of all panels of a line side by side, at least
_FLOPS = "FLOPS per question and document"
_Cost: TypeAlias = tuple[Callable[[RetrievalCostRow], float], Callable[[float], str]]
_COSTS: Mapping[str, _Cost] = {
    "time per question": (lambda row: row.seconds_each, seconds_each),
    "size per document": (lambda row: row.bytes_per_document, file_size),
    _FLOPS: (lambda row: row.flops, "{:,g}".format),
}


def _draw_costs(rows: Sequence[RetrievalCostRow]) -> Figure:
    sets, costs, looks = list(grouped(rows, "questions"))[:_MOST_SETS], _costs_of(rows), canvas.looks(rows)
    least = _PANELS_INCHES / len(costs)
    limits = {heading: [cost(row) for row in rows if cost(row) > 0] for heading, (cost, _) in costs.items()}

    def draw_panel(key: tuple[str, str], axes: Axes) -> None:
        name, heading = key
        cost, written = costs[heading]
        own = [row for row in rows if row.questions == name and cost(row) > 0]
        draw_points(axes, [Point(row.model, cost(row), row.value, row.low, row.high) for row in own], looks)
        write_ticks(axes, written, limits[heading], inches=least)
        if heading == next(iter(costs)):
            axes.set_ylabel(rows[0].measure)
        canvas.few_ticks(axes.yaxis)
        if name == sets[-1]:
            axes.set_xlabel(heading)

    headings = {(name, cost): "" if place else name for name in sets for place, cost in enumerate(costs)}
    return panels(
        headings, draw_panel, rows=rows, columns=len(costs), heights=[_COST_INCHES], width=(least, _MOST_COST),
        share=("col", "row"), legend=handles(rows, looks, linestyle="none"),
    )  # fmt: skip


def _costs_of(rows: Sequence[RetrievalCostRow]) -> dict[str, _Cost]:
    """Time and size; what is counted of multiplications only where that compares two retrievers of a set."""
    of_set = Counter(row.questions for row in rows if row.flops > 0)
    compares = max(of_set.values(), default=0) > 1
    return {heading: cost for heading, cost in _COSTS.items() if heading != _FLOPS or compares}


def _read_costs(rows: Sequence[RetrievalCostRow]) -> Iterator[str]:
    yield (
        f"{rows[0].measure} with its {percent(rows[0].level)} interval for {words.POPULATION}. Time: embedding the "
        "question and ranking, measured once. Size: arrays that are searched. Dashed: retrievers that no other beats "
        "in both, which is not a test."
    )
    if _FLOPS in _costs_of(rows):
        yield "FLOPS: multiplications for a question and a document; not counted of retrievers that are made of others."
    if unknown := unique(row.model_title for row in rows if math.isnan(row.seconds_each)):
        yield f"Time not known of {', '.join(unknown)}."
    yield left_out({"question set": len(grouped(rows, "questions")) - _MOST_SETS})


COSTS = Recipe(
    RetrievalCostRow,
    _draw_costs,
    "Effectiveness and cost",
    _read_costs,
    nothing=_NOTHING_SEARCHED,
    # controls search nothing
    shown=lambda rows: [row for row in rows if not row.is_control],
    what="retriever",
)


# --- question by question ----------------------------------------------------------------------------------

_GAP_INCHES, _GAP_SIZE = 0.95, 6
_MOST_MODELS = 4
_BETTER, _WORSE = "#0072B2", "#D55E00"


def _draw_gaps(rows: Sequence[QuestionGapRow]) -> Figure:
    members = grouped(rows, "questions", "model")
    sets, models = unique(row.questions for row in rows)[:_MOST_SETS], _shown_models(rows)
    titles = {row.model: row.model_title for row in rows}
    labels = lettering.distinct({name: name for name in sets}, lettering.into(_GAP_INCHES, 7))
    headings = {(name, model): titles[model] if name == sets[0] else "" for name in sets for model in models}

    def draw_panel(key: tuple[str, str], axes: Axes) -> None:
        if key not in members:
            axes.set_visible(False)
            return
        _draw_gaps_of(axes, members[key])
        canvas.few_ticks(axes.yaxis)
        if key[1] == models[0]:
            axes.set_ylabel(labels[key[0]])

    square = {"linestyle": "none", "marker": "s", "markersize": 4}
    return panels(
        headings, draw_panel, rows=rows, columns=len(models), heights=[_GAP_INCHES], width=(1.5, 2.6),
        share=(False, True), labels=("questions", ""),
        subtitles={key: _subtitle(members[key][0]) for key in headings if key in members},
        legend=[
            Line2D([], [], color=_BETTER, label="retriever higher", **square),  # type: ignore[arg-type]
            Line2D([], [], color=_WORSE, label=f"{rows[0].reference_title} higher", **square),  # type: ignore[arg-type]
            Line2D([], [], color=canvas.INK, linewidth=0.8, label="mean"),
        ],
    )  # fmt: skip


def _shown_models(rows: Sequence[QuestionGapRow]) -> list[str]:
    """All retrievers, or, where they are too many, those with the highest mean difference over the question sets."""
    means: dict[str, dict[str, float]] = {}
    for row in rows:
        means.setdefault(row.model, {})[row.questions] = row.mean
    chosen = sorted(means, key=lambda model: -fmean(means[model].values()))[:_MOST_MODELS]
    return [model for model in means if model in chosen]


def _draw_gaps_of(axes: Axes, rows: Sequence[QuestionGapRow]) -> None:
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
    axes.tick_params(labelsize=_GAP_SIZE)


def _subtitle(row: QuestionGapRow) -> str:
    """The mean difference, and on how many questions the retriever won, tied and lost."""
    star = "*" if row.p_holm <= row.alpha else ""
    counts = f"won {count(row.wins)}, tied {count(row.ties)}, lost {count(row.losses)}"
    return f"{signed(row.mean)}{star} {interval(row.low, row.high)}\n{counts}"


QUESTION_DIFFERENCES = Recipe(
    QuestionGapRow,
    _draw_gaps,
    "Differences question by question",
    lambda rows: [
        f"{rows[0].measure} less that of {rows[0].reference_title}, a bar per question, the highest first. Above: the "
        f"mean difference with its {percent(rows[0].level)} t interval (the grey band), for {words.POPULATION}; * "
        f"significant at {percent(rows[0].alpha)} (paired t-test, Holm over all pairs of the question set).",
        left_out(
            {
                "retriever": len(grouped(rows, "model")) - _MOST_MODELS,
                "question set": len(grouped(rows, "questions")) - _MOST_SETS,
            }
        ),
    ],
    nothing="Nothing to compare: fewer than two retrievers were measured on the same questions.",
    what="retriever",
)


# --- weights of fusions ------------------------------------------------------------------------------------

_END_INCHES = 0.75  # of the name of a retriever below an end of the axis


def _draw_weights(rows: Sequence[WeightRow]) -> Figure:
    sets = grouped(rows, "questions")
    looks = canvas.looks([canvas.Drawn(row.retriever, row.position) for row in rows])

    def draw_set(name: str, axes: Axes) -> None:
        for retriever, own in grouped(sets[name], "retriever").items():
            members, look = sorted(own, key=lambda row: row.last), looks[retriever]
            weights, lows, highs = ([getattr(row, key) for row in members] for key in ("last", "low", "high"))
            axes.fill_between(weights, lows, highs, color=look.color, alpha=0.15, linewidth=0)
            curve(axes, members, "last", "value", color=look.color)
            curve(
                axes, [row for row in members if row.is_chosen], "last", "value", linestyle="none", color=look.color,
                marker=look.marker, markersize=5, markeredgecolor=canvas.INK, markeredgewidth=0.7,
            )  # fmt: skip
        axes.set_xlim(-0.02, 1.02)
        canvas.few_ticks(axes.yaxis)
        axes.grid(True)
        axes.set_xticks([0, 0.5, 1], _ends(rows))

    return panels(
        {name: f"{name} (training)" if own[0].is_training else name for name, own in sets.items()}, draw_set,
        rows=rows, heights=[1.5], width=(1.6, 3.0), share=(True, False),
        labels=("weight of the second retriever", rows[0].measure),
        legend=named(looks, {row.retriever: row.retriever_title for row in rows}),
    )  # fmt: skip


def _ends(rows: Sequence[WeightRow]) -> list[str]:
    """The retrievers at the ends of the axis, where all fusions are of the same two and there is room for both."""
    pairs, fits = unique(row.of for row in rows), lettering.into(_END_INCHES, 6.5)
    ends = pairs[0].split("; ")
    if len(pairs) > 1 or not all(map(fits, ends)):
        return ["0", "½", "1"]
    return [f"0\n{ends[0]}", "½", f"1\n{ends[1]}"]


def _read_weights(rows: Sequence[WeightRow]) -> Iterator[str]:
    yield (
        f"{rows[0].measure} by the weight of the second retriever. Band: {percent(rows[0].level)} interval for "
        f"{words.POPULATION}. Marked: the weight that the training questions chose. Do not choose from "
        "the curve of a test set."
    )
    for row in {row.retriever: row for row in rows}.values():
        yield (
            f"{row.retriever_title}: {' (at 0) and '.join(row.of.split('; '))} (at 1), {row.in_sample:.3f} on the "
            f"training questions, {row.nested:.3f} by folds."
        )


WEIGHTS = Recipe(
    WeightRow,
    _draw_weights,
    "Fusions by their weights",
    _read_weights,
    nothing="Nothing to draw: no fusion of two retrievers has weights that were tuned.",
    # the weights of more retrievers are no line
    shown=lambda rows: [row for row in rows if row.n_runs == 2],
    what="fusion",
    named_by="retriever",
)


# --- stages ------------------------------------------------------------------------------------------------

_MOST_COLUMNS = 3
_LEAST_PANEL, _MOST_PANEL = 1.7, 3.1
_BESIDE = 0.7  # inches of numbers and margins beside each panel
_UPRIGHT_INCHES = 1.5
_LEAST_SLOT = 0.18  # inches between stages, so that upright names stand apart
_SPREAD, _STEP = 0.6, 0.22  # of a slot: what the points of all series take, and the distance of two at most
_ASIDE = 0.45  # of that distance: from a mean to its single seeds


def _draw_stages(rows: Sequence[StageRow]) -> Figure:
    members = grouped(rows, "questions", "measure")
    n_measures = len(unique(row.measure for row in rows))
    n_columns = n_measures if 1 < n_measures <= _MOST_COLUMNS else min(_MOST_COLUMNS, len(members))
    stages = dict(sorted({row.place: row.stage for row in rows if row.place}.items()))
    least = max(_LEAST_PANEL, _LEAST_SLOT * len(stages))
    inches = max(least, min(_MOST_PANEL, canvas.PAGE_WIDTH / n_columns - _BESIDE))
    looks = canvas.looks([canvas.Drawn(row.series, row.line) for row in rows if row.is_mean])

    def draw_panel(key: tuple[str, str], axes: Axes) -> None:
        _draw_stages_of(axes, members[key], looks)
        slot = inches / len(stages)
        lettering.name_places(axes, stages, slot, 0.95 * slot, most_lines=3, turned=(_UPRIGHT_INCHES, 90))
        axes.set_xlim(min(stages) - 0.5, max(stages) + 0.5)

    dashed = {"color": canvas.QUIET, "linestyle": "--"}
    references = unique(row.series for row in rows if not row.place)
    return panels(
        {(name, measure): f"{measure} on {name}" for name, measure in members}, draw_panel, rows=rows,
        columns=n_columns, heights=[1.7], width=(least, max(least, _MOST_PANEL)), share=(True, False),
        legend=[
            *named(looks, {name: name for name in looks}),
            *(Line2D([], [], label=label, **dashed) for label in references),  # type: ignore[arg-type]
        ],
    )  # fmt: skip


def _draw_stages_of(axes: Axes, rows: Sequence[StageRow], looks: Mapping[str, canvas.Look]) -> None:
    for row in rows:
        if not row.place:
            axes.axhline(row.value, color=canvas.QUIET, linewidth=0.9, linestyle="--", zorder=1)
            if not math.isnan(row.low):
                axes.axhspan(row.low, row.high, color=canvas.QUIET, alpha=0.15, linewidth=0, zorder=0)
    measured = [row.place for row in rows if row.place]
    places = range(min(measured), max(measured) + 1)
    step = min(_STEP, _SPREAD / len(looks))
    for number, (series, look) in enumerate(looks.items()):
        aside = step * (number - (len(looks) - 1) / 2)
        own = [row for row in rows if row.place and row.series == series]
        values = {row.place: row.value for row in own if row.is_mean}
        axes.plot(  # the line breaks where a stage was not measured
            [place + aside for place in places], [values.get(place, math.nan) for place in places], color=look.color,
            marker=look.marker, markersize=3.5, linewidth=0.9, zorder=3,
        )  # fmt: skip
        for row in own:
            if row.is_mean and not math.isnan(row.low):
                at = (row.place + aside,) * 2
                axes.plot(at, (row.low, row.high), color=look.color, linewidth=1.1, zorder=2)
        single = [row for row in own if row.seed]
        axes.plot(
            [row.place + aside + _ASIDE * step for row in single], [row.value for row in single], linestyle="none",
            color=look.color, marker=".", markersize=2.5, alpha=0.8, zorder=4,
        )  # fmt: skip
    canvas.few_ticks(axes.yaxis)
    axes.grid(True, axis="y")


def _read_stages(rows: Sequence[StageRow]) -> Iterator[str]:
    means = [row for row in rows if row.is_mean]
    seeds = max(row.n_seeds for row in means)
    yield (
        f"Means over questions{' and seeds (small: single seeds)' if seeds > 1 else ''} with {percent(rows[0].level)} "
        f"intervals for {words.QUESTIONS}{', and new seeds where there are several' if seeds > 1 else ''}."
    )
    if one := unique(row.stage for row in means if row.n_seeds == 1):
        yield f"One seed only: {', '.join(one)}."
    yield "Intervals that overlap do not show that stages are equal."


STAGES = Recipe(
    StageRow,
    _draw_stages,
    "Retrieval stage by stage",
    _read_stages,
    nothing="Nothing to draw: no retriever of the stages was measured on a question set.",
    shown=lambda rows: rows if any(row.is_mean for row in rows) else [],
    what="stage",
    named_by="place",
)
