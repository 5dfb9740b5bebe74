"""Losses and development score by steps: two panels per group of trainings, mean over seeds, their range as a band."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from sentflow.report.families.training.figure_rows import (
    HELD_OUT,
    LOSS,
    SCORE,
    CurvePoint,
    TrainingHeldOutRow,
    TrainingHistoryRow,
)
from sentflow.report.families.training.groups import looks, of_group, places
from sentflow.report.families.training.rows import DEVELOPMENT, SPEARMAN, TrainingRow
from sentflow.report.families.training.trained_rows import TrainedRow
from sentflow.report.figure import canvas
from sentflow.report.figure.panels import nothing_drawn, panels
from sentflow.report.figure.recipe import Caption, Recipe, sentences
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import counted
from sentflow.report.rows import data_note, unique

_COLUMNS = 4
_HEIGHTS = {LOSS: 0.85, SCORE: 0.95}  # inches
_TWO_DECADES = 100
_MOST_POINTS = 120  # of a curve of losses: more cannot be told apart
_NOTHING = "Nothing to draw: no encoder of this selection was trained here."


def draw(rows: Sequence[CurvePoint]) -> Figure:
    """Every panel is a group: its loss above, its development score below, on the same axes in all of them."""
    if not rows:
        return nothing_drawn(_NOTHING, rows)
    groups, colours = of_group(rows), looks(rows)
    measures = [measure for measure in (LOSS, SCORE) if any(row.measure == measure for row in rows)]
    limits = {measure: _limits(rows, measure) for measure in measures}

    def draw_group(name: str, *own: Axes) -> None:
        for axes, measure in zip(own, measures, strict=True):
            shown = (LOSS, HELD_OUT) if measure == LOSS else (measure,)
            _draw_panel(axes, [row for row in groups[name] if row.measure in shown], measure, colours[name])
            _set_axes(axes, *limits[measure], measure)
            axes.tick_params(labelleft=name in list(groups)[::_COLUMNS])

    heights = [_HEIGHTS[measure] for measure in measures]
    labels = ["step", *(measure if measure == LOSS else "Spearman × 100" for measure in measures)]
    return panels(
        {name: name for name in groups}, draw_group, rows=rows, columns=_COLUMNS, heights=heights,
        parts=len(measures), width=(1.25, 3.0), share=(True, False), labels=labels,
    )  # fmt: skip


def texts_of(rows: Sequence[CurvePoint]) -> Caption:
    """Texts of the curves of training."""
    title = "Loss and development score during training"
    if not rows:
        return Caption(title, _NOTHING, _NOTHING)
    n_seeds = max(row.n_seeds for row in rows)
    scored = unique(row.pairs for row in rows if row.pairs)
    spacing = _spacing(rows)
    return Caption(
        title=title,
        reading=sentences(
            "Line: mean over seeds; band: from the lowest to the highest seed, which is no interval."
            if n_seeds > 1
            else "One training each: how much another seed would change is not known.",
            f"Each point of the loss is the mean over {spacing} steps." if spacing > 1 else "",
            "Dashed: the loss on rows that were held out, without dropout, so that it can be below that of training."
            if any(row.measure == HELD_OUT for row in rows)
            else "",
            f"Score: Spearman's correlation × 100 on {', '.join(scored)}, before training at step 0. Marked: the steps "
            "whose snapshot was chosen, larger for more seeds; the score there is too high an estimate."
            if scored
            else "",
            data_note(rows),
        ),
        alternative=f"Curves of loss and development score by steps for {counted(len(of_group(rows)), 'group')} of "
        "trainings. The tables of trainings have the chosen scores.",
    )


def gather(inputs: Inputs) -> list[CurvePoint]:
    """Points of the histories and of the development scores of every group."""
    groups = of_group(inputs.rows_if_there(TrainedRow))
    history = of_group(inputs.rows_if_there(TrainingHistoryRow))
    held_out = of_group(inputs.rows_if_there(TrainingHeldOutRow))
    scores = of_group(inputs.rows_if_there(TrainingRow))
    points: list[CurvePoint] = []
    for name, about in places([row for rows in groups.values() for row in rows]).items():
        version = groups[name][0].data_version
        for measure, made in (
            (LOSS, _losses(history.get(name, []))),
            (HELD_OUT, _held_out(held_out.get(name, []))),
            (SCORE, _scores(scores.get(name, []))),
        ):
            points += [
                CurvePoint(
                    **about, measure=measure, pairs=pairs, step=step, mean=float(np.mean(values)),
                    low=min(values), high=max(values), n_seeds=len(values), n_chosen=n_chosen, data_version=version,
                )
                for pairs, step, values, n_chosen in made
            ]  # fmt: skip
    return points


def _losses(history: Sequence[TrainingHistoryRow]) -> Iterator[tuple[str, int, list[float], int]]:
    """Step → the loss of each seed there, mean over the steps since the last point."""
    every = math.ceil(max((row.step for row in history), default=0) / _MOST_POINTS) or 1
    found: dict[int, dict[int, list[float]]] = {}
    for row in history:
        if math.isfinite(row.loss):
            end = math.ceil(row.step / every) * every
            found.setdefault(end, {}).setdefault(row.seed, []).append(row.loss)
    for step, seeds in sorted(found.items()):
        yield "", step, [float(np.mean(values)) for values in seeds.values()], 0


def _held_out(rows: Sequence[TrainingHeldOutRow]) -> Iterator[tuple[str, int, list[float], int]]:
    losses = [row for row in rows if row.measure == "loss" and math.isfinite(row.value)]
    for step in sorted({row.step for row in losses}):
        yield "", step, [row.value for row in losses if row.step == step], 0


def _scores(rows: Sequence[TrainingRow]) -> Iterator[tuple[str, int, list[float], int]]:
    scored = [
        row
        for row in rows
        if row.split == DEVELOPMENT and row.measure == SPEARMAN and math.isfinite(row.value)
    ]
    for pairs in unique(row.pairs for row in scored):
        for step in sorted({row.step for row in scored}):
            own = [row for row in scored if (row.pairs, row.step) == (pairs, step)]
            if own:
                yield pairs, step, [row.value for row in own], sum(row.selected for row in own)


def _draw_panel(axes: Axes, rows: Sequence[CurvePoint], measure: str, look: canvas.Look) -> None:
    if not rows:
        axes.text(0.5, 0.5, "not scored", transform=axes.transAxes, ha="center", color=canvas.QUIET)
    factor = 100 if measure == SCORE else 1
    for kind, pairs in dict.fromkeys((row.measure, row.pairs) for row in rows):
        members = sorted(
            (row for row in rows if (row.measure, row.pairs) == (kind, pairs)), key=lambda row: row.step
        )
        steps = [row.step for row in members]
        if any(row.n_seeds > 1 for row in members):
            lows, highs = [factor * row.low for row in members], [factor * row.high for row in members]
            axes.fill_between(steps, lows, highs, color=look.color, alpha=0.2, linewidth=0)
        axes.plot(
            steps, [factor * row.mean for row in members], color=look.color,
            marker=None if kind == LOSS else ".", markersize=2.5, linestyle="--" if kind == HELD_OUT else "-",
        )  # fmt: skip
        for row in members:
            if row.n_chosen:
                axes.plot(
                    row.step, factor * row.mean, linestyle="none", marker="o", color=look.color,
                    markersize=3 + 3 * row.n_chosen / row.n_seeds, markeredgecolor=canvas.INK, markeredgewidth=0.7,
                )  # fmt: skip
    axes.grid(True)


def _limits(rows: Sequence[CurvePoint], measure: str) -> tuple[float, float]:
    """The lowest and the highest value of a panel of that measure."""
    kinds, factor = ((LOSS, HELD_OUT), 1) if measure == LOSS else ((measure,), 100)
    values = [
        factor * value
        for row in rows
        if row.measure in kinds
        for value in ((row.low, row.mean, row.high) if row.n_seeds > 1 else (row.mean,))
    ]
    return min(values), max(values)


def _set_axes(axes: Axes, low: float, high: float, measure: str) -> None:
    """The vertical axis, logarithmic for losses that are all above zero."""
    if measure == LOSS and low > 0 and high / low > 10:
        axes.set_yscale("log")
        subs = (1.0, 3.0) if high / low < _TWO_DECADES else (1.0,)
        axes.yaxis.set_major_locator(LogLocator(subs=subs, numticks=5))
        canvas.plain_numbers(axes.yaxis)
        axes.yaxis.set_minor_locator(NullLocator())
        axes.set_ylim(low / 1.3, high * 1.3)
    else:
        canvas.few_ticks(axes.yaxis)
        span = high - low or 0.1 * abs(high) or 1.0
        axes.set_ylim(low - 0.08 * span, high + 0.08 * span)
    canvas.few_ticks(axes.xaxis, integer=True)


def _spacing(rows: Sequence[CurvePoint]) -> int:
    steps = sorted({row.step for row in rows if row.measure == LOSS})
    return min((later - step for step, later in zip(steps, steps[1:], strict=False)), default=1)


FIGURE = Recipe(CurvePoint, draw, texts_of, gather, may_be_empty=True)
