"""Score against what an encoder costs: points, names, and the front that nobody beats in both."""

import math
from collections.abc import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sentflow.report import canvas, comparison_texts
from sentflow.report.encoder_rows import EncoderRow
from sentflow.report.figure_texts import FigureTexts
from sentflow.report.numbers import seconds_each

_HEIGHT = 3.0
_BAND = 4.0  # factor between the place of encoders without weights and the smallest model
_ROOM = 2.2  # factor of the axis beyond the outermost points
_MAX_TICKS = 9
# of a name, at 6.5 points, as parts of the width and height of the axes
_NAME_WIDTH, _NAME_HEIGHT = 0.0083, 0.055
# in points, from a marker to its name: above or below, and further away for a name that finds no room
_OFFSETS = [(side * 6, height) for height in (4, -9, 13, -18) for side in (1, -1)]


def draw_sizes(rows: Sequence[EncoderRow]) -> Figure:
    """Mean score against trained values, on a logarithmic axis; no weights is a place of its own at the left."""
    known = [row for row in rows if not math.isnan(row.parameters)]
    none_at = min((row.parameters for row in known if row.parameters > 0), default=1e6) / _BAND
    figure, axes = _frame(rows, comparison_texts.sizes(rows))
    _draw(axes, known, [row.parameters or none_at for row in known], canvas.looks(rows))
    axes.set_xlabel("trained values of the model")
    ticks = log_ticks(*axes.get_xlim())
    labels = [_short_count(tick) for tick in ticks]
    if any(row.parameters == 0 for row in known):
        border = none_at * math.sqrt(_BAND)
        axes.axvline(border, color=canvas.QUIET, linewidth=0.5, linestyle=(0, (1, 2)))
        ticks = [none_at, *(tick for tick in ticks if tick > border)]
        labels = ["no weights", *(_short_count(tick) for tick in ticks[1:])]
    axes.set_xticks(ticks, labels)
    axes.set_xticks([], minor=True)
    return figure


def draw_speed(rows: Sequence[EncoderRow]) -> Figure:
    """Mean score against the time of embedding 1,000 texts, on a logarithmic axis."""
    timed = [row for row in rows if row.texts > 0 and row.embed_seconds > 0]
    figure, axes = _frame(rows, comparison_texts.speed(rows))
    _draw(axes, timed, [1000 * row.embed_seconds / row.texts for row in timed], canvas.looks(rows))
    axes.set_xlabel("time of embedding 1,000 texts")
    ticks = log_ticks(*axes.get_xlim())
    axes.set_xticks(ticks, [seconds_each(tick) for tick in ticks])
    axes.set_xticks([], minor=True)
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


def _frame(rows: Sequence[EncoderRow], texts: FigureTexts) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(canvas.PAGE_WIDTH, _HEIGHT))
    axes = figure.subplots()
    axes.set_ylabel(f"mean score of {rows[0].n_tasks} tasks")
    axes.grid(axis="y")
    canvas.frame(figure, texts, rows)
    return figure, axes


def _draw(
    axes: Axes, rows: Sequence[EncoderRow], costs: Sequence[float], looks: dict[str, canvas.Look]
) -> None:
    axes.set_xscale("log")
    shown = [(row, cost) for row, cost in zip(rows, costs, strict=True) if not math.isnan(row.mean)]
    if not shown:
        axes.text(0.5, 0.5, "nothing is known", transform=axes.transAxes, ha="center", color=canvas.QUIET)
        return
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
    _write_names(axes, shown)


def _write_names(axes: Axes, shown: Sequence[tuple[EncoderRow, float]]) -> None:
    """A name beside each marker, where it covers neither a marker nor another name, if there is such a place."""
    width, height = axes.figure.get_size_inches()  # type: ignore[union-attr]
    across, up = _parts(*axes.get_xlim(), logarithmic=True), _parts(*axes.get_ylim(), logarithmic=False)
    points = [(across(cost), up(row.mean)) for row, cost in shown]
    taken = [(x - 0.008, y - 0.02, x + 0.008, y + 0.02) for x, y in points]
    for (row, cost), (x, y) in zip(shown, points, strict=True):
        name = canvas.shorten(row.model_title, 34)

        def box(offset: tuple[int, int], x: float = x, y: float = y, name: str = name) -> tuple[float, ...]:
            # an inch is 72 points; the axes take about nine tenths of the figure
            start = x + offset[0] / 72 / (0.9 * width)
            length = _NAME_WIDTH * len(name)
            left = start if offset[0] > 0 else start - length
            bottom = y + offset[1] / 72 / (0.75 * height)
            return left, bottom, left + length, bottom + _NAME_HEIGHT

        def cost_of(offset: tuple[int, int]) -> float:
            left, bottom, right, top = box(offset)  # noqa: B023 - called in this turn of the loop only
            outside = max(0.0, -left) + max(0.0, right - 1) + max(0.0, -bottom) + max(0.0, top - 1)
            return 10 * outside + sum(_overlap((left, bottom, right, top), other) for other in taken)

        offset = min(_OFFSETS, key=lambda offset: (round(cost_of(offset), 6), _OFFSETS.index(offset)))
        taken.append(box(offset))  # type: ignore[arg-type]
        axes.annotate(
            name, (cost, row.mean), xytext=offset, textcoords="offset points",
            ha="left" if offset[0] > 0 else "right", fontsize=6.5, color=canvas.INK,
        )  # fmt: skip


def _parts(low: float, high: float, *, logarithmic: bool) -> Callable[[float], float]:
    """A value's place between two limits, as a part of the way."""
    if logarithmic:
        return lambda value: math.log(value / low) / math.log(high / low)
    return lambda value: (value - low) / (high - low)


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return 1000 * width * height if width > 0 and height > 0 else 0.0


def _short_count(value: float) -> str:
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g} {letter}"
    return f"{value:g}"
