"""Time and memory per rule as bars."""

import math
from collections.abc import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sentflow.report.costs.rows import CostRow
from sentflow.report.figure.panels import panels
from sentflow.report.figure.recipe import Caption, Recipe
from sentflow.report.numbers import MISSING, count, duration, memory
from sentflow.report.rows import data_note

_TIME, _MEMORY = "Time, summed over jobs", "Largest memory of one job"


def draw(rows: Sequence[CostRow]) -> Figure:
    """Rules from the longest to the shortest; left the time of all jobs, right the largest memory of one."""
    ordered = sorted(rows, key=lambda row: (-row.wall_seconds, row.rule))
    labels = [f"{row.rule} ({count(row.jobs)} {'job' if row.jobs == 1 else 'jobs'})" for row in ordered]

    def draw_bars(heading: str, axes: Axes) -> None:
        if heading == _TIME:
            _bars(axes, [row.wall_seconds for row in ordered], duration, color="#0072B2")
        else:
            _bars(axes, [row.max_rss_mb for row in ordered], memory, color="#E69F00")
        axes.set_yticks(range(len(ordered)), labels)
        axes.set_ylim(len(ordered) - 0.4, -0.6)

    return panels(
        {heading: heading for heading in (_TIME, _MEMORY)}, draw_bars, rows=rows, columns=2, width=(2.0, 4.0),
        heights=[0.19 * len(ordered)], share=(False, True),
    )  # fmt: skip


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
