"""The plane of alignment and uniformity: one panel per measurement, a point per encoder, coloured by its score."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.compare.marks import letters
from sentflow.report.families.geometry.association import plane_rows
from sentflow.report.families.geometry.rows import AlignmentRow, PlaneRow
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.figure import canvas, layout, lettering, placement
from sentflow.report.figure.panels import Panels
from sentflow.report.figure.recipe import Caption, Recipe, encoders, nothing, sentences
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import percent
from sentflow.report.rows import data_note, unique

_MANY = 16  # encoders, above which panels are larger, so that letters have room
_MOST_HEADING_LINES = 2  # of each title above a panel
_NEAR = 0.03  # of the range over encoders: points that are closer look like one
_LEAST_RANGE = 0.2
_SIZE = 6.5  # of letters beside points
_LEGEND_SIZE, _LEGEND_INCHES = 7, 2.6


@dataclass(frozen=True)
class _Size:
    """Panels of a line, and inches of a panel."""

    columns: int
    height: float
    least: float
    most: float


def draw(rows: Sequence[PlaneRow]) -> Figure:
    """Points carry the letter of their encoder; the legend tells the letters."""
    texts, known = texts_of(rows), _known(rows)
    if not known:
        return layout.nothing(texts, rows)
    drawn = list(panels_of(known).values())
    own = letters(unique(row.model for row in known))
    size = _Size(3, 1.6, 1.55, 2.4) if len(own) <= _MANY else _Size(2, 2.7, 2.7, 3.0)
    n_columns = min(size.columns, len(drawn))
    n_lines = math.ceil(len(drawn) / n_columns)
    figure = Figure()
    panels = figure.subplots(n_lines, n_columns, squeeze=False)
    scores = [row.score for row in known if not math.isnan(row.score)]
    norm = Normalize(min(scores), max(scores)) if scores else None
    for axes in panels.flat[len(drawn) :]:
        axes.set_visible(False)
    for index, (axes, sets) in enumerate(zip(panels.flat, drawn, strict=False)):
        _draw_panel(axes, sets[0], own, norm, size)
        _head_panel(axes, [members[0].alignment_title for members in sets], size.least)
        if index % n_columns == 0:
            axes.set_ylabel("alignment")
        if index + n_columns >= len(drawn):
            axes.set_xlabel("uniformity")
    if norm is not None:
        bar = figure.colorbar(ScalarMappable(norm, colormaps["cividis"]), ax=panels, fraction=0.03, pad=0.02)
        canvas.few_ticks(bar.ax.yaxis)
        bar.set_label("similarity score × 100")
        bar.outline.set_visible(False)
    layout.finish(
        figure, texts, rows, Panels([size.height] * n_lines, size.least, size.most), _handles(known, own)
    )
    return figure


def panels_of(rows: Sequence[PlaneRow]) -> dict[str, list[list[PlaneRow]]]:
    """First measurement of a panel → the rows of each measurement that would look like it, its own first.

    Measurements are drawn together if they are of one family and one variant, have the same encoders, and no value
    differs by more than `_NEAR` of the range over encoders.
    """
    found: dict[str, list[list[PlaneRow]]] = {}
    for name in unique(row.alignment_set for row in rows):
        members = [row for row in rows if row.alignment_set == name]
        alike = next((first for first, sets in found.items() if _look_alike(sets[0], members)), name)
        found.setdefault(alike, []).append(members)
    return found


def _known(rows: Sequence[PlaneRow]) -> list[PlaneRow]:
    return [row for row in rows if not math.isnan(row.alignment) and not math.isnan(row.uniformity)]


def _look_alike(one: Sequence[PlaneRow], other: Sequence[PlaneRow]) -> bool:
    places = {row.model: (row.uniformity, row.alignment) for row in one}
    if (one[0].family, one[0].variant) != (other[0].family, other[0].variant):
        return False
    if [row.model for row in one] != [row.model for row in other]:
        return False
    ranges = [_range([place[axis] for place in places.values()]) for axis in (0, 1)]
    return all(
        abs(value - before) <= _NEAR * span
        for row in other
        for value, before, span in zip(
            (row.uniformity, row.alignment), places[row.model], ranges, strict=True
        )
    )


def texts_of(rows: Sequence[PlaneRow]) -> Caption:
    """Texts of the plane of alignment and uniformity."""
    are_scored = any(not math.isnan(row.score) for row in rows)
    title = "Alignment, uniformity and similarity scores" if are_scored else "Alignment and uniformity"
    if not rows:
        return nothing(title)
    n_sets = len(unique(row.alignment_set for row in rows))
    panels = panels_of(_known(rows))
    return Caption(
        title=title,
        reading=sentences(
            "Lower is better on both axes: sentences with the same meaning close together (alignment), all "
            "sentences spread out (uniformity).",
            "A square is a control." if any(row.is_control for row in rows) else "",
            f"Colour: {rows[0].score_title}." if are_scored else "",
            "White: no score." if are_scored and any(math.isnan(row.score) for row in rows) else "",
            *(
                [
                    "Panels have their own axes: variants, splits and thresholds cannot be compared "
                    "with each other."
                ]
                if len(panels) > 1
                else []
            ),
            f"≈: values of these measurements differ by at most {percent(_NEAR)} of the range over encoders; "
            "the panel shows the first, the table of alignments has all."
            if any(len(sets) > 1 for sets in panels.values())
            else "",
            "A point without a letter has no room for one."
            if len(unique(row.model for row in rows)) > _MANY
            else "",
            data_note(rows),
        ),
        alternative=f"Scatter of uniformity against alignment for {encoders(rows)} in {n_sets} "
        f"{'measurement' if n_sets == 1 else 'measurements'}"
        + (
            ", coloured by similarity score. The tables of alignments and of similarity have the same numbers."
            if are_scored
            else ". The table of alignments has the same numbers."
        ),
    )


def _draw_panel(
    axes: Axes, rows: Sequence[PlaneRow], own: Mapping[str, str], norm: Normalize | None, size: _Size
) -> None:
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
    across, up = _points(axes, size)
    points = [(across(row.uniformity), up(row.alignment)) for row in rows]
    sizes = [(72 * lettering.width(own[row.model], _SIZE, bold=True), float(_SIZE)) for row in rows]
    places = placement.places(points, sizes, (72 * size.least, 72 * size.height))
    for row, place in zip(rows, places, strict=True):
        if place.is_readable:
            point = (row.uniformity, row.alignment)
            placement.write(axes, own[row.model], point, place, size=_SIZE, bold=True)


def _head_panel(axes: Axes, titles: Sequence[str], inches: float) -> None:
    fits = lettering.into(inches, _LEGEND_SIZE, bold=True)
    heading = []
    for place, title in enumerate(titles):
        lines = lettering.wrap(f"≈ {title}" if place else title, fits)
        last = _MOST_HEADING_LINES - 1
        heading += [*lines[:last], lettering.cut(" ".join(lines[last:]), fits)] if lines[last:] else lines
    axes.set_title("\n".join(heading), loc="left", fontweight="bold", color=canvas.INK)


def _set_limits(axes: Axes, rows: Sequence[PlaneRow]) -> None:
    for set_limits, values in (
        (axes.set_xlim, [row.uniformity for row in rows]),
        (axes.set_ylim, [row.alignment for row in rows]),
    ):
        span = _range(values)
        set_limits(min(values) - 0.15 * span, max(values) + 0.15 * span)


def _range(values: Sequence[float]) -> float:
    return max(values) - min(values) or _LEAST_RANGE


def _points(axes: Axes, size: _Size) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """Places along both axes in points (1/72 inch) of the smallest panel."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    return (
        lambda value: 72 * size.least * (value - left) / (right - left),
        lambda value: 72 * size.height * (value - bottom) / (top - bottom),
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
