"""Forest plot: per task the encoders with both intervals."""

import math
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.report import canvas, captions, figure_texts
from sentflow.report.rows import ScoreRow, unique

_COLUMNS = 3
_LINE_INCHES = 0.15
_THIN, _THICK = 0.9, 4.5  # points


def draw(rows: Sequence[ScoreRow]) -> Figure:
    """One panel per task, all on one axis; the dashed line at 0 is chance.

    Thin line: generalisation interval. Thick line: repeatability interval. A hollow marker has no interval
    (all folds gave the same score).
    """
    tasks, models = unique(row.task for row in rows), unique(row.model for row in rows)
    n_columns = min(_COLUMNS, len(tasks))
    n_lines = math.ceil(len(tasks) / n_columns)
    height = n_lines * (0.55 + _LINE_INCHES * len(models)) + 0.25
    figure = Figure(figsize=(canvas.PAGE_WIDTH, height))
    panels = figure.subplots(n_lines, n_columns, sharex=True, sharey=True, squeeze=False)
    looks = canvas.looks(rows)
    for axes in panels.flat[len(tasks) :]:
        axes.set_visible(False)
    for index, (axes, task) in enumerate(zip(panels.flat, tasks, strict=False)):
        _draw_panel(axes, [row for row in rows if row.task == task], models, looks)
        # sharing an axis hides the numbers of a panel that has an empty place below it
        axes.tick_params(labelbottom=index + n_columns >= len(tasks))
    _share_axes(panels.flat[0], rows, models)
    canvas.frame(figure, figure_texts.forest(rows), rows, canvas.Legend(_handles(), 3))
    return figure


def _handles() -> list[Line2D]:
    return [
        Line2D([], [], color=canvas.QUIET, linewidth=_THIN, label="generalisation interval"),
        Line2D([], [], color=canvas.QUIET, linewidth=_THICK, label="repeatability interval"),
        Line2D([], [], color=canvas.QUIET, linewidth=0.8, linestyle=(0, (4, 3)), label="chance"),
    ]


def _draw_panel(
    axes: Axes, rows: Sequence[ScoreRow], models: list[str], looks: Mapping[str, canvas.Look]
) -> None:
    axes.axvline(0, color=canvas.QUIET, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    axes.grid(axis="x")
    for row in rows:
        height, look = models.index(row.model), looks[row.model]
        if not row.degenerate:
            generalisation = row.shown_generalisation
            repeatability = row.shown_repeatability
            axes.plot(generalisation, [height] * 2, color=look.color, linewidth=_THIN)
            axes.plot(repeatability, [height] * 2, color=look.color, linewidth=_THICK, solid_capstyle="butt")
        axes.plot(
            row.mean,
            height,
            marker=look.marker,
            markersize=3.4 if row.degenerate else 2.2,
            markerfacecolor="white",
            markeredgecolor=look.color,
            markeredgewidth=0.8,
        )
    metric = captions.metric_name(rows[0].metric)
    axes.set_title(f"{rows[0].task} ({metric})", loc="left", fontweight="bold", color=canvas.INK, pad=10)
    axes.text(
        0,
        1.02,
        canvas.shorten(rows[0].task_title, 42),
        transform=axes.transAxes,
        fontsize=6,
        color=canvas.QUIET,
    )
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _share_axes(axes: Axes, rows: Sequence[ScoreRow], models: list[str]) -> None:
    titles = {row.model: row.model_title for row in rows}
    axes.set_yticks(range(len(models)), [canvas.shorten(titles[model], 26) for model in models])
    axes.set_ylim(len(models) - 0.4, -0.6)
    limits = [
        limit for row in rows for limit in (*row.shown_generalisation, row.mean, 0.0) if not math.isnan(limit)
    ]
    margin = 0.03 * (max(limits) - min(limits)) or 0.05
    axes.set_xlim(min(limits) - margin, max(limits) + margin)
