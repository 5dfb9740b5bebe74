"""Task × model heat map with the scores printed in the cells."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from sentflow.report import canvas, captions, figure_texts
from sentflow.report.averages import average_score
from sentflow.report.numbers import MISSING, decimal
from sentflow.report.rows import ScoreRow, unique

_ROW_INCHES = 0.2
_COLUMN_INCHES = 1.05
_LABEL_INCHES = 3.1
_MAX_LEVEL_NAMES = 5  # more names than this do not fit side by side


def draw(rows: Sequence[ScoreRow]) -> Figure:
    """One block of rows per task family; models from the highest average to the lowest.

    Models that lack a task come last, for they have no average. The colour scale always runs from 0
    (chance) to 1, so that heat maps of different experiments can be compared.
    """
    models = ranked_models(rows)
    families = unique(row.family for row in rows)
    heights = [len(unique(row.task for row in rows if row.family == family)) for family in families]
    width = min(canvas.PAGE_WIDTH, _LABEL_INCHES + _COLUMN_INCHES * len(models))
    figure = Figure(figsize=(width, _ROW_INCHES * (sum(heights) + 1.1 * len(families)) + 0.35))
    blocks = figure.subplots(len(families), 1, squeeze=False, height_ratios=heights)[:, 0]
    for index, (axes, family) in enumerate(zip(blocks, families, strict=True)):
        _draw_block(axes, [row for row in rows if row.family == family], models)
        axes.annotate(
            captions.family_name(family),
            (0, 1),
            xytext=(1, 3),
            xycoords="axes fraction",
            textcoords="offset points",
            fontweight="bold",
            color=canvas.INK,
        )
        if index == 0:
            _name_columns(axes, rows, models)
    canvas.frame(figure, figure_texts.heatmap(rows), rows)
    return figure


def ranked_models(rows: Sequence[ScoreRow]) -> list[str]:
    """Models by falling average; those without all tasks at the end, in their own order."""
    n_tasks = len(unique(row.task for row in rows))
    average = {
        model: average_score([row for row in rows if row.model == model], n_tasks)
        for model in unique(row.model for row in rows)
    }
    return sorted(average, key=lambda model: math.inf if math.isnan(average[model]) else -average[model])


def _draw_block(axes: Axes, rows: Sequence[ScoreRow], models: list[str]) -> None:
    tasks = unique(row.task for row in rows)
    values = np.full((len(tasks), len(models)), np.nan)
    for row in rows:
        values[tasks.index(row.task), models.index(row.model)] = row.mean
    scale = colormaps["cividis"]
    axes.pcolormesh(
        np.ma.masked_invalid(values), cmap=scale, vmin=0, vmax=1, edgecolors="white", linewidth=1.5
    )
    daggers = {(row.task, row.model) for row in rows if row.degenerate}
    for (line, column), value in np.ndenumerate(values):
        if math.isnan(value):
            axes.add_patch(
                Rectangle((column, line), 1, 1, facecolor="#EEEEEE", edgecolor="white", linewidth=1.5)
            )
        mark = "†" if (tasks[line], models[column]) in daggers else ""
        axes.text(
            column + 0.5,
            line + 0.5,
            MISSING if math.isnan(value) else decimal(float(value)) + mark,
            ha="center",
            va="center",
            color=canvas.INK if math.isnan(value) else _readable_on(scale(float(value))),
        )
    titles = {row.task: row.task_title for row in rows}
    metrics = {row.task: captions.metric_name(row.metric) for row in rows}
    labels = [f"{canvas.shorten(f'{task}  {titles[task]}', 50)} ({metrics[task]})" for task in tasks]
    axes.set_yticks([line + 0.5 for line in range(len(tasks))], labels)
    axes.set_ylim(len(tasks), 0)
    axes.set_xticks([])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _readable_on(background: tuple[float, float, float, float]) -> str:
    """White or ink, whichever has more contrast (WCAG relative luminance)."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in background[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    ink_luminance = 0.016
    white_is_better = 1.05 / (luminance + 0.05) > (luminance + 0.05) / (ink_luminance + 0.05)
    return "white" if white_is_better else canvas.INK


def _name_columns(axes: Axes, rows: Sequence[ScoreRow], models: list[str]) -> None:
    titles = {row.model: row.model_title for row in rows}
    names = [canvas.two_lines(canvas.shorten(titles[model], 34)) for model in models]
    axes.xaxis.tick_top()
    axes.set_xticks([column + 0.5 for column in range(len(models))], names)
    # the name of the first family stands between the names of the columns and the cells
    axes.tick_params(axis="x", pad=13)
    if len(models) > _MAX_LEVEL_NAMES:
        axes.tick_params(axis="x", labelrotation=40)
        for label in axes.get_xticklabels():
            label.set_horizontalalignment("left")
