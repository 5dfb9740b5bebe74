"""Panels of a score against a cost: points with their intervals, and the front that nobody beats in both."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from sentflow.report.figure import canvas

_ROOM = 1.6  # factor of the axis beyond the outermost points
_MAX_TICKS = 9
_TICK_SIZE = 6.5


@dataclass(frozen=True)
class Point:
    """A system: what it costs, above 0, and what it scores, with limits that may be NaN."""

    model: str
    cost: float
    value: float
    low: float
    high: float


def draw_points(axes: Axes, points: Sequence[Point], looks: Mapping[str, canvas.Look]) -> None:
    """Points, their intervals and the front, on a logarithmic axis that grows where panels share it."""
    axes.set_xscale("log")
    axes.grid(axis="y")
    if not points:
        axes.text(0.5, 0.5, "not known", transform=axes.transAxes, ha="center", color=canvas.QUIET)
        return
    costs, values = [point.cost for point in points], [point.value for point in points]
    best = front(costs, values)
    axes.step(
        [costs[index] for index in best], [values[index] for index in best],
        where="post", color=canvas.QUIET, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1,
    )  # fmt: skip
    for point in points:
        look = looks[point.model]
        if not math.isnan(point.low):
            axes.plot((point.cost,) * 2, (point.low, point.high), color=look.color, linewidth=0.7)
        axes.plot(
            point.cost, point.value, marker=look.marker, color=look.color, markersize=4.5, linestyle="none"
        )


def write_ticks(
    axes: Axes, written: Callable[[float], str], costs: Sequence[float], *, inches: float
) -> None:
    """The axis of all costs, and as many numbers on it as stand side by side in a panel of that width."""
    if costs:
        low, high = min(costs) / _ROOM, max(costs) * _ROOM
        ticks = log_ticks(low, high) or [float(f"{costs[0]:.2g}")]
        canvas.spaced_ticks(axes.xaxis, ticks, written, inches=inches)
        axes.set_xlim(low, high)


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
