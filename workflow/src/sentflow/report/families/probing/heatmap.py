"""Task × model heat map with the scores printed in the cells."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from sentflow.compare.score_rows import ScoreRow, by_protocol
from sentflow.report import captions
from sentflow.report.families.probing import remarks
from sentflow.report.figure import canvas, lettering
from sentflow.report.figure.panels import panels
from sentflow.report.figure.recipe import Caption, Recipe, sentences
from sentflow.report.numbers import MISSING, decimal
from sentflow.report.rows import data_note, unique

_ROW_INCHES = 0.2
_LEAST_COLUMN, _MOST_COLUMN = 0.38, 1.05  # inches
_LEAST_LABEL, _MOST_LABEL = 1.6, 3.1
_COLUMN_BESIDE_LABELS = 0.5  # inches of a column, below which labels of tasks become shorter
_LABEL_SIZE = 6.5
_MOST_HEADING_LINES = 3
_SLANTED_INCHES = 1.6  # of the names of encoders, where these do not fit above their columns


def draw(rows: Sequence[ScoreRow]) -> Figure:
    """One block of rows per protocol and task family; models in the order of the selection, as in the table of scores.

    The colour scale always runs from 0 (chance) to 1, so that heat maps of different experiments can be compared.
    """
    models = unique(row.model for row in rows)
    labels = _task_labels(rows, n_columns=len(models))
    by_heading = {
        captions.family_name(family) + captions.of_protocol(protocol, rows): [
            row for row in own if row.family == family
        ]
        for protocol, own in by_protocol(rows).items()
        for family in unique(row.family for row in own)
    }
    heights = [_ROW_INCHES * len(unique(row.task for row in members)) for members in by_heading.values()]
    room = canvas.PAGE_WIDTH - lettering.widest(list(labels.values()), _LABEL_SIZE)

    def draw_block(heading: str, axes: Axes) -> None:
        _draw_block(axes, by_heading[heading], models, labels)
        axes.annotate(
            heading, (0, 1), xytext=(-4, 3), xycoords="axes fraction", textcoords="offset points", ha="right",
            fontweight="bold", color=canvas.INK,
        )  # fmt: skip
        if heading == next(iter(by_heading)):
            _name_columns(axes, rows, min(_MOST_COLUMN, room / len(models)) - 0.08)

    return panels(
        dict.fromkeys(by_heading, ""), draw_block, rows=rows, columns=1, heights=heights, share=(False, False),
        width=(len(models) * _LEAST_COLUMN, len(models) * _MOST_COLUMN),
    )  # fmt: skip


def texts_of(rows: Sequence[ScoreRow]) -> Caption:
    """Texts of the heat map."""
    low, high = min(row.mean for row in rows), max(row.mean for row in rows)
    return Caption(
        title="Score of each encoder on each task",
        reading=sentences(
            "Encoders in the order of the selection; 0 (dark) is chance, 1 (light) is perfect.",
            "Fold scores are cut at 0, which raises scores of guessing slightly above chance."
            if any(row.clips for row in rows)
            else "",
            captions.design_note(rows),
            *remarks.score_notes(rows),
            *captions.degenerate_notes(rows),
            data_note(rows),
        ),
        alternative=f"Heat map of {captions.extent(rows)}; scores from {decimal(low)} to {decimal(high)}. "
        "The table of scores has the same numbers.",
    )


def _task_labels(rows: Sequence[ScoreRow], n_columns: int) -> dict[str, str]:
    """Name, title and metric of each task, shorter beside many columns."""
    room = canvas.PAGE_WIDTH - 0.25 - _COLUMN_BESIDE_LABELS * n_columns
    inches = min(_MOST_LABEL, max(_LEAST_LABEL, room))
    ends = {row.task: f" ({captions.metric_name(row.metric)}){remarks.training_mark(row)}" for row in rows}
    longest = lettering.widest(list(ends.values()), _LABEL_SIZE)
    names = {row.task: f"{row.task}  {row.task_title}" for row in rows}
    short = lettering.distinct(names, lettering.into(inches - longest, _LABEL_SIZE))
    return {task: short[task] + ends[task] for task in names}


def _draw_block(axes: Axes, rows: Sequence[ScoreRow], models: list[str], labels: Mapping[str, str]) -> None:
    tasks = unique(row.task for row in rows)
    values = np.full((len(tasks), len(models)), np.nan)
    for row in rows:
        values[tasks.index(row.task), models.index(row.model)] = row.mean
    scale = colormaps["cividis"]
    axes.pcolormesh(
        np.ma.masked_invalid(values), cmap=scale, vmin=0, vmax=1, edgecolors="white", linewidth=1.5
    )
    marks = {(row.task, row.model): remarks.score_mark(row) + ("†" if row.degenerate else "") for row in rows}
    size = 7 if len(models) * 0.5 + _LEAST_LABEL < canvas.PAGE_WIDTH else 6
    for (line, column), value in np.ndenumerate(values):
        if math.isnan(value):
            axes.add_patch(
                Rectangle((column, line), 1, 1, facecolor="#EEEEEE", edgecolor="white", linewidth=1.5)
            )
        mark = marks.get((tasks[line], models[column]), "")
        axes.text(
            column + 0.5,
            line + 0.5,
            MISSING if math.isnan(value) else decimal(float(value)) + mark,
            ha="center",
            va="center",
            fontsize=size,
            color=canvas.INK if math.isnan(value) else _readable_on(scale(float(value))),
            in_layout=False,
        )
    axes.set_yticks([line + 0.5 for line in range(len(tasks))], [labels[task] for task in tasks])
    axes.set_xlim(0, len(models))
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


def _name_columns(axes: Axes, rows: Sequence[ScoreRow], column: float) -> None:
    """Names of encoders: in some lines above their columns, or, where one does not fit, all of them slanted."""
    titles = {row.model: row.model_title for row in rows}
    names = {model: lettering.broken(title, column, _LABEL_SIZE) for model, title in titles.items()}
    level = all(
        lettering.width(name, _LABEL_SIZE) <= column and name.count("\n") < _MOST_HEADING_LINES
        for name in names.values()
    )
    if not level:
        names = lettering.distinct(titles, lettering.into(_SLANTED_INCHES, _LABEL_SIZE))
    axes.xaxis.tick_top()
    axes.set_xticks([place + 0.5 for place in range(len(names))], list(names.values()))
    axes.tick_params(axis="x", pad=3)
    if not level:
        for label in axes.get_xticklabels():
            label.set(rotation=45, rotation_mode="anchor", ha="left", va="center")


FIGURE = Recipe(ScoreRow, draw, texts_of)
