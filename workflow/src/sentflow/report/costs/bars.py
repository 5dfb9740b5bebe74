"""Time and memory per rule as bars."""

import math
from collections.abc import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sentflow.report.costs.rows import CostRow
from sentflow.report.figure import canvas, layout
from sentflow.report.figure.panels import Panels
from sentflow.report.figure.recipe import Caption, Recipe
from sentflow.report.numbers import MISSING, count, duration, memory
from sentflow.report.rows import data_note


def draw(rows: Sequence[CostRow]) -> Figure:
    """Rules from the longest to the shortest; left the time of all jobs, right the largest memory of one."""
    ordered = sorted(rows, key=lambda row: (-row.wall_seconds, row.rule))
    panels = Panels([0.19 * len(ordered)], least_width=2.0)
    figure = Figure()
    times, memories = figure.subplots(1, 2, sharey=True)
    _bars(times, [row.wall_seconds for row in ordered], duration, color="#0072B2")
    _bars(memories, [row.max_rss_mb for row in ordered], memory, color="#E69F00")
    labels = [f"{row.rule} ({count(row.jobs)} {'job' if row.jobs == 1 else 'jobs'})" for row in ordered]
    times.set_yticks(range(len(ordered)), labels)
    times.set_ylim(len(ordered) - 0.4, -0.6)
    times.set_title("Time, summed over jobs", loc="left", color=canvas.INK)
    memories.set_title("Largest memory of one job", loc="left", color=canvas.INK)
    layout.finish(figure, texts_of(rows), rows, panels)
    return figure


def texts_of(rows: Sequence[CostRow]) -> Caption:
    """Texts of the bars of time and memory."""
    longest = max(rows, key=lambda row: row.wall_seconds)
    return Caption(
        title="Time and memory per rule",
        reading="Jobs that ran in parallel took less wall-clock time. " + data_note(rows),
        alternative=f"Bars of time and memory for {len(rows)} rules; the longest is {longest.rule} with "
        f"{duration(longest.wall_seconds)} over {longest.jobs} jobs. "
        "The table of costs has the same numbers.",
    )


def _bars(axes: Axes, values: Sequence[float], written: Callable[[float], str], *, color: str) -> None:
    known = [0.0 if math.isnan(value) else value for value in values]
    axes.barh(range(len(known)), known, color=color, height=0.62)
    for line, value in enumerate(values):
        text = MISSING if math.isnan(value) else written(value)
        axes.annotate(
            text, (known[line], line), xytext=(3, 0), textcoords="offset points", va="center", fontsize=6.5
        )
    # room for the numbers behind the longest bar
    axes.set_xlim(0, max(known, default=0.0) * 1.22 or 1.0)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(axis="y", length=0)


FIGURE = Recipe(CostRow, draw, texts_of)
