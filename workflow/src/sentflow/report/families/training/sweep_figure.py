"""Sweeps: learning rate against development score, a panel per start and data, a colour per method and length."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.report.families.training.figure_rows import SweepPoint
from sentflow.report.figure import canvas
from sentflow.report.figure.panels import named, nothing_drawn, panels
from sentflow.report.figure.recipe import Caption, Recipe, sentences
from sentflow.report.numbers import counted
from sentflow.report.rows import data_note, unique

_WIDTH = (1.35, 2.8)  # inches of a panel
_NOTHING = "Nothing to draw: no cell of a sweep has a development score at some learning rate."


def draw(rows: Sequence[SweepPoint]) -> Figure:
    """Filled and joined by a line: ours; hollow and dashed: published ones."""
    known = _known(rows)
    if not known:
        return nothing_drawn(_NOTHING, rows)
    lines_of = _line_names(known)
    looks = canvas.looks([canvas.Drawn(name, place) for place, name in enumerate(unique(lines_of.values()))])
    rates = sorted({row.learning_rate for row in known})

    def draw_panel(name: str, axes: Axes) -> None:
        by_line: dict[str, list[SweepPoint]] = {}
        for row in known:
            if _panel(row) == name:
                by_line.setdefault(lines_of[_line(row)], []).append(row)
        _draw_panel(axes, by_line, looks)
        canvas.spaced_ticks(axes.xaxis, rates, _written, inches=_WIDTH[0] / 1.2)

    entries = named(looks, {name: name for name in looks})
    if any(row.published for row in known):
        quiet = {"linestyle": "--", "color": canvas.QUIET, "marker": "o", "markerfacecolor": "white"}
        entries.append(Line2D([], [], label="published", **quiet))  # type: ignore[arg-type]
    return panels(
        _panel_names(known), draw_panel, rows=rows, columns=4, width=_WIDTH, share=(True, False),
        labels=("learning rate", "Spearman × 100"), legend=entries,
    )  # fmt: skip


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


def _written(rate: float) -> str:
    return f"{rate:.3g}".replace("e-0", "e-")


FIGURE = Recipe(SweepPoint, draw, texts_of, may_be_empty=True)
