"""The figures by name: which summary file each is drawn from, and by what."""

from collections.abc import Callable, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from sentflow.errors import ConfigError
from sentflow.report import canvas, cost_bars, curves, forest, heatmap
from sentflow.report.rows import CostRow, CurveRow, ScoreRow, read_rows

SCORE_FIGURES: dict[str, Callable[[Sequence[ScoreRow]], Figure]] = {
    "heatmap": heatmap.draw,
    "forest": forest.draw,
}
CURVE_FIGURES: dict[str, Callable[[Sequence[CurveRow]], Figure]] = {"curves": curves.draw}
COST_FIGURES: dict[str, Callable[[Sequence[CostRow]], Figure]] = {"costs": cost_bars.draw}
FIGURES = (*SCORE_FIGURES, *CURVE_FIGURES, *COST_FIGURES)


def draw(name: str, summary: Path) -> Figure:
    """Draw a figure from its one summary file.

    Raises
    ------
    ConfigError
        There is no such figure.
    DataError
        The file is not of the kind that the figure needs.
    """
    with canvas.style():
        if name in SCORE_FIGURES:
            return SCORE_FIGURES[name](read_rows(summary, ScoreRow))
        if name in CURVE_FIGURES:
            return CURVE_FIGURES[name](read_rows(summary, CurveRow))
        if name in COST_FIGURES:
            return COST_FIGURES[name](read_rows(summary, CostRow))
    raise ConfigError(f"report.figures: there is no figure {name!r}. Write one of: {', '.join(FIGURES)}.")
