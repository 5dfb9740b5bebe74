"""Small multiples: a panel per name, in lines of equal length, with headings and labels at the margins alone."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sentflow.report.figure import canvas


@dataclass(frozen=True)
class Grid:
    """Panels that were drawn."""

    figure: Figure  # of all panels
    first: Axes  # the panel whose axes the others share
    n_lines: int  # lines of panels


def draw_grid(
    headings: Mapping[str, str],
    draw_panel: Callable[[Axes, str, bool], None],
    *,
    columns: int,
    labels: tuple[str, str],
    shares_y: bool = True,
) -> Grid:
    """Draw a panel for each name.

    `headings`: name → what stands above its panel; at least one. `draw_panel`: draws into axes what belongs to a name;
    the last argument says whether nothing is below the panel. `columns`: panels of a line, at most. `labels`: below
    the lowest panels (none if empty), and beside the first column. `shares_y`: whether all panels have one vertical
    axis; the horizontal one they always share.
    """
    n_columns = min(columns, len(headings))
    n_lines = math.ceil(len(headings) / n_columns)
    figure = Figure()
    panels = figure.subplots(n_lines, n_columns, squeeze=False, sharex=True, sharey=shares_y)
    for axes in panels.flat[len(headings) :]:
        axes.set_visible(False)
    for index, (name, heading) in enumerate(headings.items()):
        axes, is_lowest = panels.flat[index], index + n_columns >= len(headings)
        draw_panel(axes, name, is_lowest)
        axes.set_title(heading, loc="left", fontweight="bold", color=canvas.INK)
        axes.tick_params(labelbottom=is_lowest)
        if is_lowest and labels[0]:
            axes.set_xlabel(labels[0])
        if index % n_columns == 0:
            axes.set_ylabel(labels[1])
    return Grid(figure, panels[0, 0], n_lines)
