"""Scores of shortened vectors: a panel per pair set, a curve per encoder."""

import math
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, NullLocator

from sentflow.report.families.geometry.rows import TruncationRow
from sentflow.report.figure import canvas, layout, legend, lettering
from sentflow.report.figure.grid import draw_grid
from sentflow.report.figure.panels import Panels
from sentflow.report.figure.recipe import Caption, Recipe, encoders, nothing, sentences
from sentflow.report.rows import data_note, unique

_COLUMNS = 4
_PANEL_INCHES, _LEAST_PANEL, _MOST_PANEL = 1.15, 1.3, 2.4
_TICK_SIZE = 6.5


def draw(rows: Sequence[TruncationRow]) -> Figure:
    """Dimensions on a logarithmic axis; the panels share their axes."""
    texts = texts_of(rows)
    if not rows:
        return layout.nothing(texts, rows)
    sets = unique(row.pairs for row in rows)
    headings = lettering.starts({name: name for name in sets}, lettering.into(_LEAST_PANEL, 7, bold=True))
    looks = canvas.looks(rows)

    def draw_set(axes: Axes, name: str, _is_lowest: bool) -> None:
        _draw_panel(axes, [row for row in rows if row.pairs == name], looks)

    grid = draw_grid(headings, draw_set, columns=_COLUMNS, labels=("dimensions kept", "Spearman × 100"))
    canvas.few_ticks(grid.first.yaxis)
    _set_ticks(grid.first, rows)
    size = Panels([_PANEL_INCHES] * grid.n_lines, _LEAST_PANEL, _MOST_PANEL)
    layout.finish(grid.figure, texts, rows, size, legend.handles(rows, looks))
    return grid.figure


def texts_of(rows: Sequence[TruncationRow]) -> Caption:
    """Texts of the truncation curves."""
    title = "Scores of shortened vectors"
    if not rows:
        return nothing(title)
    return Caption(
        title=title,
        reading=sentences(
            "Spearman's correlation × 100 if only the first dimensions of each vector are kept and "
            "normalised "
            "to length 1; the last point is the full vector. Most encoders were not trained for truncation.",
            data_note(rows),
        ),
        alternative=f"Curves of the similarity score by number of dimensions for {encoders(rows)} on "
        f"{', '.join(unique(row.pairs for row in rows))}.",
    )


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


def _set_ticks(axes: Axes, rows: Sequence[TruncationRow]) -> None:
    """The numbers of dimensions that were tried, as far as they can be read side by side."""
    tried = sorted({row.dimensions for row in rows})
    inches_per_doubling = _LEAST_PANEL / max(1.0, math.log2(tried[-1] / tried[0]))
    kept: list[int] = []
    for value in reversed(tried):
        room = inches_per_doubling * math.log2(kept[-1] / value) if kept else math.inf
        if room >= lettering.width(f"{kept[-1]} " if kept else "", _TICK_SIZE):
            kept.append(value)
    axes.set_xticks(kept, [str(value) for value in kept])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())


FIGURE = Recipe(TruncationRow, draw, texts_of, may_be_empty=True)
