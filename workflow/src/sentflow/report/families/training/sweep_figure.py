"""Sweeps: the learning rate against the development score, a panel per start and training data, a colour per method."""

import math
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter, NullLocator

from sentflow.report import captions
from sentflow.report.families.training.figure_rows import SweepPoint
from sentflow.report.figure import canvas, layout, lettering
from sentflow.report.figure.grid import draw_grid
from sentflow.report.figure.panels import Panels
from sentflow.report.figure.recipe import Recipe
from sentflow.report.figure.texts import FigureTexts, sentences
from sentflow.report.numbers import counted
from sentflow.report.rows import unique

_COLUMNS = 4
_PANEL_INCHES, _LEAST_PANEL, _MOST_PANEL = 1.2, 1.35, 2.8
_TICK_SIZE = 6.5
_LEGEND_SIZE, _LEGEND_INCHES = 7, 2.6
_NOTHING = "Nothing to draw: no cell of a sweep has a development score at some learning rate."


def draw(rows: Sequence[SweepPoint]) -> Figure:
    """Filled and joined by a line: ours; hollow and dashed: published ones."""
    texts, known = texts_of(rows), _known(rows)
    if not known:
        return layout.nothing(texts, rows)
    panels_of = unique(_panel(row) for row in known)
    colours = canvas.looks([canvas.Drawn(name, place) for place, name in enumerate(_methods(known))])
    inches = min(_MOST_PANEL, layout.column_inches(min(_COLUMNS, len(panels_of)))) - 0.3
    named = {_panel(row): f"{row.start}, {row.data}" if row.data else row.start for row in known}
    headings = lettering.distinct(named, lettering.into(inches, 7, bold=True))

    def draw_panel(axes: Axes, name: str, _is_lowest: bool) -> None:
        _draw_panel(axes, [row for row in known if _panel(row) == name], colours)

    labels = ("learning rate", "Spearman × 100")
    grid = draw_grid(headings, draw_panel, columns=_COLUMNS, labels=labels, shares_y=False)
    _set_ticks(grid.first, [row.learning_rate for row in known])
    size = Panels([_PANEL_INCHES] * grid.n_lines, _LEAST_PANEL, _MOST_PANEL)
    layout.finish(grid.figure, texts, rows, size, _handles(known, colours))
    return grid.figure


def texts_of(rows: Sequence[SweepPoint]) -> FigureTexts:
    """Texts of sweeps."""
    title = "Development scores by learning rate"
    known = _known(rows)
    if not known:
        return FigureTexts(title, _NOTHING, _NOTHING)
    ours = [row for row in known if not row.published]
    seeds = sorted({row.n_seeds for row in ours})
    told = "Ours: none was run." if not ours else f"Ours (filled): mean over {_range(seeds)}."
    return FigureTexts(
        title=title,
        reading=sentences(
            "Spearman's correlation × 100 on the development set of each sweep; panels have their own vertical axes.",
            told,
            "Published ones (hollow) are of one training each, so differences of a few points between neighbours mean "
            "nothing; cells that were not run are left out, and nothing is interpolated."
            if len(ours) < len(known)
            else "",
            captions.data_note(ours) if ours else "",
        ),
        alternative=f"Development scores by learning rate of {counted(len(_methods(known)), 'method')} in "
        f"{counted(len(unique(_panel(row) for row in known)), 'panel')}. The table of sweeps has the numbers.",
    )


def _known(rows: Sequence[SweepPoint]) -> list[SweepPoint]:
    return [row for row in rows if math.isfinite(row.value) and row.learning_rate > 0]


def _panel(row: SweepPoint) -> str:
    return f"{row.start}\t{row.data}"


def _methods(rows: Sequence[SweepPoint]) -> list[str]:
    return unique(row.method for row in rows)


def _range(seeds: Sequence[int]) -> str:
    return counted(seeds[0], "seed") if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]} seeds"


def _draw_panel(axes: Axes, rows: Sequence[SweepPoint], colours: Mapping[str, canvas.Look]) -> None:
    for name in _methods(rows):
        for published in (True, False):
            own = sorted(
                (row for row in rows if (row.method, row.published) == (name, published)),
                key=lambda row: row.learning_rate,
            )
            look = colours[name]
            axes.plot(
                [row.learning_rate for row in own], [100 * row.value for row in own], color=look.color,
                marker=look.marker, markersize=3.2, linewidth=0.6 if published else 1.1,
                linestyle="--" if published else "-", markerfacecolor="white" if published else look.color,
                markeredgewidth=0.8,
            )  # fmt: skip
    axes.set_xscale("log")
    canvas.few_ticks(axes.yaxis)
    axes.margins(0.1)
    axes.grid(True)


def _set_ticks(axes: Axes, rates: Sequence[float]) -> None:
    """The learning rates that were tried, as far as they can be read side by side."""
    tried = sorted(set(rates))
    inches = _LEAST_PANEL / max(0.3, math.log10(tried[-1] / tried[0]) * 1.2)
    kept: list[float] = []
    for rate in tried:
        needed = lettering.width(f" {_written(rate)} ", _TICK_SIZE)
        if not kept or inches * math.log10(rate / kept[-1]) >= needed:
            kept.append(rate)
    axes.set_xticks(kept, [_written(rate) for rate in kept])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())


def _written(rate: float) -> str:
    return f"{rate:.3g}".replace("e-0", "e-")


def _handles(rows: Sequence[SweepPoint], colours: Mapping[str, canvas.Look]) -> list[Line2D]:
    fits = lettering.into(_LEGEND_INCHES, _LEGEND_SIZE)
    names = lettering.distinct({name: name for name in colours}, fits)
    found = [
        Line2D([], [], color=look.color, marker=look.marker, label=names[name])
        for name, look in colours.items()
    ]
    if any(row.published for row in rows):
        hollow = Line2D([], [], linestyle="--", color=canvas.QUIET, marker="o", markerfacecolor="white")
        hollow.set_label("published")
        found.append(hollow)
    return found


FIGURE = Recipe(SweepPoint, draw, texts_of, may_be_empty=True)
