"""What a chain of retrievers reaches, stage by stage: a panel per question set and measure, a line per series."""

import math
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.stage_rows import StageRow
from sentflow.report.figure import canvas, lettering
from sentflow.report.figure.panels import named, nothing_drawn, panels
from sentflow.report.figure.recipe import Caption, Recipe, nothing, sentences
from sentflow.report.numbers import counted, percent
from sentflow.report.rows import data_note, unique

_MOST_COLUMNS = 3
_LEAST_PANEL, _MOST_PANEL = 1.7, 3.1
_BESIDE = 0.7  # inches of numbers and margins beside each panel
_LABEL_SIZE, _MOST_LABEL_LINES, _UPRIGHT_INCHES = 6.5, 3, 1.5
_LEAST_SLOT = 0.18  # inches between stages, so that upright names stand apart
_SPREAD, _STEP = 0.6, 0.22  # of a slot: what the points of all series take, and the distance of two at most
_ASIDE = 0.45  # of that distance: from a mean to its single seeds
_NOTHING = "Nothing to draw: no retriever of the stages was measured on a question set."


def draw(rows: Sequence[StageRow]) -> Figure:
    """Means with intervals, joined by a line; single seeds beside them; the reference as a line with a band."""
    if not any(row.is_mean for row in rows):
        return nothing_drawn(_NOTHING, rows)
    of = {(row.questions, row.measure): f"{row.measure} on {row.questions}" for row in rows}
    n_measures = len(unique(row.measure for row in rows))
    n_columns = n_measures if 1 < n_measures <= _MOST_COLUMNS else min(_MOST_COLUMNS, len(of))
    stages = dict(sorted({row.place: row.stage for row in rows if row.place}.items()))
    least = max(_LEAST_PANEL, _LEAST_SLOT * len(stages))
    inches = max(least, min(_MOST_PANEL, canvas.PAGE_WIDTH / n_columns - _BESIDE))
    looks = canvas.looks([canvas.Drawn(row.series, row.line) for row in rows if row.is_mean])

    def draw_panel(key: tuple[str, str], axes: Axes) -> None:
        _draw_panel(axes, [row for row in rows if (row.questions, row.measure) == key], looks)
        _name_stages(axes, stages, inches / len(stages))
        axes.set_xlim(min(stages) - 0.5, max(stages) + 0.5)

    return panels(
        of, draw_panel, rows=rows, columns=n_columns, heights=[1.7], width=(least, max(least, _MOST_PANEL)),
        share=(True, False), legend=_handles(rows, looks),
    )  # fmt: skip


def texts_of(rows: Sequence[StageRow]) -> Caption:
    """Texts of the stages."""
    title = "Retrieval stage by stage"
    means = [row for row in rows if row.is_mean]
    if not means:
        return nothing(title, _NOTHING)
    measures, sets = unique(row.measure for row in rows), unique(row.questions for row in rows)
    reference = next((row.series for row in rows if not row.place), "")
    main = next((row.measure for row in rows if row.is_main), "")
    several = any(row.n_seeds > 1 for row in means)
    return Caption(
        title=title,
        reading=sentences(
            f"Means over questions{' and seeds (small: single seeds)' if several else ''}.",
            f"Bars: {percent(means[0].level)} intervals for {words.QUESTIONS}"
            + (", and new seeds where there are several" if several else "")
            + (f"; line with a band: {reference}, for {words.QUESTIONS}." if reference else "."),
            seeds_note(means),
            "Nothing is said of new documents or other collections. Intervals that overlap do not show that stages are "
            "equal.",
            f"Tests of {main} are in the table of stages." if main else "",
            data_note(rows),
        ),
        alternative=f"Points with intervals for {counted(len({row.place for row in means}), 'stage')} of "
        f"{', '.join(unique(row.series for row in means))} by {', '.join(measures)} on {', '.join(sets)}. The table "
        "of stages has the numbers.",
    )


def seeds_note(means: Sequence[StageRow]) -> str:
    """How many seeds are behind which stage, and what follows from a single one."""
    found: dict[int, list[str]] = {}
    for place in sorted({row.place for row in means}):
        own = [row for row in means if row.place == place]
        alike = len({row.n_seeds for row in own}) == 1
        for row in own:
            name = row.stage if alike else f"{row.stage} ({row.series})"
            found.setdefault(row.n_seeds, []).append(f"“{name}”")
    said = [
        f"{', '.join(unique(names))}: {counted(n, 'seed')}"
        + (", nothing is known of others" if n == 1 else "")
        for n, names in sorted(found.items(), reverse=True)
        if n
    ]
    return f"{'; '.join(said)}." if said else ""


def _draw_panel(axes: Axes, rows: Sequence[StageRow], looks: Mapping[str, canvas.Look]) -> None:
    for row in rows:
        if not row.place:
            axes.axhline(row.value, color=canvas.QUIET, linewidth=0.9, linestyle="--", zorder=1)
            if not math.isnan(row.low):
                axes.axhspan(row.low, row.high, color=canvas.QUIET, alpha=0.15, linewidth=0, zorder=0)
    measured = [row.place for row in rows if row.place]
    places = range(min(measured), max(measured) + 1)
    step = min(_STEP, _SPREAD / len(looks))
    for number, (series, look) in enumerate(looks.items()):
        aside = step * (number - (len(looks) - 1) / 2)
        own = [row for row in rows if row.place and row.series == series]
        means = [row for row in own if row.is_mean]
        values = {row.place: row.value for row in means}
        axes.plot(  # the line breaks where a stage was not measured
            [place + aside for place in places], [values.get(place, math.nan) for place in places], color=look.color,
            marker=look.marker, markersize=3.5, linewidth=0.9, zorder=3,
        )  # fmt: skip
        for row in means:
            if not math.isnan(row.low):
                axes.plot(
                    (row.place + aside,) * 2, (row.low, row.high), color=look.color, linewidth=1.1, zorder=2
                )
        single = [row for row in own if row.seed]
        axes.plot(
            [row.place + aside + _ASIDE * step for row in single], [row.value for row in single], linestyle="none",
            color=look.color, marker=".", markersize=2.5, alpha=0.8, zorder=4,
        )  # fmt: skip
    canvas.few_ticks(axes.yaxis)
    axes.grid(True, axis="y")


def _name_stages(axes: Axes, stages: Mapping[int, str], slot: float) -> None:
    """In some lines below their points, or, where one does not fit, all of them upright."""
    names = {place: lettering.broken(title, slot, _LABEL_SIZE) for place, title in stages.items()}
    level = all(
        lettering.width(name, _LABEL_SIZE) <= 0.95 * slot and name.count("\n") < _MOST_LABEL_LINES
        for name in names.values()
    )
    if not level:
        titles = {str(place): title for place, title in stages.items()}
        short = lettering.distinct(titles, lettering.into(_UPRIGHT_INCHES, _LABEL_SIZE))
        names = {place: short[str(place)] for place in stages}
    axes.set_xticks(list(names), list(names.values()), fontsize=_LABEL_SIZE)
    if not level:
        for label in axes.get_xticklabels():
            label.set(rotation=90, rotation_mode="anchor", ha="right", va="center")


def _handles(rows: Sequence[StageRow], looks: Mapping[str, canvas.Look]) -> list[Line2D]:
    reference = unique(row.series for row in rows if not row.place)
    dashed = [Line2D([], [], color=canvas.QUIET, linestyle="--", label=label) for label in reference]
    return [*named(looks, {name: name for name in looks}), *dashed]


FIGURE = Recipe(StageRow, draw, texts_of, may_be_empty=True)
