"""The figures of geometry: alignment and uniformity, spectra, shortened vectors, and what goes with scores."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from statistics import NormalDist
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.compare.differences import letters
from sentflow.compare.score_rows import ScoreRow
from sentflow.files.rows import row_from
from sentflow.report import captions
from sentflow.report.families.geometry.rows import (
    AlignmentRow,
    AssociationRow,
    GeometryRow,
    PlaneRow,
    SpectrumRow,
    TruncationRow,
)
from sentflow.report.families.probing.rows import average_score, of_main_protocol
from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.rows import SimilarityRow, main_rows
from sentflow.report.figure import canvas, lettering
from sentflow.report.figure.panels import curve, handles, panels
from sentflow.report.figure.recipe import NOTHING, Recipe
from sentflow.report.numbers import percent
from sentflow.report.rows import grouped, unique
from sentflow.similarity.measures import spearman

# --- the plane of alignment and uniformity -----------------------------------------------------------------

_MANY = 16  # encoders, above which panels are larger, so that letters have room
_NEAR = 0.03  # of the range over encoders: points that are closer look like one
_LEAST_RANGE = 0.2
_SIZE = 6.5  # of letters beside points
_DISTANCES, _DEGREES = (5, 8, 12, 18), (35, 145, -35, -145, 90, -90, 0, 180)  # points and angles of letters
_RADIUS = 3.5  # points, of a marker


def _draw_plane(rows: Sequence[PlaneRow]) -> Figure:
    drawn = panels_of(rows)
    own = letters(unique(row.model for row in rows))
    columns, high, least, most = (3, 1.6, 1.55, 2.4) if len(own) <= _MANY else (2, 2.7, 2.7, 3.0)
    firsts = [members[0] for members in grouped(rows, "model").values()]
    scores = [row.score for row in rows if not math.isnan(row.score)]
    norm = Normalize(min(scores), max(scores)) if scores else None
    return panels(
        {name: " ≈ ".join(members[0].alignment_title for members in sets) for name, sets in drawn.items()},
        lambda name, axes: _draw_points(axes, drawn[name][0], own, norm, (least, high)),
        rows=rows, columns=columns, heights=[high], width=(least, most), share=(False, False),
        labels=("uniformity", "alignment"), legend=[_letter_handle(own[row.model], row) for row in firsts],
        bar=(ScalarMappable(norm, colormaps["cividis"]), "similarity score × 100") if norm else None,
    )  # fmt: skip


def panels_of(rows: Sequence[PlaneRow]) -> dict[str, list[list[PlaneRow]]]:
    """First measurement of a panel → the rows of each measurement that would look like it, its own first.

    Measurements are drawn together if they are of one family and one variant, have the same encoders, and no value
    differs by more than `_NEAR` of the range over encoders.
    """
    drawn: dict[str, list[list[PlaneRow]]] = {}
    for name, members in grouped(rows, "alignment_set").items():
        alike = next((first for first, sets in drawn.items() if _look_alike(sets[0], members)), name)
        drawn.setdefault(alike, []).append(members)
    return drawn


def plane_rows(alignments: Sequence[AlignmentRow], similarity: Sequence[SimilarityRow]) -> list[PlaneRow]:
    """Every alignment and uniformity with the mean similarity score of the encoder on the sets of the same family.

    A family without scored sets, such as pairs that are all paraphrases, takes the mean over all sets.
    """
    main = [row for row in main_rows(similarity) if not row.is_baseline]
    found = []
    for row in alignments:
        own = [other for other in main if other.family == row.family] or main
        sets = unique(other.pairs for other in own)
        coefficient = own[0].coefficient.capitalize() if own else "Spearman"
        of_sets = sets[0] if len(sets) == 1 else f"mean of {len(sets)} pair sets"
        score, title = mean_scores(own).get(row.model, math.nan), f"{coefficient} × 100, {of_sets}"
        found.append(row_from(PlaneRow, vars(row), score=score, score_title=title))
    return found


def mean_scores(rows: Sequence[SimilarityRow]) -> dict[str, float]:
    """Encoder → mean × 100 over the pair sets of the rows; NaN where one is undefined or missing."""
    members = [row for row in rows if not row.is_baseline]
    n_sets = len(unique(row.pairs for row in members))
    return {
        model: math.fsum(100 * row.value for row in own) / n_sets if len(own) == n_sets else math.nan
        for model, own in grouped(members, "model").items()
    }


def _known(rows: Sequence[PlaneRow]) -> list[PlaneRow]:
    return [row for row in rows if not math.isnan(row.alignment + row.uniformity)]


def _look_alike(one: Sequence[PlaneRow], other: Sequence[PlaneRow]) -> bool:
    if (one[0].family, one[0].variant) != (other[0].family, other[0].variant):
        return False
    if [row.model for row in one] != [row.model for row in other]:
        return False
    here, there = (np.array([(row.uniformity, row.alignment) for row in rows]) for rows in (one, other))
    ranges = np.array([_range(values) for values in here.T])
    return bool((abs(there - here) <= _NEAR * ranges).all())


def _read_plane(rows: Sequence[PlaneRow]) -> Iterator[str]:
    yield "Lower is better on both axes: similar sentences close together (alignment), all spread out (uniformity)."
    if any(row.is_control for row in rows):
        yield "A square is a control."
    if any(not math.isnan(row.score) for row in rows):
        yield f"Colour: {rows[0].score_title}; white: no score."
    drawn = panels_of(rows)
    if len(drawn) > 1:
        yield "Variants, splits and thresholds cannot be compared with each other."
    if any(len(sets) > 1 for sets in drawn.values()):
        yield f"≈: these measurements differ by at most {percent(_NEAR)} of the range over encoders; one is drawn."


def _draw_points(
    axes: Axes,
    rows: Sequence[PlaneRow],
    own: Mapping[str, str],
    norm: Normalize | None,
    inches: tuple[float, float],
) -> None:
    points = np.array([(row.uniformity, row.alignment) for row in rows])
    axes.set_xlim(*_around(points[:, 0]))
    axes.set_ylim(*_around(points[:, 1]))
    axes.grid(True)
    canvas.few_ticks(axes.xaxis, axes.yaxis)
    for row in rows:
        is_scored = norm is not None and not math.isnan(row.score)
        axes.plot(
            row.uniformity, row.alignment, linestyle="none", markersize=6, markeredgewidth=0.7,
            marker="s" if row.is_control else "o", markeredgecolor=canvas.INK,
            markerfacecolor=colormaps["cividis"](norm(row.score)) if is_scored and norm else "white",
        )  # fmt: skip
    _write_letters(axes, points, [own[row.model] for row in rows], 72 * np.array(inches))


def _write_letters(axes: Axes, points: np.ndarray, texts: Sequence[str], room: np.ndarray) -> None:
    """Each letter in the first free place beside its point; where there is none it is left out."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    centres = (points - np.array([left, bottom])) / np.array([right - left, top - bottom]) * room
    taken = [(*(centre - _RADIUS), *(centre + _RADIUS)) for centre in centres]
    for point, text, centre in zip(points.tolist(), texts, centres, strict=True):
        wide = 72 * lettering.width(text, _SIZE, bold=True)
        for distance, degrees in itertools.product(_DISTANCES, _DEGREES):
            turn = math.radians(degrees)
            x = distance * math.cos(turn) - wide * (1 - math.cos(turn)) / 2
            y = distance * math.sin(turn) - _SIZE * (1 - math.sin(turn)) / 2
            box = centre[0] + x, centre[1] + y, centre[0] + x + wide, centre[1] + y + _SIZE
            is_inside = box[0] >= 0 and box[1] >= 0 and box[2] <= room[0] and box[3] <= room[1]
            over = (a[0] < box[2] and box[0] < a[2] and a[1] < box[3] and box[1] < a[3] for a in taken)
            if is_inside and not any(over):
                taken.append(box)
                axes.annotate(
                    text, point, xytext=(x, y), textcoords="offset points", va="bottom", fontsize=_SIZE,
                    fontweight="bold", color=canvas.INK, in_layout=False,
                )  # fmt: skip
                break


def _range(values: Sequence[float] | np.ndarray) -> float:
    return float(max(values) - min(values)) or _LEAST_RANGE


def _around(values: np.ndarray) -> tuple[float, float]:
    span = _range(values)
    return float(min(values)) - 0.15 * span, float(max(values)) + 0.15 * span


def _letter_handle(letter: str, row: PlaneRow) -> Line2D:
    return Line2D(
        [], [], linestyle="none", marker="s" if row.is_control else "o", markersize=5, markerfacecolor="white",
        markeredgecolor=canvas.INK, markeredgewidth=0.7, label=f"{letter}  {row.model_title}",
    )  # fmt: skip


PLANE = Recipe(
    PlaneRow,
    _draw_plane,
    "Alignment and uniformity",
    _read_plane,
    lambda inputs: plane_rows(inputs.rows_if_there(AlignmentRow), inputs.rows_if_there(SimilarityRow)),
    nothing=NOTHING,
    shown=_known,
)


# --- the spectrum ------------------------------------------------------------------------------------------

_LEAST_SHARE = 1e-7  # below it, what is drawn is rounding


def _draw_spectrum(rows: Sequence[SpectrumRow]) -> Figure:
    families, looks = grouped(rows, "family"), canvas.looks(rows)
    # colour is not all: controls are dashed
    dashes = {model: (0, (3.0, 1.5)) if look.marker == "s" else None for model, look in looks.items()}
    styles: dict[str, dict[str, Any]] = {
        model: {"color": look.color, "linestyle": dashes[model]} for model, look in looks.items()
    }

    def draw_half(key: tuple[str, bool], axes: Axes) -> None:
        family, is_sum = key
        if is_sum:
            axes.plot([0, 1], [0, 1], color=canvas.QUIET, linewidth=0.8, linestyle=(0, (1, 2)))
        for model, own in grouped(families[family], "model").items():
            members = sorted(own, key=attrgetter("component"))
            if is_sum:
                places = [0, *(row.component / row.dimension for row in members)]
                axes.plot(places, [0, *(row.cumulative for row in members)], **styles[model])
            else:
                shown = [row for row in members if row.share > _LEAST_SHARE]
                axes.plot([row.component for row in shown], [row.share for row in shown], **styles[model])
        if is_sum:
            axes.set_xlim(0, 1)
            axes.set_ylim(0, 1.03)
        else:
            axes.set_xscale("log")
            axes.set_yscale("log")
            canvas.plain_numbers(axes.xaxis, axes.yaxis)
        axes.set_ylabel("cumulative share" if is_sum else "share of variance")
        axes.grid(True)
        if family == list(families)[-1]:
            whole = ", share of all dimensions"
            axes.set_xlabel(f"principal directions{whole}" if is_sum else "principal direction")

    headings = {(family, is_sum): "" if is_sum else family for family in families for is_sum in (False, True)}
    titles = {row.model: row.model_title for row in rows}
    return panels(
        headings, draw_half, rows=rows, columns=2, heights=[1.55], width=(2.0, 4.0), share=(False, False),
        legend=[Line2D([], [], label=title, **styles[model]) for model, title in titles.items()],
    )  # fmt: skip


SPECTRUM = Recipe(
    SpectrumRow,
    _draw_spectrum,
    "Spectrum of the embeddings",
    lambda _: [
        "Left: share of the variance along each principal direction. Right: of all up to it; dotted: a space that uses "
        "all directions equally."
    ],
    nothing=NOTHING,
)


# --- shortened vectors -------------------------------------------------------------------------------------

_WIDTH = (1.3, 2.4)  # inches of a panel


def _draw_truncation(rows: Sequence[TruncationRow]) -> Figure:
    sets, looks = grouped(rows, "pairs"), canvas.looks(rows)
    tried = sorted({row.dimensions for row in rows}, reverse=True)

    def draw_set(name: str, axes: Axes) -> None:
        for model, look in looks.items():
            own = [row for row in sets[name] if row.model == model]
            curve(
                axes, own, "dimensions", "spearman", 100, color=look.color, marker=look.marker, markersize=2.8
            )
        axes.set_xscale("log", base=2)
        axes.grid(True)
        canvas.few_ticks(axes.yaxis)
        canvas.spaced_ticks(axes.xaxis, tried, str, inches=_WIDTH[0])

    return panels(
        {name: name for name in sets}, draw_set, rows=rows, columns=4, heights=[1.15], width=_WIDTH,
        labels=("dimensions kept", "Spearman × 100"), legend=handles(rows, looks),
    )  # fmt: skip


TRUNCATION = Recipe(
    TruncationRow,
    _draw_truncation,
    "Scores of shortened vectors",
    lambda _: [
        "Spearman's correlation × 100 if only the first dimensions of each vector are kept. Most encoders were not "
        "trained for truncation."
    ],
    nothing=NOTHING,
)


# --- geometry and scores -----------------------------------------------------------------------------------

SIMILARITY, TASKS = "similarity", "tasks"
_FEWEST = 4  # encoders, below which there is no variance of Fisher's transformation
_LINE_INCHES = 0.19
_CLEAR, _UNCLEAR = "#0072B2", "#777777"


def correlation_interval(correlation: float, n: int, level: float) -> tuple[float, float]:
    """Interval of Spearman's correlation over `n` encoders.

    Returns limits in [-1, 1]; NaN where the correlation is undefined.

    Bonett and Wright 2000, equation 6: tanh(atanh ρ ± z · sqrt((1 + ρ²/2) / (n − 3))). With 3 encoders or fewer the
    variance is infinite and the interval is [-1, 1]. Perfect order, ρ = ±1, has no finite transformation; its inner
    limit is that of the next value that n ranks can give, 1 − 12 / (n (n² − 1)), its outer one ±1.
    """
    if math.isnan(correlation):
        return math.nan, math.nan
    if n < _FEWEST:
        return -1.0, 1.0
    nearest = 1 - 12 / (n * (n**2 - 1))
    inside = max(-nearest, min(nearest, correlation))
    half = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt((1 + inside**2 / 2) / (n - 3))
    low, high = math.tanh(math.atanh(inside) - half), math.tanh(math.atanh(inside) + half)
    return (-1.0 if correlation < -nearest else low), (1.0 if correlation > nearest else high)


def association_rows(
    geometry: Sequence[GeometryRow], similarity: Sequence[SimilarityRow], scores: Sequence[ScoreRow] = ()
) -> list[AssociationRow]:
    """Every measure of every family against its similarity scores, and against the tasks where there are any."""
    main, shown = main_rows(similarity), of_main_protocol(scores)
    level = main[0].level if main else 0.95
    against = {SIMILARITY: "similarity"}
    tasks: dict[str, float] = {}
    if shown:
        n_tasks = len(unique(row.task for row in shown))
        tasks = {model: average_score(own, n_tasks) for model, own in grouped(shown, "model").items()}
        against[TASKS] = f"mean of {n_tasks} tasks{captions.of_protocol(shown[0].protocol, scores)}"
    found = []
    for family, of_family in grouped([row for row in geometry if not row.pairs], "family").items():
        values = {SIMILARITY: mean_scores([row for row in main if row.family == family]), TASKS: tasks}
        for members in grouped(of_family, "measure").values():
            found += [
                _association(members, score, title, values[score], level)
                for score, title in against.items()
                if values[score]
            ]
    return found


def _association(
    rows: Sequence[GeometryRow], score: str, title: str, values: Mapping[str, float], level: float
) -> AssociationRow:
    known = [row for row in rows if not math.isnan(row.value + values.get(row.model, math.nan))]
    pairs = np.array([(row.value, values[row.model]) for row in known]).T
    correlation = spearman(*pairs) if len(known) > 1 else math.nan
    low, high = correlation_interval(correlation, len(known), level)
    own: dict[str, Any] = {
        "score": score,
        "score_title": title,
        "encoders": "; ".join(row.model_title for row in known),
    }
    own |= {"n_models": len(known), "n_controls": sum(row.is_control for row in known), "level": level}
    return row_from(AssociationRow, vars(rows[0]) | own, correlation=correlation, low=low, high=high)


def _draw_association(rows: Sequence[AssociationRow]) -> Figure:
    scores = {row.score: row.score_title for row in rows}
    measures = {family: unique(row.measure for row in own) for family, own in grouped(rows, "family").items()}
    members = grouped(rows, "family", "score")

    def draw_panel(key: tuple[str, str], axes: Axes) -> None:
        lines = measures[key[0]]
        _draw_lines(axes, members.get(key, []), lines)
        labels = [words.geometry_name(measure) for measure in lines]
        is_first = key[1] == next(iter(scores))
        axes.set_yticks(range(len(lines)), labels if is_first else [""] * len(lines))

    return panels(
        {(family, score): f"{family}: {title}" for family in measures for score, title in scores.items()},
        draw_panel, rows=rows, columns=len(scores), width=(1.6, 4.0), share=(True, False),
        heights=[_LINE_INCHES * (len(lines) + 0.2) for lines in measures.values()],
        labels=("Spearman's correlation over encoders", ""),
    )  # fmt: skip


def _draw_lines(axes: Axes, rows: Sequence[AssociationRow], measures: Sequence[str]) -> None:
    axes.axvline(0, color=canvas.QUIET, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    axes.grid(axis="x")
    for row in rows:
        line = measures.index(row.measure)
        is_known = not math.isnan(row.correlation)
        if is_known:
            clear = row.low > 0 or row.high < 0
            color = _CLEAR if clear else _UNCLEAR
            axes.plot((row.low, row.high), (line, line), color=color, linewidth=1.2)
            axes.plot(
                row.correlation, line, marker="o", markersize=4, markeredgecolor=color,
                markerfacecolor=color if clear else "white",
            )  # fmt: skip
        axes.annotate(
            f"n = {row.n_models}{'' if is_known else ', undefined'}", (1, line), xytext=(8, 0),
            xycoords=("axes fraction", "data"), textcoords="offset points", va="center", fontsize=6, color=canvas.QUIET,
        )  # fmt: skip
    axes.set_ylim(len(measures) - 0.4, -0.6)
    axes.set_xlim(-1.05, 1.05)
    canvas.bare_lines(axes)


def _read_association(rows: Sequence[AssociationRow]) -> list[str]:
    fewest, most = min(row.n_models for row in rows), max(row.n_models for row in rows)
    return [
        f"Spearman's correlation over {fewest if fewest == most else f'{fewest} to {most}'} encoders between a measure "
        f"of geometry and a score, with {percent(rows[0].level)} intervals (Bonett and Wright 2000), not adjusted.",
        f"Encoders: {max((row.encoders for row in rows), key=len)}.",
        "With three encoders or fewer the interval is the whole range." if fewest <= 3 else "",
        "A correlation over encoders is not a cause: encoders differ in size, data and training at once.",
    ]


ASSOCIATION = Recipe(
    AssociationRow,
    _draw_association,
    "Geometry and scores over encoders",
    _read_association,
    lambda inputs: association_rows(*map(inputs.rows_if_there, (GeometryRow, SimilarityRow, ScoreRow))),
    nothing=NOTHING,
    what="measure",
    named_by="measure",
)
