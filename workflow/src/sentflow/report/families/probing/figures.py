"""Figures of tasks: scores as a heat map, ranks over tasks, and training curves."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.rows import RankRow
from sentflow.compare.score_rows import ScoreRow, by_protocol
from sentflow.files.rows import row_from
from sentflow.report import captions
from sentflow.report.families.probing import remarks
from sentflow.report.families.probing.rows import CurveRow
from sentflow.report.figure import canvas, lettering
from sentflow.report.figure.panels import named, panels
from sentflow.report.figure.recipe import Recipe
from sentflow.report.numbers import MISSING, decimal, percent
from sentflow.report.rows import data_versions, grouped, unique
from sentflow.stats.separation import brackets

_LABEL_SIZE = 6.5

# --- the heat map ------------------------------------------------------------------------------------------

_ROW_INCHES = 0.2
_LEAST_COLUMN, _MOST_COLUMN = 0.38, 1.05  # inches
_LEAST_LABEL, _MOST_LABEL = 1.6, 3.1
_COLUMN_BESIDE_LABELS = 0.5  # inches of a column, below which labels of tasks become shorter
_SLANTED_INCHES = 1.6  # of the names of encoders, where these do not fit above their columns


def _draw_heatmap(rows: Sequence[ScoreRow]) -> Figure:
    titles = {row.model: row.model_title for row in rows}
    labels = _task_labels(rows, n_columns=len(titles))
    blocks = {
        captions.family_name(family) + captions.of_protocol(protocol, rows): own
        for (protocol, family), own in grouped(rows, "protocol", "family").items()
    }
    room = canvas.PAGE_WIDTH - lettering.widest(list(labels.values()), _LABEL_SIZE)

    def draw_block(heading: str, axes: Axes) -> None:
        _draw_block(axes, blocks[heading], list(titles), labels)
        axes.annotate(
            heading, (0, 1), xytext=(-4, 3), xycoords="axes fraction", textcoords="offset points", ha="right",
            fontweight="bold", color=canvas.INK,
        )  # fmt: skip
        if heading == next(iter(blocks)):
            column = min(_MOST_COLUMN, room / len(titles)) - 0.08
            places = {place + 0.5: title for place, title in enumerate(titles.values())}
            axes.xaxis.tick_top()
            axes.tick_params(axis="x", pad=3)
            lettering.name_places(axes, places, column, column, most_lines=3, turned=(_SLANTED_INCHES, 45))

    return panels(
        dict.fromkeys(blocks, ""), draw_block, rows=rows, columns=1, share=(False, False),
        heights=[_ROW_INCHES * len(unique(row.task for row in own)) for own in blocks.values()],
        width=(len(titles) * _LEAST_COLUMN, len(titles) * _MOST_COLUMN),
    )  # fmt: skip


def _task_labels(rows: Sequence[ScoreRow], n_columns: int) -> dict[str, str]:
    """Name, title and metric of each task, shorter beside many columns."""
    room = canvas.PAGE_WIDTH - 0.25 - _COLUMN_BESIDE_LABELS * n_columns
    inches = min(_MOST_LABEL, max(_LEAST_LABEL, room))
    ends = {row.task: f" ({captions.metric_name(row.metric)}){remarks.training_mark(row)}" for row in rows}
    longest = lettering.widest(list(ends.values()), _LABEL_SIZE)
    names = {row.task: f"{row.task}  {row.task_title}" for row in rows}
    short = lettering.distinct(names, lettering.into(inches - longest, _LABEL_SIZE))
    return {task: short[task] + ends[task] for task in names}


def _draw_block(axes: Axes, rows: Sequence[ScoreRow], models: list[str], labels: Mapping[str, str]) -> None:
    tasks, scale = unique(row.task for row in rows), colormaps["cividis"]
    known = {(row.task, row.model): row for row in rows}
    cells = [[known.get((task, model)) for model in models] for task in tasks]
    values = np.array([[cell.mean if cell else math.nan for cell in line] for line in cells])
    # always from 0 (chance) to 1, so that heat maps of different experiments can be compared
    axes.pcolormesh(
        np.ma.masked_invalid(values), cmap=scale, vmin=0, vmax=1, edgecolors="white", linewidth=1.5
    )
    size = 7 if len(models) * 0.5 + _LEAST_LABEL < canvas.PAGE_WIDTH else 6
    for (line, column), value in np.ndenumerate(values):
        cell, text, color = cells[line][column], MISSING, canvas.INK
        if cell is None or math.isnan(value):
            gap = Rectangle((column, line), 1, 1, facecolor="#EEEEEE", edgecolor="white", linewidth=1.5)
            axes.add_patch(gap)
        else:
            text = decimal(float(value)) + remarks.score_mark(cell) + ("†" if cell.degenerate else "")
            color = _readable_on(scale(float(value)))
        style: dict[str, Any] = {
            "ha": "center",
            "va": "center",
            "fontsize": size,
            "color": color,
            "in_layout": False,
        }
        axes.text(column + 0.5, line + 0.5, text, **style)
    axes.set_yticks([line + 0.5 for line in range(len(tasks))], [labels[task] for task in tasks])
    axes.set_xlim(0, len(models))
    axes.set_ylim(len(tasks), 0)
    axes.set_xticks([])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _readable_on(background: tuple[float, float, float, float]) -> str:
    """White or ink, whichever has more contrast (WCAG relative luminance)."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in background[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    ink_luminance = 0.016
    white_is_better = 1.05 / (luminance + 0.05) > (luminance + 0.05) / (ink_luminance + 0.05)
    return "white" if white_is_better else canvas.INK


HEATMAP = Recipe(
    ScoreRow,
    _draw_heatmap,
    "Score of each encoder on each task",
    lambda rows: [
        "Encoders in the order of the selection; 0 (dark) is chance, 1 (light) is perfect.",
        captions.design_note(rows),
        *remarks.score_notes(rows),
        *captions.degenerate_notes(rows),
    ],
)


# --- ranks -------------------------------------------------------------------------------------------------

_LINE_INCHES, _LABEL_INCHES = 0.2, 2.6
_NUMBERS = 4  # points between the panel and the mean scores
_BARS, _BAR_STEP = 34, 5  # points between the panel and the first bar, and between bars
_BAR_END = 0.28  # lines by which a bar goes beyond the first and the last encoder that it joins


@dataclass(frozen=True)
class RankingRow(RankRow):
    """An encoder over all tasks, with the tests of all encoders together."""

    # not_separated: the other encoders that the tests over tasks do not tell from this one; joined by spaces
    not_separated: str
    alpha: float  # of the tests; NaN without any
    data_version: str
    position: int = -1


def ranking_rows(scores: Sequence[ScoreRow], found: Comparisons) -> list[RankingRow]:
    """The ranks of `compare`, protocol after protocol, the best first, and incomplete encoders last."""

    def order(row: RankRow) -> tuple[bool, float]:
        return not row.complete, math.inf if math.isnan(row.average_rank) else row.average_rank

    positions = {row.model: row.position for row in scores}
    rows = []
    for protocol, own in by_protocol(found.ranks).items():
        tests = [row for row in found.across if row.protocol == protocol]
        joined = [{row.model_a, row.model_b} for row in tests if not row.separated]
        version = "; ".join(data_versions([row for row in scores if row.protocol == protocol]))
        for rank in sorted(own, key=order):
            others = {other for pair in joined if rank.model in pair and rank.complete for other in pair}
            own_values: dict[str, Any] = {
                "not_separated": " ".join(sorted(others - {rank.model})),
                "data_version": version,
            }
            own_values |= {"alpha": tests[0].alpha if tests else math.nan, "position": positions[rank.model]}
            rows.append(row_from(RankingRow, vars(rank), **own_values))
    return rows


def _ranked(rows: Sequence[RankingRow]) -> list[RankingRow]:
    """The encoders that have a rank, without the protocols that rank fewer than two."""
    groups = by_protocol(row for row in rows if row.complete and not math.isnan(row.average_rank))
    return [row for own in groups.values() if len(own) > 1 for row in own]


def _draw_ranks(rows: Sequence[RankingRow]) -> Figure:
    groups, looks = by_protocol(rows), canvas.looks(rows)
    return panels(
        {protocol: captions.heading_of_protocol(protocol, rows) for protocol in groups},
        lambda protocol, axes: _draw_ranked(axes, groups[protocol], looks), rows=rows, columns=1, width=(3.0, 7.0),
        heights=[_LINE_INCHES * len(ranked) for ranked in groups.values()], share=(False, False),
        labels=("average rank", ""),
    )  # fmt: skip


def joined_runs(ranked: Sequence[RankingRow]) -> list[tuple[int, int]]:
    """First and last position of every longest run of encoders of which no two are separated."""
    joined = [{row.model, *row.not_separated.split()} for row in ranked]
    return brackets(np.array([[row.model not in own for row in ranked] for own in joined]))


def bar_levels(runs: Sequence[tuple[int, int]]) -> list[int]:
    """The line of each run's bar, from 0 down: as few lines as keep bars that share an encoder apart."""
    ends: list[int] = []  # per line the last position of its last bar
    levels = []
    for start, end in runs:
        level = next((place for place, last in enumerate(ends) if last < start), len(ends))
        ends[level : level + 1] = [end]
        levels.append(level)
    return levels


def _draw_ranked(axes: Axes, ranked: Sequence[RankingRow], looks: Mapping[str, canvas.Look]) -> None:
    titles = {row.model: row.model_title for row in ranked}
    names = lettering.distinct(titles, lettering.into(_LABEL_INCHES, _LABEL_SIZE))
    for line, row in enumerate(ranked):
        look = looks[row.model]
        axes.plot((row.repeat_low, row.repeat_high), (line, line), color=look.color, linewidth=2.4)
        axes.plot(row.average_rank, line, marker=look.marker, color=look.color, markersize=4)
        axes.annotate(
            decimal(row.mean), (1, line), xycoords=("axes fraction", "data"), xytext=(_NUMBERS, 0),
            textcoords="offset points", va="center", color=canvas.INK,
        )  # fmt: skip
    axes.annotate(
        "mean score", (1, 1), xycoords="axes fraction", xytext=(_NUMBERS, 2), textcoords="offset points",
        va="bottom", color=canvas.QUIET, fontsize=6.5,
    )  # fmt: skip
    figure, runs = axes.get_figure(root=True), joined_runs(ranked)
    assert figure is not None
    for (first, last), level in zip(runs, bar_levels(runs), strict=True):
        inches = (_BARS + _BAR_STEP * level) / 72
        beside = ScaledTranslation(inches, 0, figure.dpi_scale_trans)
        axes.plot(
            (1, 1), (first - _BAR_END, last + _BAR_END), transform=axes.get_yaxis_transform() + beside,
            color=canvas.INK, linewidth=2, solid_capstyle="butt", clip_on=False,
        )  # fmt: skip
    axes.set_yticks(range(len(ranked)), list(names.values()))
    axes.set_ylim(len(ranked) - 0.5, -0.5)
    axes.set_xlim(0.8, len(ranked) + 0.2)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="x")
    canvas.bare_lines(axes)


RANKS = Recipe(
    RankingRow,
    _draw_ranks,
    "Average ranks, and which encoders are not separated",
    lambda rows: [
        f"Average rank over all tasks, 1 is the best. Line: its {percent(rows[0].level)} interval with other tasks (of "
        "other sources, where there are several) and other texts.",
        f"A bar joins encoders that are not separated at {percent(rows[0].alpha)} (sign flips over all pairs), which "
        "does not mean equal. Encoders that lack a task have no rank.",
        *captions.apart_notes(rows),
    ],
    lambda inputs: ranking_rows(inputs.rows_if_there(ScoreRow), inputs.together(Comparisons)),
    nothing=captions.NOTHING_TO_COMPARE,
    shown=_ranked,
)


# --- training curves ---------------------------------------------------------------------------------------

TRAIN, EVAL = "loss_per_epoch_train", "loss_per_epoch_eval"
_LOSS_INCHES, _FOLDS_INCHES = 0.95, 0.3
_MOST_NOTES = 4  # of curves above the frame
_FAINT = 0.25
_OUT_OF_SCALE = 10.0
_DASHES = (0, (3, 1.5))


def _draw_curves(rows: Sequence[CurveRow]) -> Figure:
    looks, tasks = canvas.looks(rows), grouped(rows, "task")

    def draw_task(task: str, upper: Axes, lower: Axes) -> None:
        curves = {
            key: sorted(own, key=lambda row: row.epoch)
            for key, own in grouped(tasks[task], "model", "quantity").items()
        }
        _draw_losses(upper, curves, looks)
        _keep_in_scale(upper, tasks[task], looks)
        _draw_survivors(lower, curves, looks)
        for axes in (upper, lower):
            axes.set_xlim(1, max(2, max(row.epoch for row in tasks[task])))
        upper.tick_params(labelbottom=False)
        canvas.few_ticks(upper.yaxis)
        canvas.few_ticks(lower.xaxis, integer=True)

    handles = named(looks, {row.model: row.model_title for row in rows}, marker=None)
    handles += [
        Line2D([], [], color=canvas.QUIET, label="evaluation part"),
        Line2D([], [], color=canvas.QUIET, linestyle=_DASHES, label="training part"),
    ]
    return panels(
        {task: task for task in tasks}, draw_task, rows=rows, columns=4, heights=[_LOSS_INCHES, _FOLDS_INCHES],
        parts=2, width=(1.0, 3.0), share=(False, False), labels=("epoch", "loss", "folds"), legend=handles,
    )  # fmt: skip


_Curves = Mapping[tuple[str, str], Sequence[CurveRow]]
"""Encoder and quantity → epochs in order."""


def _draw_losses(axes: Axes, curves: _Curves, looks: Mapping[str, canvas.Look]) -> None:
    for model in unique(model for model, _ in curves):
        color = looks[model].color
        for quantity in (TRAIN, EVAL):
            curve = curves.get((model, quantity), [])
            epochs, means = [row.epoch for row in curve], [row.mean for row in curve]
            end = sum(2 * row.n_folds >= row.n_folds_total for row in curve)
            dashes = "solid" if quantity == EVAL else _DASHES
            axes.plot(epochs[:end], means[:end], color=color, linestyle=dashes)
            if end < len(curve):
                start = max(end - 1, 0)
                axes.plot(epochs[start:], means[start:], color=color, linestyle=dashes, alpha=_FAINT)
            if quantity == EVAL:
                lows, highs = [row.low for row in curve[:end]], [row.high for row in curve[:end]]
                axes.fill_between(epochs[:end], lows, highs, color=color, alpha=0.2, linewidth=0)


def _keep_in_scale(axes: Axes, rows: Sequence[CurveRow], looks: Mapping[str, canvas.Look]) -> None:
    """Where an encoder's loss would flatten all other curves, cut the panel and write how high it is."""
    highest = {model: max(row.mean for row in own) for model, own in grouped(rows, "model").items()}
    limit = _OUT_OF_SCALE * min(highest.values())
    above = [model for model, value in highest.items() if value > limit]
    if not above:
        return
    inside = [row for row in rows if row.model not in above]
    values = [value for row in inside for value in (row.mean, row.low, row.high) if math.isfinite(value)]
    low, high = min(values), max(values)
    axes.set_ylim(low - 0.05 * (high - low), high + 0.25 * (high - low))
    shown = above if len(above) <= _MOST_NOTES else above[: _MOST_NOTES - 1]
    notes = [(f"↑ to {highest[model]:.0e}", looks[model].color) for model in shown]
    if len(shown) < len(above):
        notes.append((f"↑ {len(above) - len(shown)} more", canvas.QUIET))
    for place, (note, color) in enumerate(notes):
        axes.text(
            0.98, 0.97 - 0.14 * place, note, transform=axes.transAxes, ha="right", va="top", color=color,
            fontsize="small",
        )  # fmt: skip


def _draw_survivors(axes: Axes, curves: _Curves, looks: Mapping[str, canvas.Look]) -> None:
    total = max(row.n_folds_total for own in curves.values() for row in own)
    axes.axhline(total / 2, color=canvas.QUIET, linewidth=0.5, linestyle=(0, (1, 2)))
    for (model, quantity), own in curves.items():
        if quantity == EVAL:
            epochs, left = [row.epoch for row in own], [row.n_folds for row in own]
            axes.step(epochs, left, where="mid", color=looks[model].color, linewidth=0.9)
    axes.set_ylim(0, total * 1.08)
    axes.set_yticks([0, total])


def _read_curves(rows: Sequence[CurveRow]) -> Iterator[str]:
    yield (
        "Mean loss over the folds that reached an epoch; the band is the published "
        f"{percent(rows[0].level)} interval (repeatability). Below: how many of the "
        f"{max(row.n_folds_total for row in rows)} folds reached it (dotted: half of them). Where fewer than half are "
        "left, the curve is faint. An arrow marks an encoder whose loss is above the frame."
    )
    yield f"P{captions.protocols_of(rows)[1:]}."
    yield from captions.protocol_notes(rows)


CURVES = Recipe(CurveRow, _draw_curves, "Training curves", _read_curves)
