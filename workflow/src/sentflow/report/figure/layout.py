"""The size of a figure and what stands around its panels: title, stamp of sample data, legend, reading aid.

Panels have a size in inches; the figure grows by what labels, legend and texts need around them. So no number of
encoders or tasks makes the panels collapse, and no text is cut at the edge. Labels are measured where the panels stand
at first and once more where they stand then; a solver, as of matplotlib's constrained layout, measures three times as
often, and would have nothing to choose.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.report.figure import lettering
from sentflow.report.figure.canvas import INK, PAGE_WIDTH
from sentflow.report.figure.texts import FigureTexts
from sentflow.report.rows import DataRow, data_versions, is_sample

STAMP_COLOR = "#B3400A"
MARGIN = 0.06  # inches at the edges
_TITLE_SIZE, _STAMP_SIZE, _LEGEND_SIZE, _READING_SIZE = 8, 7, 7, 6  # points
_READING_SPACE = 1.4  # distance of lines, in sizes of letters
_LEGEND_LINE = 0.155  # inches
_LEGEND_HANDLE = 0.35  # inches of line, marker and gaps beside a text of the legend
_LEAST_WIDTH = 4.4  # inches, below which title, stamp and reading aid would not stand well
_MOST_PASSES = 6
_CLOSE = 0.01  # inches by which a panel may be off
_MOST_LABELS = 60.0  # inches
_DIGITS = 3  # of inches, so that no last digit of a measured letter moves a panel
_BAR_SHARE, _BAR_GAP = 0.03, 0.1  # width of a colour bar, as a share of the panels, and inches before it


@dataclass(frozen=True)
class Panels:
    """Room for the panels themselves, in inches, without labels.

    Attributes
    ----------
    heights
        Of the lines of panels.
    least_width
        Of a panel: below it the figure becomes wider than a page.
    most_width
        Of a panel: above it the figure stays narrower than a page.
    """

    heights: Sequence[float]
    least_width: float
    most_width: float = math.inf


def finish(
    figure: Figure,
    texts: FigureTexts,
    rows: Sequence[DataRow],
    panels: Panels | None = None,
    legend: Sequence[Line2D] = (),
) -> None:
    """Size the figure, place its panels, and write title, stamp, legend and reading aid around them.

    Parameters
    ----------
    figure
        Drawn; its lines of panels have the ratios of `Panels.heights`.
    texts, rows
        What is written, and the data that it is made of.
    panels
        Room for the panels; None for a figure without any.
    legend
        Lines of the legend, in as many columns as fit.

    Raises
    ------
    RuntimeError
        Labels leave no room for the panels.
    """
    width, height, surround = PAGE_WIDTH, 0.0, _Surround(texts, rows, legend)
    if panels is not None:
        width, height = _settle(figure, panels, surround)
    head, foot = surround.head(width), surround.foot(width)
    figure.set_size_inches(width, head + height + foot)
    surround.write(figure)


def column_inches(n_columns: int, beside: float = 0.0) -> float:
    """Inches that each of some panels of a page gets, with so many inches of labels beside the first."""
    return (PAGE_WIDTH - beside) / n_columns - 3 * MARGIN


class _Surround:
    """What stands above and below the panels; its height depends on the width."""

    def __init__(self, texts: FigureTexts, rows: Sequence[DataRow], legend: Sequence[Line2D]) -> None:
        self.texts, self._legend = texts, legend
        self._stamp = _stamp_of(rows)

    def head(self, width: float) -> float:
        """Inches above the panels."""
        return 0.18 + _TITLE_SIZE * lettering.LINE / 72 * len(self._title(width))

    def foot(self, width: float) -> float:
        """Inches below the panels."""
        return self._reading_height(width) + self._legend_height(width) + MARGIN

    def least_width(self) -> float:
        """Inches that the widest entry of the legend needs."""
        return max(_LEAST_WIDTH, self._entry() + 2 * MARGIN)

    def write(self, figure: Figure) -> None:
        """Write everything on a figure whose size is set."""
        width, height = (float(inches) for inches in figure.get_size_inches())
        middle, left = 1 - 0.5 * self.head(width) / height, MARGIN / width
        figure.text(
            left, middle, "\n".join(self._title(width)),
            va="center", fontsize=_TITLE_SIZE, fontweight="bold", color=INK, linespacing=lettering.LINE,
        )  # fmt: skip
        if self._stamp:
            figure.text(
                1 - 0.08 / width, middle, self._stamp,
                ha="right", va="center", fontsize=_STAMP_SIZE, fontweight="bold", color=STAMP_COLOR,
                bbox={
                    "boxstyle": "round,pad=0.3",
                    "facecolor": "#FFF4EC",
                    "edgecolor": STAMP_COLOR,
                    "linewidth": 0.8,
                },
            )  # fmt: skip
        figure.text(
            left, 0.5 * MARGIN / height, "\n".join(self._reading(width)),
            va="bottom", fontsize=_READING_SIZE, linespacing=_READING_SPACE, color="#555555",
        )  # fmt: skip
        if self._legend:
            figure.legend(
                handles=list(self._legend),
                loc="upper left",
                bbox_to_anchor=(0.0, self.foot(width) / height),
                ncols=self._columns(width),
                borderaxespad=0.2,
            )

    def _title(self, width: float) -> list[str]:
        stamp = lettering.width(self._stamp, _STAMP_SIZE, bold=True) + 0.25 if self._stamp else 0.0
        fits = lettering.into(width - 2 * MARGIN - stamp, _TITLE_SIZE, bold=True)
        return lettering.wrap(self.texts.title, fits)

    def _reading(self, width: float) -> list[str]:
        return lettering.wrap(self.texts.reading, lettering.into(width - 2 * MARGIN, _READING_SIZE))

    def _reading_height(self, width: float) -> float:
        return _READING_SIZE * 1.5 / 72 * len(self._reading(width))

    def _entry(self) -> float:
        labels = [str(handle.get_label()) for handle in self._legend]
        return lettering.widest(labels, _LEGEND_SIZE) + _LEGEND_HANDLE + 0.2

    def _columns(self, width: float) -> int:
        return max(1, min(len(self._legend), int((width - MARGIN) / self._entry())))

    def _legend_height(self, width: float) -> float:
        return _LEGEND_LINE * math.ceil(len(self._legend) / self._columns(width)) if self._legend else 0.0


def _settle(figure: Figure, panels: Panels, surround: _Surround) -> tuple[float, float]:
    """Width of the figure, and height without its surround, in which the panels have their size."""
    FigureCanvasAgg(figure)  # what measures letters
    labels = _Labels.guessed(figure)
    for _ in range(_MOST_PASSES):
        size = _place(figure, panels, surround, labels)
        found = _Labels.measured(figure)
        if found.close_to(labels):
            break
        labels = found
        if max(labels.width, labels.height) > _MOST_LABELS:
            raise RuntimeError(
                f"the figure {surround.texts.title!r} has labels that leave no room for its panels: they take "
                f"{labels.width:.0f} × {labels.height:.0f} inches"
            )
    return size


@dataclass(frozen=True)
class _Labels:
    """Inches that labels take around panels, margins included.

    Attributes
    ----------
    left, right
        Of each column.
    top, bottom
        Of each line.
    bar
        Of a colour bar beside the last column.
    """

    left: Sequence[float]
    right: Sequence[float]
    top: Sequence[float]
    bottom: Sequence[float]
    bar: float

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
        renderer = FigureCanvasAgg(figure).get_renderer()
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
        sides = ([round(float(inches), _DIGITS) for inches in side] for side in (left, right, top, bottom))
        return cls(*sides, bar=round(float(bar), _DIGITS))

    @property
    def width(self) -> float:
        """Inches beside all columns."""
        return math.fsum([*self.left, *self.right, self.bar])

    @property
    def height(self) -> float:
        """Inches above and below all lines."""
        return math.fsum([*self.top, *self.bottom])

    def close_to(self, other: "_Labels") -> bool:
        """Whether no label is off by more than is seen."""
        return all(abs(own - its) < _CLOSE for own, its in zip(self._all(), other._all(), strict=True))

    def _all(self) -> list[float]:
        return [*self.left, *self.right, *self.top, *self.bottom, self.bar]


def _place(figure: Figure, panels: Panels, surround: _Surround, labels: _Labels) -> tuple[float, float]:
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


def _stamp_of(rows: Sequence[DataRow]) -> str:
    versions = data_versions(rows)
    sample = [version for version in versions if is_sample(version)]
    if not sample:
        return ""
    return "SAMPLE DATA" if len(sample) == len(versions) else "PARTLY SAMPLE DATA"


def nothing(texts: FigureTexts, rows: Sequence[DataRow]) -> Figure:
    """A figure that only says why it shows nothing."""
    figure = Figure(figsize=(PAGE_WIDTH, 1.0))
    finish(figure, texts, rows)
    return figure
