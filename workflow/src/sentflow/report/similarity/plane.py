"""The plane of alignment and uniformity: one panel per measurement, a point per encoder, coloured by its score."""

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.report import canvas
from sentflow.report.comparisons import letters
from sentflow.report.rows import unique
from sentflow.report.similarity import figure_texts
from sentflow.report.similarity.rows import PlaneRow

_COLUMNS = 3
_PANEL_INCHES = 2.05
# where the letter of a point may stand, in points; the first that is far from other points is taken
_OFFSETS = ((5, 4), (-9, 4), (5, -9), (-9, -9), (-2, 8), (-2, -13))
_ROOM = 0.14


def draw(rows: Sequence[PlaneRow]) -> Figure:
    """Points carry the letter of their encoder; the legend tells the letters."""
    texts = figure_texts.alignment_uniformity(rows)
    known = [row for row in rows if not math.isnan(row.alignment) and not math.isnan(row.uniformity)]
    if not known:
        return canvas.nothing(texts, rows)
    sets = unique(row.alignment_set for row in known)
    n_columns = min(_COLUMNS, len(sets))
    n_lines = math.ceil(len(sets) / n_columns)
    figure = Figure(figsize=(min(canvas.PAGE_WIDTH, 1.0 + 2.6 * n_columns), _PANEL_INCHES * n_lines + 0.1))
    panels = figure.subplots(n_lines, n_columns, squeeze=False)
    own = letters(unique(row.model for row in known))
    scores = [row.score for row in known if not math.isnan(row.score)]
    norm = Normalize(min(scores), max(scores)) if scores else None
    for index, axes in enumerate(panels.flat):
        if index >= len(sets):
            axes.set_visible(False)
            continue
        _draw_panel(axes, [row for row in known if row.alignment_set == sets[index]], own, norm)
        if index % n_columns == 0:
            axes.set_ylabel("alignment")
        if index + n_columns >= len(sets):
            axes.set_xlabel("uniformity")
    if norm is not None:
        bar = figure.colorbar(ScalarMappable(norm, colormaps["cividis"]), ax=panels, fraction=0.03, pad=0.02)
        bar.set_label("similarity score × 100")
        bar.outline.set_visible(False)
    canvas.frame(figure, texts, rows, canvas.Legend(_handles(known, own), 3))
    return figure


def _draw_panel(axes: Axes, rows: Sequence[PlaneRow], own: Mapping[str, str], norm: Normalize | None) -> None:
    _set_limits(axes, rows)
    axes.grid(True)
    placed: list[tuple[float, float]] = []
    across, up = _inches(axes)
    points = [(across(row.uniformity), up(row.alignment)) for row in rows]
    for row, (x, y) in zip(rows, points, strict=True):
        known = norm is not None and not math.isnan(row.score)
        axes.plot(
            row.uniformity, row.alignment, linestyle="none", markersize=6, markeredgewidth=0.7,
            marker="s" if row.is_control else "o", markeredgecolor=canvas.INK,
            markerfacecolor=colormaps["cividis"](norm(row.score)) if known and norm else "white",
        )  # fmt: skip
        others = [point for point in points if point != (x, y)] + placed

        def room(
            offset: tuple[int, int], x: float = x, y: float = y, others: list[tuple[float, float]] = others
        ) -> float:
            place = (x + (offset[0] + 2) / 72, y + (offset[1] + 2) / 72)
            return min((math.dist(place, other) for other in others), default=math.inf)

        offset = next((o for o in _OFFSETS if room(o) > _ROOM), max(_OFFSETS, key=room))
        placed.append((x + (offset[0] + 2) / 72, y + (offset[1] + 2) / 72))
        axes.annotate(
            own[row.model], (row.uniformity, row.alignment), xytext=offset, textcoords="offset points",
            fontsize=6.5, fontweight="bold", color=canvas.INK,
        )  # fmt: skip
    axes.set_title(
        "\n".join(textwrap.wrap(canvas.shorten(rows[0].alignment_title, 64), 32)),
        loc="left",
        fontweight="bold",
        color=canvas.INK,
    )


def _set_limits(axes: Axes, rows: Sequence[PlaneRow]) -> None:
    for set_limits, values in (
        (axes.set_xlim, [row.uniformity for row in rows]),
        (axes.set_ylim, [row.alignment for row in rows]),
    ):
        span = max(values) - min(values) or 0.2
        set_limits(min(values) - 0.15 * span, max(values) + 0.15 * span)


def _inches(axes: Axes) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """Places along both axes in inches, about: what a panel measures is known only when it is drawn."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    return (
        lambda value: 1.9 * (value - left) / (right - left),
        lambda value: 1.5 * (value - bottom) / (top - bottom),
    )


def _handles(rows: Sequence[PlaneRow], own: Mapping[str, str]) -> list[Line2D]:
    titles = {row.model: (row.model_title, row.is_control) for row in rows}
    return [
        Line2D(
            [], [], linestyle="none", marker="s" if is_control else "o", markersize=5, markerfacecolor="white",
            markeredgecolor=canvas.INK, markeredgewidth=0.7, label=f"{own[model]}  {canvas.shorten(title, 40)}",
        )
        for model, (title, is_control) in titles.items()
    ]  # fmt: skip
