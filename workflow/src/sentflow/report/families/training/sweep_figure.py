"""Sweeps: learning rate against development score, a panel per start and data, a colour per method and length."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter, NullLocator

from sentflow.report.families.training.figure_rows import SweepPoint
from sentflow.report.figure import canvas, layout, lettering
from sentflow.report.figure.grid import draw_grid
from sentflow.report.figure.panels import Panels
from sentflow.report.figure.recipe import Caption, Recipe, sentences
from sentflow.report.numbers import counted
from sentflow.report.rows import data_note, unique

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
    named, lines_of = _panel_names(known), _line_names(known)
    colours = canvas.looks(
        [canvas.Drawn(name, place) for place, name in enumerate(unique(lines_of.values()))]
    )
    inches = min(_MOST_PANEL, layout.column_inches(min(_COLUMNS, len(named)))) - 0.3
    headings = lettering.stacked(named, inches, 7, bold=True)

    def draw_panel(axes: Axes, name: str, _is_lowest: bool) -> None:
        by_line: dict[str, list[SweepPoint]] = {}
        for row in known:
            if _panel(row) == name:
                by_line.setdefault(lines_of[_line(row)], []).append(row)
        _draw_panel(axes, by_line, colours)

    labels = ("learning rate", "Spearman × 100")
    grid = draw_grid(headings, draw_panel, columns=_COLUMNS, labels=labels, shares_y=False)
    _set_ticks(grid.first, [row.learning_rate for row in known])
    size = Panels([_PANEL_INCHES] * grid.n_lines, _LEAST_PANEL, _MOST_PANEL)
    layout.finish(grid.figure, texts, rows, size, _handles(known, colours))
    return grid.figure


def texts_of(rows: Sequence[SweepPoint]) -> Caption:
    """Texts of sweeps."""
    title = "Development scores by learning rate"
    known = _known(rows)
    if not known:
        return Caption(title, _NOTHING, _NOTHING)
    ours = [row for row in known if not row.published]
    seeds = sorted({row.n_seeds for row in ours})
    told = "Ours: none was run." if not ours else f"Ours (filled): mean over {_range(seeds)}."
    return Caption(
        title=title,
        reading=sentences(
            "Spearman's correlation × 100 on the development set of each sweep; panels have their own vertical axes.",
            told,
            "Published ones (hollow) are of one training each, so differences of a few points between neighbours mean "
            "nothing; cells that were not run are left out, and nothing is interpolated."
            if len(ours) < len(known)
            else "",
            data_note(ours) if ours else "",
        ),
        alternative="Development scores by learning rate of "
        f"{counted(len(unique(row.method for row in known)), 'method')} in "
        f"{counted(len(_panel_names(known)), 'panel')}. The table of sweeps has the numbers.",
    )


def _known(rows: Sequence[SweepPoint]) -> list[SweepPoint]:
    return [row for row in rows if math.isfinite(row.value) and row.learning_rate > 0]


def _panel(row: SweepPoint) -> str:
    return f"{row.sweep}\t{row.start}\t{row.data}"


def _panel_names(rows: Sequence[SweepPoint]) -> dict[str, str]:
    """Panel → start and data; the sweep too where several have the same."""
    place_of = {_panel(row): f"{row.start}, {row.data}" if row.data else row.start for row in rows}
    count = Counter(place_of.values())
    sweep_of = {_panel(row): row.sweep for row in rows}
    return {
        panel: place if count[place] == 1 else f"{place}, {sweep_of[panel]}"
        for panel, place in place_of.items()
    }


def _line(row: SweepPoint) -> tuple[str, int]:
    return row.method, row.max_tokens


def _line_names(rows: Sequence[SweepPoint]) -> dict[tuple[str, int], str]:
    """Method and length → the method; the length too where there are several."""
    found = list(dict.fromkeys(map(_line, rows)))
    count = Counter(method for method, _ in found)
    return {
        (method, n): method if count[method] == 1 else f"{method}, {counted(n, 'token')}"
        for method, n in found
    }


def _range(seeds: Sequence[int]) -> str:
    return counted(seeds[0], "seed") if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]} seeds"


def _draw_panel(
    axes: Axes, by_line: Mapping[str, Sequence[SweepPoint]], colours: Mapping[str, canvas.Look]
) -> None:
    for name, rows in by_line.items():
        for published in (True, False):
            own = sorted(
                (row for row in rows if row.published == published), key=lambda row: row.learning_rate
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
