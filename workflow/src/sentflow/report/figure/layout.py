"""The size of a figure and what stands around its panels: a stamp of sample data and the legend.

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
from sentflow.report.figure.recipe import Caption
from sentflow.report.rows import DataRow, data_versions, is_sample

STAMP_COLOR = "#B3400A"
_STAMP_SIZE, _LEGEND_SIZE = 7, 7  # points
_LEGEND_LINE = 0.155  # inches
_LEGEND_HANDLE = 0.35  # inches of line, marker and gaps beside a text of the legend
_LEAST_WIDTH = 4.4  # inches, below which the stamp would not stand well


def finish(
    figure: Figure,
    texts: Caption,
    rows: Sequence[DataRow],
    panels: Panels | None = None,
    legend: Sequence[Line2D] = (),
) -> None:
    """Size the figure, place its panels, and write the stamp and the legend around them.

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

    def __init__(self, texts: Caption, rows: Sequence[DataRow], legend: Sequence[Line2D]) -> None:
        self.texts, self._legend = texts, legend
        self._stamp = _stamp_of(rows)

    def head(self, width: float) -> float:  # noqa: ARG002
        """Inches above the panels."""
        return 0.3 if self._stamp else MARGIN

    def foot(self, width: float) -> float:
        """Inches below the panels."""
        return self._legend_height(width) + MARGIN

    def least_width(self) -> float:
        """Inches that the widest entry of the legend needs."""
        return max(_LEAST_WIDTH, self._entry() + 2 * MARGIN)

    def write(self, figure: Figure) -> None:
        """Write everything on a figure whose size is set."""
        width, height = (float(inches) for inches in figure.get_size_inches())
        middle = 1 - 0.5 * self.head(width) / height
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
        if self._legend:
            figure.legend(
                handles=list(self._legend),
                loc="upper left",
                bbox_to_anchor=(0.0, self.foot(width) / height),
                ncols=self._columns(width),
                borderaxespad=0.2,
            )

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


def nothing(texts: Caption, rows: Sequence[DataRow]) -> Figure:
    """A figure that only says why it shows nothing."""
    figure = Figure(figsize=(PAGE_WIDTH, 1.0))
    finish(figure, texts, rows)
    fits = lettering.into(PAGE_WIDTH - 2 * MARGIN, 7)
    figure.set_size_inches(PAGE_WIDTH, 0.8)
    figure.text(
        MARGIN / PAGE_WIDTH, 0.3, "\n".join(lettering.wrap(texts.reading, fits)), va="center", color=INK
    )
    return figure
