"""The plane of alignment and uniformity: one panel per measurement, a point per encoder, coloured by its score."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
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
from sentflow.report.figure import canvas, lettering
from sentflow.report.figure.panels import nothing_drawn, panels
from sentflow.report.figure.recipe import NOTHING, Caption, Recipe, encoders, nothing, sentences
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import percent
from sentflow.report.rows import data_note, unique

_MANY = 16  # encoders, above which panels are larger, so that letters have room
_NEAR = 0.03  # of the range over encoders: points that are closer look like one
_LEAST_RANGE = 0.2
_SIZE = 6.5  # of letters beside points
_DISTANCES, _DEGREES = (5, 8, 12, 18), (35, 145, -35, -145, 90, -90, 0, 180)  # points and angles of letters
_RADIUS = 3.5  # points, of a marker


@dataclass(frozen=True)
class _Size:
    """Panels of a line, and inches of a panel."""

    columns: int
    height: float
    least: float
    most: float


def draw(rows: Sequence[PlaneRow]) -> Figure:
    """Points carry the letter of their encoder; the legend tells the letters."""
    known = _known(rows)
    if not known:
        return nothing_drawn(NOTHING, rows)
    drawn = panels_of(known)
    own = letters(unique(row.model for row in known))
    size = _Size(3, 1.6, 1.55, 2.4) if len(own) <= _MANY else _Size(2, 2.7, 2.7, 3.0)
    scores = [row.score for row in known if not math.isnan(row.score)]
    norm = Normalize(min(scores), max(scores)) if scores else None
    return panels(
        {name: " ≈ ".join(members[0].alignment_title for members in sets) for name, sets in drawn.items()},
        lambda name, axes: _draw_panel(axes, drawn[name][0], own, norm, size),
        rows=rows, columns=size.columns, heights=[size.height], width=(size.least, size.most), share=(False, False),
        labels=("uniformity", "alignment"), legend=_handles(known, own),
        bar=(ScalarMappable(norm, colormaps["cividis"]), "similarity score × 100") if norm else None,
    )  # fmt: skip


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
    _write_letters(
        axes, [(row.uniformity, row.alignment) for row in rows], [own[row.model] for row in rows], size
    )


def _write_letters(
    axes: Axes, points: Sequence[tuple[float, float]], texts: Sequence[str], size: _Size
) -> None:
    """Each letter in the first free place beside its point; where there is none it is left out."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    inside = np.array([left, bottom]), np.array([right - left, top - bottom])
    room = 72 * np.array([size.least, size.height])
    centres = (np.array(points) - inside[0]) / inside[1] * room
    taken = [(*(centre - _RADIUS), *(centre + _RADIUS)) for centre in centres]
    for point, text, centre in zip(points, texts, centres, strict=True):
        wide = 72 * lettering.width(text, _SIZE, bold=True)
        for distance, degrees in itertools.product(_DISTANCES, _DEGREES):
            turn = math.radians(degrees)
            x = distance * math.cos(turn) - wide * (1 - math.cos(turn)) / 2
            y = distance * math.sin(turn) - _SIZE * (1 - math.sin(turn)) / 2
            box = centre[0] + x, centre[1] + y, centre[0] + x + wide, centre[1] + y + _SIZE
            is_inside = box[0] >= 0 and box[1] >= 0 and box[2] <= room[0] and box[3] <= room[1]
            if is_inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                axes.annotate(
                    text, point, xytext=(x, y), textcoords="offset points", va="bottom", fontsize=_SIZE,
                    fontweight="bold", color=canvas.INK, in_layout=False,
                )  # fmt: skip
                break


def _overlap(one: Sequence[float], other: Sequence[float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _set_limits(axes: Axes, rows: Sequence[PlaneRow]) -> None:
    for set_limits, values in (
        (axes.set_xlim, [row.uniformity for row in rows]),
        (axes.set_ylim, [row.alignment for row in rows]),
    ):
        span = _range(values)
        set_limits(min(values) - 0.15 * span, max(values) + 0.15 * span)


def _range(values: Sequence[float]) -> float:
    return max(values) - min(values) or _LEAST_RANGE


def _handles(rows: Sequence[PlaneRow], own: Mapping[str, str]) -> list[Line2D]:
    is_control = {row.model: row.is_control for row in rows}
    titles = {row.model: row.model_title for row in rows}
    return [
        Line2D(
            [], [], linestyle="none", marker="s" if is_control[model] else "o", markersize=5, markerfacecolor="white",
            markeredgecolor=canvas.INK, markeredgewidth=0.7, label=f"{own[model]}  {name}",
        )
        for model, name in titles.items()
    ]  # fmt: skip


def gather(inputs: Inputs) -> list[PlaneRow]:
    """`plane_rows` of alignments and similarity."""
    return plane_rows(inputs.rows_if_there(AlignmentRow), inputs.rows_if_there(SimilarityRow))


FIGURE = Recipe(PlaneRow, draw, texts_of, gather, may_be_empty=True)
