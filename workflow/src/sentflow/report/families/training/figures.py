"""The figures of trainings: curves, paths through the plane of alignment and uniformity, seeds, sweeps."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullLocator

from sentflow.compare.rows import TrainingSeeds
from sentflow.files.rows import row_from
from sentflow.report.families.training.rows import (
    ALIGNMENT,
    DEVELOPMENT,
    HELD_OUT,
    LOSS,
    SCORE,
    SPEARMAN,
    TEST,
    UNIFORMITY,
    CurvePoint,
    PathPoint,
    SeedPoint,
    SweepPoint,
    TrainedRow,
    TrainingHeldOutRow,
    TrainingHistoryRow,
    TrainingRow,
)
from sentflow.report.figure import canvas, lettering
from sentflow.report.figure.panels import curve, named, panels
from sentflow.report.figure.recipe import Recipe
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import counted, percent
from sentflow.report.rows import grouped, unique
from sentflow.training.sweeps import number_word

_OF_GROUPS: dict[str, Any] = {"what": "training", "named_by": "group"}


def _places(inputs: Inputs) -> dict[str, dict[str, Any]]:
    """Group → its place among the groups, or among the controls; of all trainings, so that its colour is the same."""
    rows: list[Any] = [*inputs.rows_if_there(TrainedRow), *inputs.rows_if_there(TrainingRow)]
    kinds = {row.group: row.is_control for row in reversed(rows)}
    names = unique(row.group for row in rows)
    order = {kind: [name for name in names if kinds[name] == kind] for kind in (False, True)}
    return {
        name: {"group": name, "position": order[kind].index(name), "is_control": kind}
        for name, kind in kinds.items()
    }


def _looks(rows: Sequence[Any]) -> dict[str, canvas.Look]:
    """Colour and marker of each group; controls are grey."""
    return canvas.looks([canvas.Drawn(row.group, row.position, row.is_control) for row in rows])


# --- curves ------------------------------------------------------------------------------------------------

_COLUMNS = 4
_HEIGHTS = {LOSS: 0.85, SCORE: 0.95}  # inches
_TWO_DECADES = 100
_MOST_POINTS = 120  # of a curve of losses: more cannot be told apart
_KINDS = {LOSS: (LOSS, HELD_OUT), SCORE: (SCORE,)}  # what is drawn in a panel


def _draw_curves(rows: Sequence[CurvePoint]) -> Figure:
    groups, looks = grouped(rows, "group"), _looks(rows)
    measures = [measure for measure in (LOSS, SCORE) if any(row.measure == measure for row in rows)]
    limits = {
        measure: _limits([row for row in rows if row.measure in _KINDS[measure]]) for measure in measures
    }

    def draw_group(name: str, *own: Axes) -> None:
        for axes, measure in zip(own, measures, strict=True):
            _draw_curve(axes, [row for row in groups[name] if row.measure in _KINDS[measure]], looks[name])
            _set_axes(axes, *limits[measure], measure)
            axes.tick_params(labelleft=name in list(groups)[::_COLUMNS])

    labels = ["step", *(measure if measure == LOSS else "Spearman × 100" for measure in measures)]
    return panels(
        {name: name for name in groups}, draw_group, rows=rows, columns=_COLUMNS, parts=len(measures),
        heights=[_HEIGHTS[measure] for measure in measures], width=(1.25, 3.0), share=(True, False), labels=labels,
    )  # fmt: skip


def _read_curves(rows: Sequence[CurvePoint]) -> Iterator[str]:
    if max(row.n_seeds for row in rows) > 1:
        yield "Line: mean over seeds; band: from the lowest to the highest seed, which is no interval."
    else:
        yield "One training each: the effect of another seed is unknown."
    if any(row.measure == HELD_OUT for row in rows):
        yield "Dashed: the loss on rows that were held out, without dropout."
    if scored := unique(row.pairs for row in rows if row.pairs):
        yield (
            f"Score: Spearman's correlation × 100 on {', '.join(scored)}. Marked: the steps whose snapshot was chosen, "
            "larger for more seeds; their scores are too high."
        )


def _gather_curves(inputs: Inputs) -> list[CurvePoint]:
    """Points of the histories and of the development scores of every group."""
    history = grouped(inputs.rows_if_there(TrainingHistoryRow), "group")
    held_out = grouped(inputs.rows_if_there(TrainingHeldOutRow), "group")
    scores = grouped(inputs.rows_if_there(TrainingRow), "group")
    places = _places(inputs)
    return [
        CurvePoint(
            **places[name], measure=measure, pairs=pairs, step=step, mean=float(np.mean(values)), low=min(values),
            high=max(values), n_seeds=len(values), n_chosen=n_chosen, data_version=own[0].data_version,
        )
        for name, own in grouped(inputs.rows_if_there(TrainedRow), "group").items()
        for measure, points in (
            (LOSS, _losses(history.get(name, []))),
            (HELD_OUT, _held_out(held_out.get(name, []))),
            (SCORE, _scores(scores.get(name, []))),
        )
        for pairs, step, values, n_chosen in points
    ]  # fmt: skip


_Points = Iterator[tuple[str, int, list[float], int]]
"""Pair set, step, the value of each seed, and how many seeds chose this step."""


def _losses(history: Sequence[TrainingHistoryRow]) -> _Points:
    """The loss of each seed, mean over the steps since the last point."""
    every = math.ceil(max((row.step for row in history), default=0) / _MOST_POINTS) or 1
    points: dict[int, dict[int, list[float]]] = {}
    for row in history:
        if math.isfinite(row.loss):
            end = math.ceil(row.step / every) * every
            points.setdefault(end, {}).setdefault(row.seed, []).append(row.loss)
    for step, seeds in sorted(points.items()):
        yield "", step, [float(np.mean(values)) for values in seeds.values()], 0


def _held_out(rows: Sequence[TrainingHeldOutRow]) -> _Points:
    losses = [row for row in rows if row.measure == "loss" and math.isfinite(row.value)]
    for step, own in sorted(grouped(losses, "step").items()):
        yield "", step, [row.value for row in own], 0


def _scores(rows: Sequence[TrainingRow]) -> _Points:
    known = [row for row in rows if row.split == DEVELOPMENT and math.isfinite(row.value)]
    scored = [row for row in known if row.measure == SPEARMAN]
    for pairs, of_pairs in grouped(scored, "pairs").items():
        for step, own in sorted(grouped(of_pairs, "step").items()):
            yield pairs, step, [row.value for row in own], sum(row.selected for row in own)


def _draw_curve(axes: Axes, rows: Sequence[CurvePoint], look: canvas.Look) -> None:
    if not rows:
        axes.text(0.5, 0.5, "not scored", transform=axes.transAxes, ha="center", color=canvas.QUIET)
    for (kind, _), own in grouped(rows, "measure", "pairs").items():
        members = sorted(own, key=lambda row: row.step)
        factor, steps = 100 if kind == SCORE else 1, [row.step for row in members]
        if any(row.n_seeds > 1 for row in members):
            lows, highs = [factor * row.low for row in members], [factor * row.high for row in members]
            axes.fill_between(steps, lows, highs, color=look.color, alpha=0.2, linewidth=0)
        axes.plot(
            steps, [factor * row.mean for row in members], color=look.color,
            marker=None if kind == LOSS else ".", markersize=2.5, linestyle="--" if kind == HELD_OUT else "-",
        )  # fmt: skip
        for row in members:
            if row.n_chosen:
                axes.plot(
                    row.step, factor * row.mean, linestyle="none", marker="o", color=look.color,
                    markersize=3 + 3 * row.n_chosen / row.n_seeds, markeredgecolor=canvas.INK, markeredgewidth=0.7,
                )  # fmt: skip
    axes.grid(True)


def _limits(rows: Sequence[CurvePoint]) -> tuple[float, float]:
    """The lowest and the highest value that is drawn."""
    factor = 100 if rows[0].measure == SCORE else 1
    values = [
        factor * value
        for row in rows
        for value in ((row.low, row.mean, row.high) if row.n_seeds > 1 else (row.mean,))
    ]
    return min(values), max(values)


def _set_axes(axes: Axes, low: float, high: float, measure: str) -> None:
    """The vertical axis, logarithmic for losses that are all above zero."""
    if measure == LOSS and low > 0 and high / low > 10:
        axes.set_yscale("log")
        subs = (1.0, 3.0) if high / low < _TWO_DECADES else (1.0,)
        axes.yaxis.set_major_locator(LogLocator(subs=subs, numticks=5))
        canvas.plain_numbers(axes.yaxis)
        axes.yaxis.set_minor_locator(NullLocator())
        axes.set_ylim(low / 1.3, high * 1.3)
    else:
        canvas.few_ticks(axes.yaxis)
        span = high - low or 0.1 * abs(high) or 1.0
        axes.set_ylim(low - 0.08 * span, high + 0.08 * span)
    canvas.few_ticks(axes.xaxis, integer=True)


CURVES = Recipe(
    CurvePoint,
    _draw_curves,
    "Loss and development score during training",
    _read_curves,
    _gather_curves,
    nothing="Nothing to draw: no encoder of this selection was trained here.",
    **_OF_GROUPS,
)


# --- paths -------------------------------------------------------------------------------------------------


def _draw_paths(rows: Sequence[PathPoint]) -> Figure:
    looks, members = _looks(rows), grouped(rows, "start", "pairs")
    return panels(
        {(start, pairs): f"{start}, {pairs}" for start, pairs in members},
        lambda key, axes: _draw_paths_of(axes, members[key], looks), rows=rows, heights=[2.2], width=(1.9, 3.4),
        share=(False, False), labels=("uniformity", "alignment"),
        legend=named(looks, {name: name for name in looks}, linewidth=1.4, markersize=4),
    )  # fmt: skip


def _gather_paths(inputs: Inputs) -> list[PathPoint]:
    """A point for each snapshot whose two measures are known."""
    places = _places(inputs)
    measured = [
        row
        for row in inputs.rows_if_there(TrainingRow)
        if row.split == DEVELOPMENT and row.measure in (ALIGNMENT, UNIFORMITY)
    ]
    points = []
    for own in grouped(measured, "model", "pairs", "step").values():
        both = {one.measure: one for one in own}
        if len(both) == 2:  # noqa: PLR2004 - alignment and uniformity
            row = both[UNIFORMITY]
            measures = {"alignment": both[ALIGNMENT].value, "uniformity": row.value, "chosen": row.selected}
            points.append(row_from(PathPoint, vars(row) | places[row.group] | measures))
    return points


def _draw_paths_of(axes: Axes, rows: Sequence[PathPoint], looks: Mapping[str, canvas.Look]) -> None:
    canvas.few_ticks(axes.xaxis, axes.yaxis)
    axes.grid(True)
    axes.margins(0.08)
    for name, own in grouped(rows, "group").items():
        look, seeds = looks[name], sorted(grouped(own, "seed").items())
        for _, of_seed in seeds if len(seeds) > 1 else []:
            axes.plot(*_path(of_seed), color=look.color, linewidth=0.6, alpha=0.45)
        across, up = _path(own)
        axes.plot(across, up, color=look.color, linewidth=1.4, marker=look.marker, markersize=2.5)
        if any(row.step == 0 for row in own):
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


def _path(rows: Sequence[PathPoint]) -> tuple[list[float], list[float]]:
    """Mean uniformity and alignment over the rows of each step."""
    steps = [own for _, own in sorted(grouped(rows, "step").items())]
    across = [float(np.mean([row.uniformity for row in own])) for own in steps]
    return across, [float(np.mean([row.alignment for row in own])) for own in steps]


PATH = Recipe(
    PathPoint,
    _draw_paths,
    "Alignment and uniformity during training",
    lambda _: [
        "Lower is better on both axes: sentences with the same meaning close together (alignment), all sentences "
        "spread out (uniformity). Square: the start; thick: mean over seeds; with an edge: the chosen snapshots."
    ],
    _gather_paths,
    nothing="Nothing to draw: no training has alignment and uniformity of its snapshots on a development set.",
    shown=lambda rows: [row for row in rows if math.isfinite(row.alignment + row.uniformity)],
    **_OF_GROUPS,
)


# --- seeds -------------------------------------------------------------------------------------------------

_LINE_INCHES, _LEAST_HEIGHT = 0.2, 0.5
_NAME_SIZE, _NAME_INCHES = 6.5, 2.0
_BESIDE = 0.16  # lines between the points of seeds and the mean
_MOST = 105  # a correlation × 100, and room for a marker


def _draw_seeds(rows: Sequence[SeedPoint]) -> Figure:
    sets, looks = grouped(rows, "pairs"), _looks(rows)
    fits = lettering.into(_NAME_INCHES, _NAME_SIZE)
    names = lettering.distinct({name: name for name in looks}, fits)

    def draw_set(pairs: str, axes: Axes) -> None:
        groups = grouped(sets[pairs], "group")
        for place, (name, look) in enumerate(looks.items()):
            _draw_seeds_of(axes, groups.get(name, []), place, look)
        # an interval of two seeds may be wider than all correlations there can be
        low, high = axes.get_xlim()
        axes.set_xlim(max(low, -_MOST), min(high, _MOST))
        canvas.few_ticks(axes.xaxis)
        axes.grid(True, axis="x")
        axes.tick_params(axis="y", length=0)
        axes.set_yticks(range(len(names)), list(names.values()))
        axes.set_ylim(len(names) - 0.5, -0.5)

    return panels(
        {name: name for name in sets}, draw_set, rows=rows, heights=[max(_LEAST_HEIGHT, _LINE_INCHES * len(names))],
        width=(1.5, 4.0), share=(False, True), labels=("Spearman × 100", ""),
    )  # fmt: skip


def _draw_seeds_of(axes: Axes, rows: Sequence[SeedPoint], place: int, look: canvas.Look) -> None:
    axes.plot(
        [100 * row.value for row in rows], [place - _BESIDE] * len(rows), linestyle="none", marker=look.marker,
        color=look.color, markersize=2.8, alpha=0.75,
    )  # fmt: skip
    for mean in [row for row in rows if math.isfinite(row.mean)][:1]:
        if math.isfinite(mean.low):
            ends = (100 * mean.low, 100 * mean.high)
            axes.plot(ends, (place + _BESIDE,) * 2, color=look.color, linewidth=1.2)
        axes.plot(
            100 * mean.mean, place + _BESIDE, marker=look.marker, color=look.color, markersize=4.5,
            markeredgecolor=canvas.INK, markeredgewidth=0.6,
        )  # fmt: skip


def _read_seeds(rows: Sequence[SeedPoint]) -> Iterator[str]:
    yield "Small: one training; large, with a line: mean over seeds."
    if levels := [row.level for row in rows if math.isfinite(row.low)]:
        yield (
            f"Line: {percent(levels[0])} interval for new seeds on the same pairs (t), not for new pairs. Intervals "
            "that overlap do not show that two recipes are equally good."
        )
    if any(math.isnan(row.mean) for row in rows):
        yield "Groups with one seed have no mean."


def _gather_seeds(inputs: Inputs) -> list[SeedPoint]:
    """The chosen snapshots on test sets, beside what was computed of their seeds."""
    places = _places(inputs)
    means = {(row.unit_set, row.group): row for row in inputs.rows_if_there(TrainingSeeds) if not row.other}
    points = []
    for row in inputs.rows_if_there(TrainingRow):
        if row.selected and row.split == TEST and row.measure == SPEARMAN and math.isfinite(row.value):
            mean = means.get((row.pairs, row.group))
            stated = (mean.value, mean.seeds_low, mean.seeds_high, mean.level) if mean else (math.nan,) * 4
            own = dict(zip(("mean", "low", "high", "level"), stated, strict=True))
            points.append(row_from(SeedPoint, vars(row) | places[row.group] | own))
    return points


SEEDS = Recipe(
    SeedPoint,
    _draw_seeds,
    "Scores of trainings by seed",
    _read_seeds,
    _gather_seeds,
    nothing="Nothing to draw: no training was measured on a pair set.",
    **_OF_GROUPS,
)


# --- sweeps ------------------------------------------------------------------------------------------------

_WIDTH = (1.35, 2.8)  # inches of a panel
_PANEL, _LINE = ("sweep", "start", "data"), ("method", "max_tokens")


def _draw_sweep(rows: Sequence[SweepPoint]) -> Figure:
    members, lines = grouped(rows, *_PANEL), _line_names(rows)
    looks = canvas.looks([canvas.Drawn(name, place) for place, name in enumerate(unique(lines.values()))])
    rates = sorted({row.learning_rate for row in rows})

    def draw_panel(key: tuple[str, ...], axes: Axes) -> None:
        for line, own in grouped(members[key], *_LINE).items():
            look = looks[lines[line]]
            for published in (True, False):
                curve(
                    axes, [row for row in own if row.published == published], "learning_rate", "value", 100,
                    color=look.color, marker=look.marker, markersize=3.2, linewidth=0.6 if published else 1.1,
                    linestyle="--" if published else "-", markerfacecolor="white" if published else look.color,
                    markeredgewidth=0.8,
                )  # fmt: skip
        axes.set_xscale("log")
        canvas.few_ticks(axes.yaxis)
        axes.margins(0.1)
        axes.grid(True)
        canvas.spaced_ticks(axes.xaxis, rates, number_word, inches=_WIDTH[0] / 1.2)

    entries = named(looks, {name: name for name in looks})
    if any(row.published for row in rows):
        quiet = {"linestyle": "--", "color": canvas.QUIET, "marker": "o", "markerfacecolor": "white"}
        entries.append(Line2D([], [], label="published", **quiet))  # type: ignore[arg-type]
    return panels(
        _panel_names(list(members)), draw_panel, rows=rows, columns=4, width=_WIDTH, share=(True, False),
        labels=("learning rate", "Spearman × 100"), legend=entries,
    )  # fmt: skip


def _panel_names(keys: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    """Panel → start and data; the sweep too where several have the same."""
    names = {(sweep, start, data): ", ".join(filter(None, (start, data))) for sweep, start, data in keys}
    count = Counter(names.values())
    return {key: name if count[name] == 1 else f"{name}, {key[0]}" for key, name in names.items()}


def _line_names(rows: Sequence[SweepPoint]) -> dict[tuple[str, int], str]:
    """Method and length → the method; the length too where there are several."""
    lines = grouped(rows, *_LINE)
    count = Counter(method for method, _ in lines)
    return {
        (method, n): method if count[method] == 1 else f"{method}, {counted(n, 'token')}"
        for method, n in lines
    }


def _read_sweep(rows: Sequence[SweepPoint]) -> Iterator[str]:
    yield "Spearman's correlation × 100 on the development set of each sweep; panels have their own vertical axes."
    if seeds := {row.n_seeds for row in rows if not row.published}:
        number = f"{min(seeds)} to {max(seeds)}" if len(seeds) > 1 else f"{max(seeds)}"
        yield f"Ours (filled): mean over seeds ({number})."
    else:
        yield "Ours: none was run."
    if any(row.published for row in rows):
        yield "Published (hollow): one training each, so differences of a few points mean nothing."


SWEEP = Recipe(
    SweepPoint,
    _draw_sweep,
    "Development scores by learning rate",
    _read_sweep,
    nothing="Nothing to draw: no cell of a sweep has a development score at some learning rate.",
    shown=lambda rows: [row for row in rows if math.isfinite(row.value) and row.learning_rate > 0],
    what="method",
    named_by="method",
)
