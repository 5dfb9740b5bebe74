"""Score against what an encoder costs: points, names, and the front that nobody beats in both."""

import math
from collections.abc import Callable, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.report import comparison_texts
from sentflow.report.costs.rows import EncoderRow
from sentflow.report.figure import canvas, layout, lettering, placement
from sentflow.report.figure.panels import Panels
from sentflow.report.figure.recipe import Recipe
from sentflow.report.numbers import seconds_each

_HEIGHT, _LEAST_WIDTH = 2.3, 6.2  # inches of the panel
_BAND = 4.0  # factor between the place of encoders without weights and the smallest model
_ROOM = 2.2  # factor of the axis beyond the outermost points
_MAX_TICKS = 9
_MOST_NAMES = 10  # beside points; of more encoders the legend tells
_SIZE, _NAME_INCHES = 6.5, 1.9
_LEGEND_SIZE, _LEGEND_INCHES = 7, 2.8


def draw_sizes(rows: Sequence[EncoderRow]) -> Figure:
    """Mean score against trained values, on a logarithmic axis; no weights is a place of its own at the left."""
    known = [row for row in rows if not math.isnan(row.parameters)]
    none_at = min((row.parameters for row in known if row.parameters > 0), default=1e6) / _BAND
    figure, axes = _axes(rows)
    legend = _draw(axes, known, [row.parameters or none_at for row in known], canvas.looks(rows))
    axes.set_xlabel("trained parameters of the model")
    ticks = log_ticks(*axes.get_xlim())
    labels = [_short_count(tick) for tick in ticks]
    if any(row.parameters == 0 for row in known):
        border = none_at * math.sqrt(_BAND)
        axes.axvline(border, color=canvas.QUIET, linewidth=0.5, linestyle=(0, (1, 2)))
        ticks = [none_at, *(tick for tick in ticks if tick > border)]
        labels = ["no weights", *(_short_count(tick) for tick in ticks[1:])]
    axes.set_xticks(ticks, labels)
    axes.set_xticks([], minor=True)
    layout.finish(figure, comparison_texts.sizes(rows), rows, Panels([_HEIGHT], _LEAST_WIDTH), legend)
    return figure


def draw_speed(rows: Sequence[EncoderRow]) -> Figure:
    """Mean score against the time to embed 1,000 texts, on a logarithmic axis."""
    timed = [row for row in rows if row.texts > 0 and row.embed_seconds > 0]
    figure, axes = _axes(rows)
    legend = _draw(axes, timed, [1000 * row.embed_seconds / row.texts for row in timed], canvas.looks(rows))
    axes.set_xlabel("time to embed 1,000 texts")
    ticks = log_ticks(*axes.get_xlim())
    axes.set_xticks(ticks, [seconds_each(tick) for tick in ticks])
    axes.set_xticks([], minor=True)
    layout.finish(figure, comparison_texts.speed(rows), rows, Panels([_HEIGHT], _LEAST_WIDTH), legend)
    return figure


def front(costs: Sequence[float], scores: Sequence[float]) -> list[int]:
    """Positions of the points that no other beats, from the cheapest to the dearest.

    A point is beaten by one that costs no more and scores no less, and is better in one of the two. Of equal points
    the first stays.
    """
    order = sorted(range(len(costs)), key=lambda index: (costs[index], -scores[index]))
    kept: list[int] = []
    for index in order:
        if not kept or scores[index] > scores[kept[-1]]:
            kept.append(index)
    return kept


def log_ticks(low: float, high: float) -> list[float]:
    """1, 3, 10, 30, … between two limits; powers of ten alone where these would be too many."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [
        step * 10.0**decade for decade in decades for step in (1, 3) if low <= step * 10.0**decade <= high
    ]
    return (
        ticks
        if len(ticks) <= _MAX_TICKS
        else [10.0**decade for decade in decades if low <= 10.0**decade <= high]
    )


def _axes(rows: Sequence[EncoderRow]) -> tuple[Figure, Axes]:
    figure = Figure()
    axes = figure.subplots()
    axes.set_ylabel(f"mean score of {rows[0].n_tasks} tasks")
    axes.grid(axis="y")
    canvas.few_ticks(axes.yaxis)
    return figure, axes


def _draw(
    axes: Axes, rows: Sequence[EncoderRow], costs: Sequence[float], looks: Mapping[str, canvas.Look]
) -> list[Line2D]:
    """Points and the front; names beside the points, or, where these have no room, the lines of a legend."""
    axes.set_xscale("log")
    shown = [(row, cost) for row, cost in zip(rows, costs, strict=True) if not math.isnan(row.mean)]
    if not shown:
        axes.text(0.5, 0.5, "no data", transform=axes.transAxes, ha="center", color=canvas.QUIET)
        return []
    scores = [row.mean for row, _ in shown]
    places = [cost for _, cost in shown]
    best = front(places, scores)
    axes.step(
        [places[index] for index in best], [scores[index] for index in best],
        where="post", color=canvas.QUIET, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1,
    )  # fmt: skip
    axes.set_xlim(min(places) / _ROOM, max(places) * _ROOM)
    span = max(scores) - min(scores) or 0.1
    axes.set_ylim(min(scores) - 0.15 * span, max(scores) + 0.2 * span)
    for row, cost in shown:
        look = looks[row.model]
        axes.plot(cost, row.mean, marker=look.marker, color=look.color, markersize=5, linestyle="none")
    if len(shown) <= _MOST_NAMES and _write_names(axes, shown):
        return []
    titles = {row.model: row.model_title for row, _ in shown}
    names = lettering.distinct(titles, lettering.into(_LEGEND_INCHES, _LEGEND_SIZE))
    return [
        Line2D([], [], color=looks[model].color, marker=looks[model].marker, linestyle="none", label=name)
        for model, name in names.items()
    ]


def _write_names(axes: Axes, shown: Sequence[tuple[EncoderRow, float]]) -> bool:
    """A name beside each marker; none where one of them would cover a marker or another name."""
    titles = {row.model: row.model_title for row, _ in shown}
    names = lettering.distinct(titles, lettering.into(_NAME_INCHES, _SIZE))
    across, up = _part(*axes.get_xlim(), logarithmic=True), _part(*axes.get_ylim(), logarithmic=False)
    points = [(72 * _LEAST_WIDTH * across(cost), 72 * _HEIGHT * up(row.mean)) for row, cost in shown]
    sizes = [(72 * lettering.width(names[row.model], _SIZE), _SIZE * lettering.LINE) for row, _ in shown]
    places, free = placement.places(points, sizes, (72 * _LEAST_WIDTH, 72 * _HEIGHT))
    if not free:
        return False
    for (row, cost), place in zip(shown, places, strict=True):
        placement.write(axes, names[row.model], (cost, row.mean), place, size=_SIZE)
    return True


def _part(low: float, high: float, *, logarithmic: bool) -> Callable[[float], float]:
    """A value's place between two limits, as a part of the way."""
    if logarithmic:
        return lambda value: math.log(value / low) / math.log(high / low)
    return lambda value: (value - low) / (high - low)


def _short_count(value: float) -> str:
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g} {letter}"
    return f"{value:g}"


SIZES = Recipe(EncoderRow, draw_sizes, comparison_texts.sizes)
SPEED = Recipe(EncoderRow, draw_speed, comparison_texts.speed)
