"""Scores by seed: a panel per test set, a line per group of trainings, a point per seed, an interval of means."""

import math
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sentflow.compare.training_rows import TrainingSeeds
from sentflow.report.families.training.figure_rows import SeedPoint
from sentflow.report.families.training.groups import looks, of_group, places
from sentflow.report.families.training.rows import SPEARMAN, TEST, TrainingRow
from sentflow.report.families.training.trained_rows import TrainedRow
from sentflow.report.figure import canvas, lettering
from sentflow.report.figure.panels import nothing_drawn, panels
from sentflow.report.figure.recipe import Caption, Recipe, sentences
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import counted, percent
from sentflow.report.rows import data_note, unique

_LINE_INCHES, _LEAST_HEIGHT = 0.2, 0.5
_NAME_SIZE, _NAME_INCHES = 6.5, 2.0
_BESIDE = 0.16  # lines between the points of seeds and the mean
_MOST = 105  # a correlation × 100, and room for a marker
_NOTHING = "Nothing to draw: no training was measured on a pair set."


def draw(rows: Sequence[SeedPoint]) -> Figure:
    """Points of seeds above their mean, which has the interval for new seeds."""
    if not rows:
        return nothing_drawn(_NOTHING, rows)
    groups, colours = list(of_group(rows)), looks(rows)
    fits = lettering.into(_NAME_INCHES, _NAME_SIZE)
    names = lettering.distinct({name: name for name in groups}, fits)

    def draw_set(pairs: str, axes: Axes) -> None:
        _draw_panel(axes, [row for row in rows if row.pairs == pairs], groups, colours)
        axes.set_yticks(range(len(groups)), [names[name] for name in groups])
        axes.set_ylim(len(groups) - 0.5, -0.5)

    return panels(
        {name: name for name in unique(row.pairs for row in rows)}, draw_set, rows=rows,
        heights=[max(_LEAST_HEIGHT, _LINE_INCHES * len(groups))], width=(1.5, 4.0), share=(False, True),
        labels=("Spearman × 100", ""),
    )  # fmt: skip


def texts_of(rows: Sequence[SeedPoint]) -> Caption:
    """Texts of the scores by seed."""
    title = "Scores of trainings by seed"
    if not rows:
        return Caption(title, _NOTHING, _NOTHING)
    levels = sorted({row.level for row in rows if math.isfinite(row.low)})
    single = [name for name, own in of_group(rows).items() if len({row.seed for row in own}) == 1]
    return Caption(
        title=title,
        reading=sentences(
            "Small: one training; large, with a line: mean over seeds.",
            f"Line: {percent(levels[0])} interval for new seeds on the same pairs (t), not for new pairs. Intervals "
            "that overlap do not show that two recipes are equally good."
            if levels
            else "",
            "Groups with one seed have no mean: nothing is known of other seeds." if single else "",
            data_note(rows),
        ),
        alternative=f"Points per seed for {counted(len(of_group(rows)), 'group')} of trainings on "
        f"{', '.join(unique(row.pairs for row in rows))}. The table of seeds has the numbers.",
    )


def gather(inputs: Inputs) -> list[SeedPoint]:
    """The chosen snapshots on test sets, beside what was computed of their seeds."""
    rows = inputs.rows_if_there(TrainingRow)
    # of all trainings, so that a group has one colour in all figures
    of = places([*inputs.rows_if_there(TrainedRow), *rows])
    means = {(row.unit_set, row.group): row for row in inputs.rows_if_there(TrainingSeeds) if not row.other}
    found = []
    for row in rows:
        if row.selected and row.split == TEST and row.measure == SPEARMAN and math.isfinite(row.value):
            mean = means.get((row.pairs, row.group))
            found.append(
                SeedPoint(
                    **of[row.group], pairs=row.pairs, seed=row.seed, value=row.value,
                    mean=mean.value if mean else math.nan,
                    low=mean.seeds_low if mean else math.nan,
                    high=mean.seeds_high if mean else math.nan,
                    level=mean.level if mean else math.nan,
                    data_version=row.data_version,
                )
            )  # fmt: skip
    return found


def _draw_panel(
    axes: Axes, rows: Sequence[SeedPoint], groups: Sequence[str], colours: Mapping[str, canvas.Look]
) -> None:
    for place, name in enumerate(groups):
        own, look = [row for row in rows if row.group == name], colours[name]
        axes.plot(
            [100 * row.value for row in own], [place - _BESIDE] * len(own), linestyle="none", marker=look.marker,
            color=look.color, markersize=2.8, alpha=0.75,
        )  # fmt: skip
        mean = next((row for row in own if math.isfinite(row.mean)), None)
        if mean is None:
            continue
        if math.isfinite(mean.low):
            ends = (100 * mean.low, 100 * mean.high)
            axes.plot(ends, (place + _BESIDE,) * 2, color=look.color, linewidth=1.2)
        axes.plot(
            100 * mean.mean, place + _BESIDE, marker=look.marker, color=look.color, markersize=4.5,
            markeredgecolor=canvas.INK, markeredgewidth=0.6,
        )  # fmt: skip
    # an interval of two seeds may be wider than all correlations there can be
    low, high = axes.get_xlim()
    axes.set_xlim(max(low, -_MOST), min(high, _MOST))
    canvas.few_ticks(axes.xaxis)
    axes.grid(True, axis="x")
    axes.tick_params(axis="y", length=0)


FIGURE = Recipe(SeedPoint, draw, texts_of, gather, may_be_empty=True)
