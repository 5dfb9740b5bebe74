"""Forest plot: per task the encoders with both intervals."""

import math
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.compare.score_rows import ScoreRow
from sentflow.report import captions
from sentflow.report.figure import canvas, layout, lettering
from sentflow.report.figure.panels import Panels
from sentflow.report.figure.recipe import Recipe
from sentflow.report.figure.texts import FigureTexts
from sentflow.report.numbers import percent
from sentflow.report.rows import unique

_COLUMNS = 3
_LINE_INCHES = 0.15
_LABEL_SIZE, _LABEL_INCHES = 6.5, 1.6
_LEAST_PANEL, _MOST_PANEL = 1.2, 4.0  # inches
_THIN, _THICK = 0.9, 4.5  # points


def draw(rows: Sequence[ScoreRow]) -> Figure:
    """One panel per task, all on one axis; the dashed line at 0 is chance.

    Thin line: generalisation interval. Thick line: repeatability interval. A hollow marker has no interval
    (all folds gave the same score).
    """
    tasks, titles = unique(row.task for row in rows), {row.model: row.model_title for row in rows}
    labels = lettering.distinct(titles, lettering.into(_LABEL_INCHES, _LABEL_SIZE))
    n_columns = min(_COLUMNS, len(tasks))
    n_lines = math.ceil(len(tasks) / n_columns)
    panels = Panels([_LINE_INCHES * (len(titles) + 0.2)] * n_lines, _LEAST_PANEL, _MOST_PANEL)
    beside = lettering.widest(list(labels.values()), _LABEL_SIZE)
    heading_inches = min(_MOST_PANEL, layout.column_inches(n_columns, beside))
    headings = _headings(rows, heading_inches)
    figure = Figure()
    grid = figure.subplots(n_lines, n_columns, sharex=True, sharey=True, squeeze=False)
    looks = canvas.looks(rows)
    for axes in grid.flat[len(tasks) :]:
        axes.set_visible(False)
    for index, (axes, task) in enumerate(zip(grid.flat, tasks, strict=False)):
        members = [row for row in rows if row.task == task]
        _draw_panel(axes, members, list(titles), looks)
        _head_panel(axes, headings[task], members[0].task_title, heading_inches)
        # sharing an axis hides the numbers of a panel that has an empty place below it
        axes.tick_params(labelbottom=index + n_columns >= len(tasks))
    canvas.few_ticks(grid[0, 0].xaxis)
    _share_axes(grid.flat[0], rows, list(labels.values()))
    layout.finish(figure, texts_of(rows), rows, panels, _handles())
    return figure


def texts_of(rows: Sequence[ScoreRow]) -> FigureTexts:
    """Texts of the forest plot."""
    row = rows[0]
    return FigureTexts(
        title=f"Scores with {percent(row.level)} intervals",
        reading=" ".join(
            [
                f"Thin, generalisation ({percent(row.level)}): {captions.generalisation(rows)}.",
                f"Thick, repeatability ({percent(row.repeatability_level)}): where the mean would be if "
                "only the shuffling of the same texts changed (published bootstrap).",
                captions.design_note(rows),
                "Fold scores are cut at 0, which raises scores of guessing slightly above chance."
                if any(one.clips for one in rows)
                else "",
                *captions.degenerate_notes(rows, "Hollow"),
                captions.data_note(rows),
            ]
        ).replace("  ", " "),
        alternative=f"Forest plot of {captions.extent(rows)}: one panel per task, one line per encoder with its "
        "score and both intervals. The table of intervals has the same numbers.",
    )


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
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _headings(rows: Sequence[ScoreRow], inches: float) -> dict[str, str]:
    """Name and metric of each task."""
    ends = {row.task: f" ({captions.metric_name(row.metric)})" for row in rows}
    room = inches - lettering.widest(list(ends.values()), 7, bold=True)
    names = lettering.starts({task: task for task in ends}, lettering.into(room, 7, bold=True))
    return {task: names[task] + end for task, end in ends.items()}


def _head_panel(axes: Axes, heading: str, task_title: str, inches: float) -> None:
    axes.set_title(heading, loc="left", fontweight="bold", color=canvas.INK, pad=10)
    axes.annotate(
        lettering.cut(task_title, lettering.into(inches, 6)), (0, 1), xytext=(0, 3),
        xycoords="axes fraction", textcoords="offset points", fontsize=6, color=canvas.QUIET,
    )  # fmt: skip


def _share_axes(axes: Axes, rows: Sequence[ScoreRow], labels: list[str]) -> None:
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    limits = [
        limit for row in rows for limit in (*row.shown_generalisation, row.mean, 0.0) if not math.isnan(limit)
    ]
    margin = 0.03 * (max(limits) - min(limits)) or 0.05
    axes.set_xlim(min(limits) - margin, max(limits) + margin)


FIGURE = Recipe(ScoreRow, draw, texts_of)
