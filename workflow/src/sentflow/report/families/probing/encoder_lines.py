"""Figures with a panel per task, or per family of tasks, and a line per encoder, all on one axis."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol, TypeVar

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.report import captions
from sentflow.report.figure import canvas, layout, lettering
from sentflow.report.figure.panels import Panels
from sentflow.report.figure.recipe import Caption
from sentflow.report.rows import DataRow

_COLUMNS = 3
_LINE_INCHES = 0.15
_LABEL_SIZE, _LABEL_INCHES = 6.5, 1.6
_LEAST_PANEL, _MOST_PANEL = 1.2, 4.0  # inches
_TITLE_SIZE, _MOST_TITLE_LINES = 6, 3  # of the title of a task below its name
_TITLE_GAP, _TITLE_LINE = 4, 7  # points
CHANCE = {"color": canvas.QUIET, "linewidth": 0.8, "linestyle": (0, (4, 3))}
"""Look of the line at 0."""


class NamedEncoder(canvas.EncoderInRow, DataRow, Protocol):
    """What a row says of its encoder."""

    @property
    def model_title(self) -> str:
        """As people know it."""


class Head(NamedTuple):
    """What stands above a panel: its name, which no other has, what is never cut off behind it, and a title below."""

    name: str
    end: str
    title: str


Row = TypeVar("Row", bound=NamedEncoder)
DrawLine = Callable[[Axes, Row, int, canvas.Look], None]


def draw(
    rows: Sequence[Row],
    draw_line: DrawLine[Row],
    *,
    head: Callable[[Row], Head],
    ends: Callable[[Row], Iterable[float]],
    texts: Caption,
    legend: Sequence[Line2D],
) -> Figure:
    """A panel for each name of a head, in the order of the rows. `rows`: one per panel and encoder; at least one."""
    by_panel: dict[Head, list[Row]] = {}
    for row in rows:
        by_panel.setdefault(head(row), []).append(row)
    titles = {row.model: row.model_title for row in rows}
    labels = lettering.distinct(titles, lettering.into(_LABEL_INCHES, _LABEL_SIZE))
    n_columns = min(_COLUMNS, len(by_panel))
    n_lines = math.ceil(len(by_panel) / n_columns)
    beside = lettering.widest(list(labels.values()), _LABEL_SIZE)
    inches = min(_MOST_PANEL, layout.column_inches(n_columns, beside))
    headings = _headings(list(by_panel), inches)
    below = {panel: _title_lines(panel.title, inches) for panel in by_panel}
    figure = Figure()
    grid = figure.subplots(n_lines, n_columns, sharex=True, sharey=True, squeeze=False)
    looks, heights = canvas.looks(rows), {model: height for height, model in enumerate(titles)}
    for axes in grid.flat[len(by_panel) :]:
        axes.set_visible(False)
    for index, (axes, (panel, members)) in enumerate(zip(grid.flat, by_panel.items(), strict=False)):
        axes.axvline(0, zorder=0, **CHANCE)
        axes.grid(axis="x")
        for row in members:
            draw_line(axes, row, heights[row.model], looks[row.model])
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
        _head(axes, headings[panel], below[panel], max(map(len, below.values())))
        # sharing an axis hides the numbers of a panel that has an empty place below it
        axes.tick_params(labelbottom=index + n_columns >= len(by_panel))
    canvas.few_ticks(grid[0, 0].xaxis)
    grid[0, 0].set_yticks(range(len(labels)), list(labels.values()))
    grid[0, 0].set_ylim(len(labels) - 0.4, -0.6)
    grid[0, 0].set_xlim(*_limits([0.0, *(end for row in rows for end in ends(row))]))
    panels = Panels([_LINE_INCHES * (len(titles) + 0.2)] * n_lines, _LEAST_PANEL, _MOST_PANEL)
    layout.finish(figure, texts, rows, panels, legend)
    return figure


def _headings(heads: Sequence[Head], inches: float) -> dict[Head, str]:
    """Name and end of each head; names are cut where they do not fit, no two to the same."""
    room = inches - lettering.widest([head.end for head in heads], 7, bold=True)
    names = lettering.starts({head.name: head.name for head in heads}, lettering.into(room, 7, bold=True))
    return {head: names[head.name] + head.end for head in heads}


def _title_lines(title: str, inches: float) -> list[str]:
    """Lines of a title; what needs too many is cut."""
    fits = lettering.into(inches, _TITLE_SIZE)
    lines = lettering.wrap(title, fits)
    kept = lines[: _MOST_TITLE_LINES - 1]
    rest = " ".join(lines[len(kept) :])
    return [*kept, lettering.cut(rest, fits)] if rest else kept


def _head(axes: Axes, heading: str, title: Sequence[str], n_lines: int) -> None:
    """Name above title; in all panels as high as the longest title needs."""
    pad = _TITLE_GAP + _TITLE_LINE * n_lines
    axes.set_title(heading, loc="left", fontweight="bold", color=canvas.INK, pad=pad)
    axes.annotate(
        "\n".join(title), (0, 1), xytext=(0, pad - 2), xycoords="axes fraction", textcoords="offset points",
        va="top", fontsize=_TITLE_SIZE, color=canvas.QUIET, linespacing=lettering.LINE,
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
    return Head(row.task, f" ({captions.metric_name(row.metric)})", row.task_title)
