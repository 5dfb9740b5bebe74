"""Figures with a panel per task, or per family of tasks, and a line per encoder, all on one axis."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol, TypeVar

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.report import captions
from sentflow.report.figure import canvas, lettering
from sentflow.report.figure.panels import panels
from sentflow.report.rows import DataRow

_LINE_INCHES = 0.15
_LABEL_SIZE, _LABEL_INCHES = 6.5, 1.6
CHANCE = {"color": canvas.QUIET, "linewidth": 0.8, "linestyle": (0, (4, 3))}
"""Look of the line at 0."""


class NamedEncoder(canvas.EncoderInRow, DataRow, Protocol):
    """What a row says of its encoder."""

    @property
    def model_title(self) -> str:
        """As people know it."""


class Head(NamedTuple):
    """What stands above a panel: a name, which no other has, and a title below."""

    name: str
    title: str


Row = TypeVar("Row", bound=NamedEncoder)
DrawLine = Callable[[Axes, Row, int, canvas.Look], None]


def draw(
    rows: Sequence[Row],
    draw_line: DrawLine[Row],
    *,
    head: Callable[[Row], Head],
    ends: Callable[[Row], Iterable[float]],
    legend: Sequence[Line2D],
) -> Figure:
    """A panel for each name of a head, in the order of the rows. `rows`: one per panel and encoder; at least one."""
    by_panel: dict[Head, list[Row]] = {}
    for row in rows:
        by_panel.setdefault(head(row), []).append(row)
    titles = {row.model: row.model_title for row in rows}
    labels = lettering.distinct(titles, lettering.into(_LABEL_INCHES, _LABEL_SIZE))
    looks, heights = canvas.looks(rows), {model: height for height, model in enumerate(titles)}
    limits = _limits([0.0, *(end for row in rows for end in ends(row))])

    def draw_panel(panel: Head, axes: Axes) -> None:
        axes.axvline(0, zorder=0, **CHANCE)  # type: ignore[arg-type]
        axes.grid(axis="x")
        for row in by_panel[panel]:
            draw_line(axes, row, heights[row.model], looks[row.model])
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
        canvas.few_ticks(axes.xaxis)
        axes.set_yticks(range(len(labels)), list(labels.values()))
        axes.set_ylim(len(labels) - 0.4, -0.6)
        axes.set_xlim(*limits)

    return panels(
        {panel: panel.name for panel in by_panel}, draw_panel, rows=rows,
        heights=[_LINE_INCHES * (len(titles) + 0.2)], width=(1.2, 4.0),
        subtitles={panel: panel.title for panel in by_panel}, legend=legend,
    )  # fmt: skip


def _limits(values: Sequence[float]) -> tuple[float, float]:
    known = [value for value in values if not math.isnan(value)]
    margin = 0.03 * (max(known) - min(known)) or 0.05
    return min(known) - margin, max(known) + margin


class OfTask(Protocol):
    """What a row says of its task."""

    @property
    def task(self) -> str:
        """Its name."""

    @property
    def task_title(self) -> str:
        """As people know it."""

    @property
    def metric(self) -> str:
        """What its scores are."""


def head_of_task(row: OfTask) -> Head:
    """Name and metric of a task above its title."""
    return Head(f"{row.task} ({captions.metric_name(row.metric)})", row.task_title)
