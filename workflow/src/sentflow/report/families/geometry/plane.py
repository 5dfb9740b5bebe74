"""The plane of alignment and uniformity: one panel per measurement, a point per encoder, coloured by its score."""

import math
from collections.abc import Callable, Mapping, Sequence

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.compare.marks import letters
from sentflow.report import captions
from sentflow.report.families.geometry.association import plane_rows
from sentflow.report.families.geometry.rows import AlignmentRow, PlaneRow
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.figure import canvas, layout, lettering, placement
from sentflow.report.figure.panels import Panels
from sentflow.report.figure.recipe import Recipe
from sentflow.report.figure.texts import FigureTexts, encoders, nothing, sentences
from sentflow.report.inputs import Inputs
from sentflow.report.rows import unique

_COLUMNS = 3
_PANEL_INCHES, _LEAST_PANEL, _MOST_PANEL = 1.6, 1.55, 2.4
_SIZE = 6.5  # of letters beside points
_LEGEND_SIZE, _LEGEND_INCHES = 7, 2.6


def draw(rows: Sequence[PlaneRow]) -> Figure:
    """Points carry the letter of their encoder; the legend tells the letters."""
    texts = texts_of(rows)
    known = [row for row in rows if not math.isnan(row.alignment) and not math.isnan(row.uniformity)]
    if not known:
        return layout.nothing(texts, rows)
    sets = unique(row.alignment_set for row in known)
    n_columns = min(_COLUMNS, len(sets))
    n_lines = math.ceil(len(sets) / n_columns)
    figure = Figure()
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
        canvas.few_ticks(bar.ax.yaxis)
        bar.set_label("similarity score × 100")
        bar.outline.set_visible(False)
    size = Panels([_PANEL_INCHES] * n_lines, _LEAST_PANEL, _MOST_PANEL)
    layout.finish(figure, texts, rows, size, _handles(known, own))
    return figure


def texts_of(rows: Sequence[PlaneRow]) -> FigureTexts:
    """Texts of the plane of alignment and uniformity."""
    title = "Alignment, uniformity and similarity scores"
    if not rows:
        return nothing(title)
    n_sets = len(unique(row.alignment_set for row in rows))
    return FigureTexts(
        title=title,
        reading=sentences(
            "Lower is better on both axes: sentences with the same meaning close together (alignment), "
            "all sentences "
            f"spread out (uniformity). Colour: {rows[0].score_title}. A square is a control."
            + (" White: no score." if any(math.isnan(row.score) for row in rows) else ""),
            *(
                [
                    "Panels have their own axes: variants, splits and thresholds cannot be compared "
                    "with each other."
                ]
                if n_sets > 1
                else []
            ),
            captions.data_note(rows),
        ),
        alternative=f"Scatter of uniformity against alignment for {encoders(rows)} in {n_sets} "
        f"{'measurement' if n_sets == 1 else 'measurements'}, coloured by similarity score. The tables "
        "of alignments "
        "and of similarity have the same numbers.",
    )


def _draw_panel(axes: Axes, rows: Sequence[PlaneRow], own: Mapping[str, str], norm: Normalize | None) -> None:
    _set_limits(axes, rows)
    axes.grid(True)
    canvas.few_ticks(axes.xaxis, axes.yaxis)
    for row in rows:
        known = norm is not None and not math.isnan(row.score)
        axes.plot(
            row.uniformity, row.alignment, linestyle="none", markersize=6, markeredgewidth=0.7,
            marker="s" if row.is_control else "o", markeredgecolor=canvas.INK,
            markerfacecolor=colormaps["cividis"](norm(row.score)) if known and norm else "white",
        )  # fmt: skip
    across, up = _points(axes)
    points = [(across(row.uniformity), up(row.alignment)) for row in rows]
    sizes = [(72 * lettering.width(own[row.model], _SIZE, bold=True), float(_SIZE)) for row in rows]
    places, _ = placement.places(points, sizes, (72 * _LEAST_PANEL, 72 * _PANEL_INCHES))
    for row, place in zip(rows, places, strict=True):
        point = (row.uniformity, row.alignment)
        placement.write(axes, own[row.model], point, place, size=_SIZE, bold=True)
    fits = lettering.into(_LEAST_PANEL, _LEGEND_SIZE, bold=True)
    lines = lettering.wrap(rows[0].alignment_title, fits)
    if len(lines) > 2:
        lines = [lines[0], lettering.cut(" ".join(lines[1:]), fits)]
    axes.set_title("\n".join(lines), loc="left", fontweight="bold", color=canvas.INK)


def _set_limits(axes: Axes, rows: Sequence[PlaneRow]) -> None:
    for set_limits, values in (
        (axes.set_xlim, [row.uniformity for row in rows]),
        (axes.set_ylim, [row.alignment for row in rows]),
    ):
        span = max(values) - min(values) or 0.2
        set_limits(min(values) - 0.15 * span, max(values) + 0.15 * span)


def _points(axes: Axes) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """Places along both axes in points (1/72 inch) of the smallest panel."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    return (
        lambda value: 72 * _LEAST_PANEL * (value - left) / (right - left),
        lambda value: 72 * _PANEL_INCHES * (value - bottom) / (top - bottom),
    )


def _handles(rows: Sequence[PlaneRow], own: Mapping[str, str]) -> list[Line2D]:
    is_control = {row.model: row.is_control for row in rows}
    titles = {row.model: row.model_title for row in rows}
    names = lettering.distinct(titles, lettering.into(_LEGEND_INCHES, _LEGEND_SIZE))
    return [
        Line2D(
            [], [], linestyle="none", marker="s" if is_control[model] else "o", markersize=5, markerfacecolor="white",
            markeredgecolor=canvas.INK, markeredgewidth=0.7, label=f"{own[model]}  {name}",
        )
        for model, name in names.items()
    ]  # fmt: skip


def gather(inputs: Inputs) -> list[PlaneRow]:
    """`plane_rows` of alignments and similarity."""
    return plane_rows(inputs.rows_if_there(AlignmentRow), inputs.rows_if_there(SimilarityRow))


FIGURE = Recipe(PlaneRow, draw, texts_of, gather, may_be_empty=True)
