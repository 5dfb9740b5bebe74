"""Where the panels of a figure stand: in lines and columns, each with its size in inches, and room for its labels.

Labels are measured where the panels stand at first, and once more where they stand then. A solver, such as matplotlib's
constrained layout, measures three times as often and has nothing to choose.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from sentflow.report.figure.canvas import PAGE_WIDTH

MARGIN = 0.06  # inches at the edges
_MOST_PASSES = 6
_CLOSE = 0.01  # inches by which a panel may be off
_LARGEST_LABEL = 2 * PAGE_WIDTH  # inches on one side of a panel
_DIGITS = 3  # of inches, so that no last digit of a measured letter moves a panel
_BAR_SHARE, _BAR_GAP = 0.03, 0.1  # width of a colour bar, as a share of the panels, and inches before it


class Surround(Protocol):
    """What stands above and below the panels, in inches; it depends on the width of the figure."""

    def head(self, width: float) -> float:
        """Above the panels."""

    def foot(self, width: float) -> float:
        """Below the panels."""

    def least_width(self) -> float:
        """That it needs."""


@dataclass(frozen=True)
class Panels:
    """Room for the panels themselves, in inches, without labels."""

    heights: Sequence[float]  # of the lines of panels
    least_width: float  # of a panel: below it the figure becomes wider than a page
    most_width: float = math.inf  # of a panel: above it the figure stays narrower than a page


def settle(figure: Figure, panels: Panels, surround: Surround, *, title: str) -> tuple[float, float]:
    """Place the panels; width of the figure, and height without its surround, in which they have their size.

    Raises RuntimeError: a label is too large for any figure; names the figure by its title.
    """
    FigureCanvasAgg(figure)  # what measures letters
    labels = _Labels.guessed(figure)
    for _ in range(_MOST_PASSES):
        size = _place(figure, panels, surround, labels)
        found = _Labels.measured(figure)
        if found.close_to(labels):
            break
        labels = found
        if labels.largest > _LARGEST_LABEL:
            raise RuntimeError(
                f"the figure {title!r} has labels that leave no room for its panels: one takes "
                f"{labels.largest:.0f} inches"
            )
    return size


@dataclass(frozen=True)
class _Labels:
    """Inches that labels take around panels, margins included."""

    # left, right: of each column
    left: Sequence[float]
    right: Sequence[float]
    # top, bottom: of each line
    top: Sequence[float]
    bottom: Sequence[float]
    bar: float  # of a colour bar beside the last column

    @classmethod
    def guessed(cls, figure: Figure) -> "_Labels":
        """Before anything is measured: only what lies far off makes another pass necessary."""
        n_lines, n_columns = _shape(figure)
        return cls([0.4] * n_columns, [0.1] * n_columns, [0.2] * n_lines, [0.3] * n_lines, 0.0)

    @classmethod
    def measured(cls, figure: Figure) -> "_Labels":
        """Of a figure whose panels stand somewhere: they move with the panels."""
        n_lines, n_columns = _shape(figure)
        left, right, top, bottom = ([MARGIN] * n for n in (n_columns, n_columns, n_lines, n_lines))
        bar = 0.0
        width, height = (float(inches) for inches in figure.get_size_inches())
        renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
        for axes in figure.axes:
            box = axes.get_tightbbox(renderer, for_layout_only=True)
            spec = axes.get_subplotspec()
            if box is None:
                continue
            around = box.transformed(figure.dpi_scale_trans.inverted())
            place = axes.get_position(original=True)
            if spec is None:
                bar = around.x1 - place.x0 * width + MARGIN + _BAR_GAP
                continue
            column, line = spec.colspan.start, spec.rowspan.start
            left[column] = max(left[column], place.x0 * width - around.x0 + MARGIN)
            right[column] = max(right[column], around.x1 - place.x1 * width + MARGIN)
            top[line] = max(top[line], around.y1 - place.y1 * height + MARGIN)
            bottom[line] = max(bottom[line], place.y0 * height - around.y0 + MARGIN)
        return cls(_rounded(left), _rounded(right), _rounded(top), _rounded(bottom), _rounded([bar])[0])

    @property
    def width(self) -> float:
        """Inches beside all columns."""
        return math.fsum([*self.left, *self.right, self.bar])

    @property
    def height(self) -> float:
        """Inches above and below all lines."""
        return math.fsum([*self.top, *self.bottom])

    @property
    def largest(self) -> float:
        """Most inches on one side of a panel."""
        return max(self._all())

    def close_to(self, other: "_Labels") -> bool:
        """Whether no label is off by more than is seen."""
        return all(abs(own - its) < _CLOSE for own, its in zip(self._all(), other._all(), strict=True))

    def _all(self) -> list[float]:
        return [*self.left, *self.right, *self.top, *self.bottom, self.bar]


def _place(figure: Figure, panels: Panels, surround: Surround, labels: _Labels) -> tuple[float, float]:
    """Put the panels where their labels have room; width of the figure, and height without its surround."""
    n_columns = len(labels.left)
    room = max(n_columns * panels.least_width, PAGE_WIDTH - labels.width)
    width = max(surround.least_width(), labels.width + min(room, n_columns * panels.most_width))
    column = (width - labels.width) / n_columns
    height = math.fsum(panels.heights) + labels.height
    foot = surround.foot(width)
    total = surround.head(width) + height + foot
    figure.set_size_inches(width, total)
    starts = [math.fsum([*labels.left[: n + 1], *labels.right[:n], n * column]) for n in range(n_columns)]
    tops = [
        foot + height - math.fsum([*labels.top[: n + 1], *labels.bottom[:n], *panels.heights[:n]])
        for n in range(len(labels.top))
    ]
    end = starts[-1] + column
    for axes in figure.axes:
        spec = axes.get_subplotspec()
        if spec is None:
            left, bottom = end + labels.right[-1] + _BAR_GAP, tops[-1] - panels.heights[-1]
            box = left, bottom, _BAR_SHARE * (end - starts[0]), tops[0] - bottom
        else:
            inches = panels.heights[spec.rowspan.start]
            box = starts[spec.colspan.start], tops[spec.rowspan.start] - inches, column, inches
        x, y, wide, high = box
        axes.set_position((x / width, y / total, wide / width, high / total))
    return width, height


def _shape(figure: Figure) -> tuple[int, int]:
    """Lines and columns of panels."""
    grid = figure.axes[0].get_subplotspec().get_gridspec()  # type: ignore[union-attr]
    return grid.nrows, grid.ncols


def _rounded(sizes: Sequence[float]) -> list[float]:
    return [round(float(inches), _DIGITS) for inches in sizes]
