"""The way of trainings through the plane of alignment and uniformity: a panel per start and development set."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sentflow.report.families.training.figure_rows import PathPoint
from sentflow.report.families.training.groups import looks, of_group, places
from sentflow.report.families.training.rows import ALIGNMENT, DEVELOPMENT, UNIFORMITY, TrainingRow
from sentflow.report.families.training.trained_rows import TrainedRow
from sentflow.report.figure import canvas
from sentflow.report.figure.panels import named, nothing_drawn, panels
from sentflow.report.figure.recipe import Caption, Recipe, sentences
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import counted
from sentflow.report.rows import data_note

_NOTHING = "Nothing to draw: no training has alignment and uniformity of its snapshots on a development set."
Way = tuple[list[int], list[float], list[float]]


def draw(rows: Sequence[PathPoint]) -> Figure:
    """Thick: the mean over seeds; thin: each seed. A square is the start, a point with an edge the chosen snapshots."""
    known = _known(rows)
    if not known:
        return nothing_drawn(_NOTHING, rows)
    colours = looks(known)

    def draw_panel(key: tuple[str, str], axes: Axes) -> None:
        _draw_panel(axes, [row for row in known if (row.start, row.pairs) == key], colours)

    headings = {(row.start, row.pairs): f"{row.start}, {row.pairs}" for row in known}
    entries = named(colours, {name: name for name in colours}, linewidth=1.4, markersize=4)
    return panels(
        headings, draw_panel, rows=rows, heights=[2.2], width=(1.9, 3.4), share=(False, False),
        labels=("uniformity", "alignment"), legend=entries,
    )  # fmt: skip


def texts_of(rows: Sequence[PathPoint]) -> Caption:
    """Texts of the ways through the plane."""
    title = "Alignment and uniformity during training"
    if not _known(rows):
        return Caption(title, _NOTHING, _NOTHING)
    groups = of_group(rows)
    seeds = max(len({row.seed for row in own}) for own in groups.values())
    return Caption(
        title=title,
        reading=sentences(
            "Lower is better on both axes: sentences with the same meaning close together (alignment), all sentences "
            "spread out (uniformity). Square: the start; each further point is a snapshot.",
            "Thick: mean over seeds; thin: each seed." if seeds > 1 else "",
            "With an edge: the chosen snapshots, mean over seeds.",
            data_note(rows),
        ),
        alternative=f"Paths of {counted(len(groups), 'group')} of trainings through the plane of uniformity and "
        "alignment, from the start to the last snapshot.",
    )


def gather(inputs: Inputs) -> list[PathPoint]:
    """A point for each snapshot whose two measures are known."""
    rows = inputs.rows_if_there(TrainingRow)
    # of all trainings, so that a group has one colour in all figures
    of = places([*inputs.rows_if_there(TrainedRow), *rows])
    found: dict[tuple[str, str, int], dict[str, TrainingRow]] = {}
    for row in rows:
        if row.split == DEVELOPMENT and row.measure in (ALIGNMENT, UNIFORMITY):
            found.setdefault((row.model, row.pairs, row.step), {})[row.measure] = row
    return [
        PathPoint(
            **of[row.group], start=row.start, pairs=row.pairs, seed=row.seed, step=row.step, chosen=row.selected,
            alignment=both[ALIGNMENT].value, uniformity=row.value, data_version=row.data_version,
        )
        for both in found.values()
        if len(both) == 2  # noqa: PLR2004 - alignment and uniformity
        for row in [both[UNIFORMITY]]
    ]  # fmt: skip


def _known(rows: Sequence[PathPoint]) -> list[PathPoint]:
    return [row for row in rows if math.isfinite(row.alignment + row.uniformity)]


def _draw_panel(axes: Axes, rows: Sequence[PathPoint], colours: Mapping[str, canvas.Look]) -> None:
    canvas.few_ticks(axes.xaxis, axes.yaxis)
    axes.grid(True)
    axes.margins(0.08)
    for name, own in of_group(rows).items():
        look = colours[name]
        seeds = sorted({row.seed for row in own})
        if len(seeds) > 1:
            for seed in seeds:
                _, across, up = _way([row for row in own if row.seed == seed])
                axes.plot(across, up, color=look.color, linewidth=0.6, alpha=0.45)
        steps, across, up = _way(own)
        axes.plot(across, up, color=look.color, linewidth=1.4, marker=look.marker, markersize=2.5)
        if steps[0] == 0:
            axes.plot(
                across[0], up[0], linestyle="none", marker="s", markersize=5, color="white",
                markeredgecolor=canvas.INK, markeredgewidth=0.8, zorder=3,
            )  # fmt: skip
        chosen = [row for row in own if row.chosen]
        if chosen:
            axes.plot(
                np.mean([row.uniformity for row in chosen]), np.mean([row.alignment for row in chosen]),
                linestyle="none", marker=look.marker, markersize=5, color=look.color,
                markeredgecolor=canvas.INK, markeredgewidth=0.7, zorder=4,
            )  # fmt: skip


def _way(rows: Sequence[PathPoint]) -> Way:
    """Steps, and mean uniformity and alignment over the rows of each."""
    steps = sorted({row.step for row in rows})
    at = {step: [row for row in rows if row.step == step] for step in steps}
    across = [float(np.mean([row.uniformity for row in at[step]])) for step in steps]
    return steps, across, [float(np.mean([row.alignment for row in at[step]])) for step in steps]


FIGURE = Recipe(PathPoint, draw, texts_of, gather, may_be_empty=True)
