"""The size of a figure and what stands around its panels: title, stamp of sample data, legend, reading aid.

Panels have a size in inches; the figure grows by what labels, legend and texts need around them. So no number of
encoders or tasks makes the panels collapse, and no text is cut at the edge.
"""

import math
from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.report.figure import lettering
from sentflow.report.figure.canvas import INK, PAGE_WIDTH
from sentflow.report.figure.panels import MARGIN, Panels, settle
from sentflow.report.figure.texts import FigureTexts
from sentflow.report.rows import DataRow, data_versions, is_sample

STAMP_COLOR = "#B3400A"
_TITLE_SIZE, _STAMP_SIZE, _LEGEND_SIZE, _READING_SIZE = 8, 7, 7, 6  # points
_READING_SPACE = 1.4  # distance of lines, in sizes of letters
_LEGEND_LINE = 0.155  # inches
_LEGEND_HANDLE = 0.35  # inches of line, marker and gaps beside a text of the legend
_LEAST_WIDTH = 4.4  # inches, below which title, stamp and reading aid would not stand well


def finish(
    figure: Figure,
    texts: FigureTexts,
    rows: Sequence[DataRow],
    panels: Panels | None = None,
    legend: Sequence[Line2D] = (),
) -> None:
    """Size the figure, place its panels, and write title, stamp, legend and reading aid around them.

    `figure`: drawn; its lines of panels have the ratios of `Panels.heights`. `panels`: room for the panels; None for a
    figure without any. Raises RuntimeError: labels leave no room for the panels.
    """
    width, height, surround = PAGE_WIDTH, 0.0, _Surround(texts, rows, legend)
    if panels is not None:
        width, height = settle(figure, panels, surround, title=texts.title)
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
