"""The figure of a board: models in order, with the places that the tests leave open, and brackets of ties."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.boards.standing import Standing
from sentflow.report.board.table import LEVEL, reading
from sentflow.report.figure import canvas, lettering
from sentflow.report.figure.canvas import INK, QUIET
from sentflow.report.figure.panels import panels
from sentflow.report.figure.recipe import Caption
from sentflow.report.numbers import counted, decimal

_MOST_LINES = 60  # of a column of models; above, there are two columns
_LINE_INCHES, _NAME_INCHES, _SIZE = (0.15, 0.105), (2.0, 1.35), (6.5, 5.5)  # of one column, of two
_THIN, _THICK = 0.7, (3.2, 2.2)  # points
_FIRST, _REST = "#0072B2", "#8A8A8A"
_TIE: dict[str, Any] = {"color": INK, "linewidth": 0.8}
_LANE, _ROOM = 0.03, 0.35  # width of a bracket at most, and of all together, as parts of the axis
_REACH = 0.4  # places by which a line reaches beyond its ends, so that a single place can be seen
_TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500)


def draw(standing: Standing) -> Figure:
    """Names, means, thick and thin intervals of places; under the style of `canvas`."""
    n, places = len(standing.places), standing.places
    n_columns = 1 if n <= _MOST_LINES else 2
    wide = n_columns - 1
    n_lines = math.ceil(n / n_columns)
    room = lettering.into(_NAME_INCHES[wide], _SIZE[wide])
    names = lettering.distinct({str(at): place.model for at, place in enumerate(places)}, room)
    step = next((step for step in _TICKS if n / step <= 5), n)
    placed = list(lanes(standing.brackets))
    n_lanes = max((lane for *_, lane in placed), default=-1) + 1
    lane_width = min(_LANE, _ROOM / max(n_lanes, 1)) * n
    end = n + 0.5 + (n_lanes + 2) * lane_width

    def draw_column(column: int, axes: Axes) -> None:
        shown = range(column * n_lines, min((column + 1) * n_lines, n))
        own, heights = [places[at] for at in shown], range(len(shown))
        if not standing.refusal:
            colors = [_FIRST if place.tied_for_first else _REST for place in own]
            low, high = [place.own_low - _REACH for place in own], [place.own_high + _REACH for place in own]
            board_low = [place.board_low - _REACH for place in own]
            board_high = [place.board_high + _REACH for place in own]
            axes.hlines(heights, board_low, board_high, colors, linewidth=_THIN)
            axes.hlines(heights, low, high, colors, linewidth=_THICK[wide])
        axes.plot([place.place for place in own], heights, "o", color=INK, markersize=2.4 - 0.6 * wide)
        for first, last, lane in placed:
            x, start = n + 0.5 + (lane + 1.5) * lane_width, shown.start
            top, bottom = max(first, start), min(last, shown.stop - 1)
            if top <= bottom:
                axes.vlines(x, top - start - 0.3, bottom - start + 0.3, **_TIE)
            # an end that goes on in another column has no arm
            arms = [at - start + beyond for at, beyond in ((first, -0.3), (last, 0.3)) if at in shown]
            axes.hlines(arms, x - 0.6 * lane_width, x, **_TIE)
        axes.grid(axis="x")
        canvas.bare_lines(axes)
        labels = [f"{names[str(at)]}  {decimal(places[at].mean, standing.board.digits)}" for at in shown]
        axes.set_yticks(heights, labels, fontsize=_SIZE[wide])
        axes.set_ylim(n_lines - 0.4, -0.6)
        axes.set_xlim(0.4, end)
        axes.set_xticks([1, *range(max(step, 2), n + 1, step)])
        axes.spines["bottom"].set_bounds(0.5, n + 0.5)

    return panels(
        dict.fromkeys(range(n_columns), ""),
        draw_column,
        rows=(),
        columns=2,
        heights=[_LINE_INCHES[wide] * (n_lines + 0.2)],
        width=(1.6, 3.6),
        share=(True, False),
        labels=["Place"],
        legend=_legend(standing, has_brackets=bool(placed)),
    )


def caption(standing: Standing) -> Caption:
    """Title, how to read the figure, and what stands in for it."""
    blue = "Blue: tied for first place. A bracket joins neighbours of which the tests separate no two."
    told = [str(standing.verdict()), *([] if standing.refusal else [*reading(standing), blue])]
    n = counted(len(standing.places), "model")
    return Caption(standing.title, " ".join(told), f"Places of {n}. The file board.csv has the numbers.")


def lanes(brackets: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    """Each bracket with the first lane in which it meets no other."""
    ends: list[int] = []
    for first, last in sorted(brackets):
        lane = next((lane for lane, end in enumerate(ends) if end < first), len(ends))
        ends[lane : lane + 1] = [last]
        yield first, last, lane


def _legend(standing: Standing, *, has_brackets: bool) -> list[Line2D]:
    if standing.refusal:
        return []
    entries = [
        Line2D([], [], color=QUIET, linewidth=_THICK[0], label=f"this model ({LEVEL})"),
        Line2D([], [], color=QUIET, linewidth=_THIN, label=f"all models ({LEVEL})"),
        Line2D([], [], color=_FIRST, linewidth=_THICK[0], label="tied for first"),
    ]
    return [*entries, *([Line2D([], [], label="not separated", **_TIE)] if has_brackets else [])]
