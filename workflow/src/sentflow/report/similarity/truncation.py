"""Scores of shortened vectors: a panel per pair set, a curve per encoder."""

import math
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter, NullLocator

from sentflow.report import canvas
from sentflow.report.rows import unique
from sentflow.report.similarity import figure_texts
from sentflow.report.similarity.rows import TruncationRow

_COLUMNS = 4
_PANEL_INCHES = 1.6


def draw(rows: Sequence[TruncationRow]) -> Figure:
    """Dimensions on a logarithmic axis; the panels share their axes."""
    texts = figure_texts.truncation(rows)
    if not rows:
        return canvas.nothing(texts, rows)
    sets = unique(row.pairs for row in rows)
    n_columns = min(_COLUMNS, len(sets))
    n_lines = math.ceil(len(sets) / n_columns)
    width = min(canvas.PAGE_WIDTH, 1.6 + 2.4 * n_columns)
    figure = Figure(figsize=(width, _PANEL_INCHES * n_lines + 0.1))
    panels = figure.subplots(n_lines, n_columns, squeeze=False, sharex=True, sharey=True)
    looks = canvas.looks(rows)
    for index, axes in enumerate(panels.flat):
        if index >= len(sets):
            axes.set_visible(False)
            continue
        _draw_panel(axes, [row for row in rows if row.pairs == sets[index]], looks)
        axes.tick_params(labelbottom=index + n_columns >= len(sets))
        if index + n_columns >= len(sets):
            axes.set_xlabel("dimensions kept")
        if index % n_columns == 0:
            axes.set_ylabel("Spearman × 100")
    _set_ticks(panels[0, 0], rows)
    titles = {row.model: row.model_title for row in rows}
    handles = [
        Line2D([], [], color=look.color, marker=look.marker, label=canvas.shorten(titles[model], 44))
        for model, look in looks.items()
    ]
    canvas.frame(figure, texts, rows, canvas.Legend(handles, 2 if n_columns < 3 else 3))
    return figure


def _draw_panel(axes: Axes, rows: Sequence[TruncationRow], looks: Mapping[str, canvas.Look]) -> None:
    for model in unique(row.model for row in rows):
        members = sorted((row for row in rows if row.model == model), key=lambda row: row.dimensions)
        look = looks[model]
        axes.plot(
            [row.dimensions for row in members], [100 * row.spearman for row in members],
            color=look.color, marker=look.marker, markersize=2.8,
        )  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.grid(True)
    axes.set_title(canvas.shorten(rows[0].pairs, 26), loc="left", fontweight="bold", color=canvas.INK)


def _set_ticks(axes: Axes, rows: Sequence[TruncationRow]) -> None:
    """The numbers of dimensions that were tried, as far as they can be read side by side."""
    tried = sorted({row.dimensions for row in rows})
    kept: list[int] = []
    for value in reversed(tried):
        if not kept or kept[-1] / value >= 1.9:
            kept.append(value)
    axes.set_xticks(kept, [str(value) for value in kept])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
