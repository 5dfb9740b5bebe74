"""Figures of panels in lines and columns, placed by matplotlib's constrained layout.

Panels have a size in inches; the figure grows by what labels, legend and headings need around them, so that no number
of encoders or tasks makes panels collapse.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import attrgetter
from typing import Any, TypeVar

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.report.figure import canvas, lettering
from sentflow.report.figure.canvas import INK, PAGE_WIDTH, Look
from sentflow.report.numbers import counted
from sentflow.report.rows import DataRow, data_versions, is_sample

STAMP_COLOR = "#B3400A"
_PAD = 0.05  # inches around each panel with its labels
_HEADING_LINES, _SUBTITLE_LINES = 3, 3
_SUBTITLE, _SUBTITLE_SIZE, _SUBTITLE_LINE = "subtitle", 6, 7  # points
_BESIDE = 0.6  # inches of labels beside a panel, about
_LEGEND_INCHES, _LEGEND_HANDLE = 3.0, 0.55  # of a text of the legend at most; of what stands beside it
_CLOSE = 0.05  # inches by which a figure may be off
_LEAST_WIDTH = 2.6  # inches of a figure, in which the stamp has room

Key = TypeVar("Key", bound=Hashable)


def panels(
    headings: Mapping[Key, str],
    draw: Callable[..., None],
    *,
    rows: Sequence[DataRow],
    columns: int = 3,
    heights: Sequence[float] = (1.2,),
    parts: int = 1,
    width: tuple[float, float] = (1.3, 3.0),
    share: tuple[Any, Any] = (True, True),
    labels: Sequence[str] = ("", ""),
    subtitles: Mapping[Key, str] | None = None,
    legend: Sequence[Line2D] = (),
    bar: tuple[ScalarMappable, str] | None = None,
) -> Figure:
    """A panel for each key, line by line, with its heading above it.

    `draw`: of a key and the axes of its panel, of which there are `parts`, one below the other. `rows`: say whether the
    data are made up. `columns`: panels of a line, at most. `heights`: inches of the axes of a panel, or of all lines.
    `width`: inches of a panel, at least and at most. `share`: of the horizontal and the vertical axis, as `subplots`
    has it. `labels`: below the lowest panels, and beside each of the parts in the first column. `subtitles`: smaller,
    below headings. `bar`: a scale of colours with its label.
    """
    n_columns = min(columns, len(headings))
    n_lines = math.ceil(len(headings) / n_columns)
    inches = [*heights] * (n_lines if len(heights) == parts else 1)
    # large enough for all labels at first: the layout fails where panels have no room
    high = math.fsum(inches) + 1.2 * n_lines + 0.2 * len(legend) + 1.5
    figure = Figure(figsize=(PAGE_WIDTH + n_columns * width[0], high), layout="constrained")
    FigureCanvasAgg(figure)  # what measures letters
    grid = figure.subplots(
        n_lines * parts, n_columns, squeeze=False, sharex=share[0], sharey=share[1], height_ratios=inches
    )
    upper: dict[Key, Axes] = {}
    for index, key in enumerate(headings):
        line, column = divmod(index, n_columns)
        own = grid[line * parts : (line + 1) * parts, column]
        draw(key, *own)
        upper[key] = own[0]
        is_lowest = index + n_columns >= len(headings)
        if share[0]:
            for place, axes in enumerate(own, 1):
                axes.tick_params(labelbottom=is_lowest and place == parts)
        if is_lowest and labels[0]:
            own[-1].set_xlabel(labels[0])
        for axes, label in zip(own, labels[1:], strict=False):
            if column == 0 and label:
                axes.set_ylabel(label)
    for index in range(len(headings), n_lines * n_columns):
        line, column = divmod(index, n_columns)
        for axes in grid[line * parts : (line + 1) * parts, column]:
            axes.set_visible(False)
    if bar is not None:
        scale = figure.colorbar(bar[0], ax=grid, fraction=0.03, pad=0.02)
        canvas.few_ticks(scale.ax.yaxis)
        scale.set_label(bar[1])
        scale.outline.set_visible(False)
    _stamp(figure, rows)
    _settle(
        figure, inches, n_columns, width, legend, lambda room: _head(upper, headings, subtitles or {}, room)
    )
    return figure


def nothing_drawn(why: str, rows: Sequence[DataRow]) -> Figure:
    """A figure that only says why it shows nothing."""
    figure = Figure(figsize=(PAGE_WIDTH, 0.8))
    lines = lettering.wrap(why, lettering.into(PAGE_WIDTH - 0.2, 7))
    figure.text(0.1 / PAGE_WIDTH, 0.3, "\n".join(lines), va="center", color=INK)
    _stamp(figure, rows)
    return figure


def curve(axes: Axes, rows: Sequence[Any], x: str, y: str, factor: float = 1, **line: Any) -> None:
    """A line through rows by two of their attributes, in the order of the first."""
    members = sorted(rows, key=attrgetter(x))
    axes.plot([getattr(row, x) for row in members], [factor * getattr(row, y) for row in members], **line)


def left_out(numbers: Mapping[str, int]) -> str:
    """That so many things are not drawn, where a figure has no room for them."""
    more = [counted(n, what) for what, n in numbers.items() if n > 0]
    return f"Not drawn: {' and '.join(more)}; they are in the data of the figure." if more else ""


def handles(rows: Sequence[Any], looks: Mapping[str, Look], **line: Any) -> list[Line2D]:
    """An entry of the legend for each look; `line` is given to every one."""
    return named(looks, {row.model: row.model_title for row in rows}, **line)


def named(looks: Mapping[str, Look], titles: Mapping[str, str], **line: Any) -> list[Line2D]:
    """The same of what has titles by name."""
    return [
        Line2D([], [], **{"color": look.color, "marker": look.marker, "label": titles[name], **line})
        for name, look in looks.items()
    ]


def _stamp(figure: Figure, rows: Sequence[DataRow]) -> None:
    versions = data_versions(rows)
    n_sample = sum(map(is_sample, versions))
    if n_sample:
        figure.suptitle(
            "SAMPLE DATA" if n_sample == len(versions) else "PARTLY SAMPLE DATA",
            x=0.985, ha="right", fontsize=7, fontweight="bold", color=STAMP_COLOR,
            bbox={"boxstyle": "round,pad=0.3", "facecolor": "#FFF4EC", "edgecolor": STAMP_COLOR, "linewidth": 0.8},
        )  # fmt: skip


def _settle(
    figure: Figure,
    heights: Sequence[float],
    n_columns: int,
    limits: tuple[float, float],
    legend: Sequence[Line2D],
    head: Callable[[float], None],
) -> None:
    """Size the figure so that its panels have their inches; then keep everything where it is."""
    engine = figure.get_layout_engine()
    assert engine is not None
    engine.set(w_pad=_PAD, h_pad=_PAD, wspace=0, hspace=0)  # type: ignore[call-arg]
    entries = _fitted(legend)
    entry = (
        lettering.widest([str(one.get_label()) for one in entries], 7) + _LEGEND_HANDLE if entries else 0.0
    )
    # headings are wrapped to a guess at first: where it is right, as mostly, the second turn is the last one
    room = min(max(PAGE_WIDTH / n_columns - _BESIDE, limits[0]), limits[1])
    head(room)
    for turn in range(4):
        for old in figure.legends:
            old.remove()
        if entries:
            n = max(1, min(len(entries), int(min(figure.get_figwidth(), max(PAGE_WIDTH, entry)) / entry)))
            figure.legend(handles=entries, loc="outside lower left", ncols=n, borderaxespad=0.1)
        engine.execute(figure)
        of_grid = [axes for axes in figure.axes if axes.get_subplotspec() is not None]
        sizes = [axes.get_position().size * figure.get_size_inches() for axes in of_grid]
        inches = float(sizes[0][0])
        if not turn:
            of_page = inches + (PAGE_WIDTH - figure.get_figwidth()) / n_columns
            room = min(max(of_page, limits[0]), limits[1])
            head(room)
        over = figure.get_figwidth() + n_columns * (room - inches) - PAGE_WIDTH
        room = max(min(room, limits[0]), room - max(0.0, over) / n_columns)
        tall = math.fsum(float(height) for _, height in sizes[::n_columns])
        wide = max(figure.get_figwidth() + n_columns * (room - inches), entry + 2 * _PAD, _LEAST_WIDTH)
        high = figure.get_figheight()
        # a legend of more lines in a narrower figure needs the height of the start for a turn
        if turn or not entries or int(wide / entry) >= n or n == 1:
            high += math.fsum(heights) - tall
        if turn and max(abs(wide - figure.get_figwidth()), abs(high - figure.get_figheight())) < _CLOSE:
            break
        figure.set_size_inches(round(wide, 3), round(high, 3))
    else:
        engine.execute(figure)
    figure.set_layout_engine("none")


def _fitted(legend: Sequence[Line2D]) -> list[Line2D]:
    """The entries of a legend with names that fit, no two alike."""
    labels = {str(place): str(one.get_label()) for place, one in enumerate(legend)}
    short = lettering.distinct(labels, lettering.into(_LEGEND_INCHES, 7))
    for one, label in zip(legend, short.values(), strict=True):
        one.set_label(label)
    return list(legend)


def _head(
    upper: Mapping[Key, Axes], headings: Mapping[Key, str], subtitles: Mapping[Key, str], inches: float
) -> None:
    """Headings, and subtitles below them, in the lines that the width of a panel makes of them."""
    # what has lines of its own was fitted to them
    wanted = {str(place): text for place, text in enumerate(headings.values()) if text and "\n" not in text}
    short = lettering.stacked(wanted, inches, 7, bold=True, lines=_HEADING_LINES)
    below = {key: _subtitle(text, inches) for key, text in subtitles.items()}
    pad = 4 + _SUBTITLE_LINE * max(map(len, below.values()), default=0)
    for place, (key, axes) in enumerate(upper.items()):
        axes.set_title(
            short.get(str(place), headings[key]), loc="left", fontweight="bold", color=INK, pad=pad
        )
        for old in [text for text in axes.texts if text.get_label() == _SUBTITLE]:
            old.remove()
        if below.get(key):
            axes.annotate(
                "\n".join(below[key]), (0, 1), xytext=(0, pad - 2), xycoords="axes fraction",
                textcoords="offset points", va="top", fontsize=_SUBTITLE_SIZE, color=canvas.QUIET,
                linespacing=lettering.LINE, label=_SUBTITLE,
            )  # fmt: skip


def _subtitle(text: str, inches: float) -> list[str]:
    fits = lettering.into(inches, _SUBTITLE_SIZE)
    lines = [line for part in text.split("\n") for line in lettering.wrap(part, fits)]
    kept = lines[: _SUBTITLE_LINES - 1]
    rest = " ".join(lines[len(kept) :])
    return [*kept, lettering.cut(rest, fits)] if rest else kept
