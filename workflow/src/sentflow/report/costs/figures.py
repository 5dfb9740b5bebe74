"""The figures of costs: time and memory per rule, and what encoders score against what they cost."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sentflow.compare.comparisons import Comparisons
from sentflow.files.rows import row_from
from sentflow.report.costs.rows import CostRow, EncoderRow
from sentflow.report.figure import canvas
from sentflow.report.figure.panels import handles, panels
from sentflow.report.figure.recipe import Recipe
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import (
    MISSING,
    count,
    counted,
    duration,
    memory,
    percent,
    seconds_each,
    short_count,
)
from sentflow.report.rows import unique

# --- time and memory ---------------------------------------------------------------------------------------

_BARS = {
    "Time, summed over jobs": ("wall_seconds", duration, "#0072B2"),
    "Largest memory of one job": ("max_rss_mb", memory, "#E69F00"),
}


def _draw_bars(rows: Sequence[CostRow]) -> Figure:
    ordered = sorted(rows, key=lambda row: (-row.wall_seconds, row.rule))

    def draw_bars(heading: str, axes: Axes) -> None:
        attribute, written, color = _BARS[heading]
        values = [float(getattr(row, attribute)) for row in ordered]
        lengths = [0.0 if math.isnan(value) else value for value in values]
        axes.barh(range(len(values)), lengths, color=color, height=0.62)
        for line, value in enumerate(values):
            text = MISSING if math.isnan(value) else written(value)
            place = (lengths[line], line)
            axes.annotate(text, place, xytext=(3, 0), textcoords="offset points", va="center", fontsize=6.5)
        # room for the numbers behind the longest bar
        axes.set_xlim(0, max(lengths, default=0.0) * 1.22 or 1.0)
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)
        axes.tick_params(axis="y", length=0)
        labels = [f"{row.rule} ({count(row.jobs)} {'job' if row.jobs == 1 else 'jobs'})" for row in ordered]
        axes.set_yticks(range(len(labels)), labels)
        axes.set_ylim(len(labels) - 0.4, -0.6)

    return panels(
        {heading: heading for heading in _BARS}, draw_bars, rows=rows, columns=2, width=(2.0, 4.0),
        heights=[0.19 * len(ordered)], share=(False, True),
    )  # fmt: skip


BARS = Recipe(
    CostRow,
    _draw_bars,
    "Time and memory per rule",
    lambda _: ["Jobs that ran in parallel took less wall-clock time."],
    what="rule",
    named_by="rule",
)


# --- a score against a cost --------------------------------------------------------------------------------

_ROOM = 1.6  # factor of the axis beyond the outermost points
_MAX_TICKS = 9


class Point(NamedTuple):
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
        style = {"marker": look.marker, "color": look.color, "markersize": 4.5, "linestyle": "none"}
        axes.plot(point.cost, point.value, **style)  # type: ignore[arg-type]


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
    powers = [10.0**decade for decade in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    ticks = [step * power for power in powers for step in (1, 3) if low <= step * power <= high]
    return ticks if len(ticks) <= _MAX_TICKS else [power for power in powers if low <= power <= high]


# --- encoders ----------------------------------------------------------------------------------------------

_HEIGHT, _PANELS_INCHES, _MOST_PANEL = 2.1, 5.8, 6.4
_FEWEST = 3  # encoders of a known cost, below which a panel would show no more than the table of encoders


@dataclass(frozen=True)
class TradeOffRow(EncoderRow):
    """An encoder, what it costs, and how sure its mean is."""

    # mean_low, mean_high, level: interval of the mean of the expected scores, for new texts of these tasks; see
    # `sentflow.compare.rows.RankRow`. NaN where there is none.
    mean_low: float = math.nan
    mean_high: float = math.nan
    level: float = math.nan


class _Cost(NamedTuple):
    """A kind of cost: what stands below its panel, how numbers are written, whose is not known, and why."""

    heading: str
    of: Callable[[TradeOffRow], float]
    written: Callable[[float], str]
    unknown: str


_TIME = _Cost(
    "time to embed 1,000 texts",
    lambda row: 1000 * row.embed_seconds / (row.texts or math.nan),
    seconds_each,
    "fitted in every fold",
)
_SIZE = _Cost(
    "trained parameters", lambda row: row.parameters, short_count, "of unknown size, or without any"
)


def _draw_trade_off(rows: Sequence[TradeOffRow]) -> Figure:
    shown = _shown_costs(rows)
    looks, least = canvas.looks(rows), _PANELS_INCHES / len(shown)

    def draw_cost(cost: _Cost, axes: Axes) -> None:
        known = _known(rows, cost)
        points = [Point(row.model, cost.of(row), row.mean, row.mean_low, row.mean_high) for row in known]
        draw_points(axes, points, looks)
        axes.set_xlabel(cost.heading)
        write_ticks(axes, cost.written, [point.cost for point in points], inches=least)
        canvas.few_ticks(axes.yaxis)

    drawn = {row.model for cost in shown for row in _known(rows, cost)}
    of_legend = [row for row in rows if row.model in drawn]
    entries = handles(of_legend, {row.model: looks[row.model] for row in of_legend}, linestyle="none")
    return panels(
        dict.fromkeys(shown, ""), draw_cost, rows=rows, heights=[_HEIGHT], width=(least, _MOST_PANEL),
        share=(False, True), labels=("", f"mean score of {rows[0].n_tasks} tasks"), legend=entries,
    )  # fmt: skip


def _read_trade_off(rows: Sequence[TradeOffRow]) -> Iterator[str]:
    first = rows[0]
    yield f"Mean score over {counted(first.n_tasks, 'task')}, protocol {first.protocol}."
    if levels := [row.level for row in rows if not math.isnan(row.mean_low)]:
        yield f"Lines: {percent(levels[0])} interval of the mean of the expected scores, for new texts of these tasks."
    if timed := _known(rows, _TIME):
        yield f"Time: on {', '.join(unique(row.device for row in timed))}, including loading the model, in one run."
    yield "Dashed: encoders that no other beats in both (Pareto front); it is not a test."
    for cost in (_TIME, _SIZE):
        known = _known(rows, cost)
        absent = [row.model_title for row in rows if row not in known and not math.isnan(row.mean)]
        if len(known) < _FEWEST:
            yield f"No panel of {cost.heading}: known of {counted(len(known), 'encoder')}."
        elif absent:
            yield f"No point for {', '.join(absent)}: {cost.unknown}."
    if incomplete := [row.model_title for row in rows if math.isnan(row.mean)]:
        yield f"Not shown, because a task is missing: {', '.join(incomplete)}."


def _shown_costs(rows: Sequence[TradeOffRow]) -> list[_Cost]:
    return [cost for cost in (_TIME, _SIZE) if len(_known(rows, cost)) >= _FEWEST]


def _known(rows: Sequence[TradeOffRow], cost: _Cost) -> list[TradeOffRow]:
    return [row for row in rows if not math.isnan(row.mean) and cost.of(row) > 0]


def _gather_trade_off(inputs: Inputs) -> list[TradeOffRow]:
    """The encoders with the intervals of their means, where `compare` wrote them."""
    ranks = {(row.protocol, row.model): row for row in inputs.together(Comparisons).ranks}
    rows = []
    for row in inputs.rows_if_there(EncoderRow):
        rank = ranks.get((row.protocol, row.model))
        limits = {"mean_low": rank.mean_low, "mean_high": rank.mean_high, "level": rank.level} if rank else {}
        rows.append(row_from(TradeOffRow, vars(row), **limits))
    return rows


TRADE_OFF = Recipe(
    TradeOffRow,
    _draw_trade_off,
    "Score against cost",
    _read_trade_off,
    _gather_trade_off,
    nothing=f"Not drawn: fewer than {_FEWEST} encoders have a score on every task and a known time or size.",
    shown=lambda rows: rows if _shown_costs(rows) else [],
)
