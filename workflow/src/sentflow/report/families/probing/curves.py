"""Training curves: losses by epoch, and below them the number of folds that are still training."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.compare.score_rows import ScoreRow
from sentflow.files.rows import row_from
from sentflow.report import captions
from sentflow.report.families.probing import remarks
from sentflow.report.families.probing.rows import CurveRow
from sentflow.report.figure import canvas
from sentflow.report.figure.panels import named, panels
from sentflow.report.figure.recipe import Caption, Recipe
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import percent
from sentflow.report.rows import data_note, unique

TRAIN, EVAL = "loss_per_epoch_train", "loss_per_epoch_eval"
_LOSS_INCHES, _FOLDS_INCHES = 0.95, 0.3
_MOST_NOTES = 4  # of curves above the frame
_FAINT = 0.25
_OUT_OF_SCALE = 10.0


@dataclass(frozen=True)
class DrawnCurveRow(CurveRow):
    """An epoch of a curve; `score_notes` as in `sentflow.report.families.probing.best_gaps.BestGapRow`."""

    score_notes: str = ""


def draw(rows: Sequence[DrawnCurveRow]) -> Figure:
    """One panel per task: evaluation loss (solid, with its interval) and training loss (dashed).

    An average over the folds that are left says little when few are left: where fewer than half of the
    folds reached an epoch, the curve is faint and has no band.
    """
    looks = canvas.looks(rows)

    def draw_task(task: str, upper: Axes, lower: Axes) -> None:
        members = [row for row in rows if row.task == task]
        _draw_losses(upper, members, looks)
        _draw_survivors(lower, members, looks)

    handles = named(looks, {row.model: row.model_title for row in rows}, marker=None)
    handles += [
        Line2D([], [], color=canvas.QUIET, label="evaluation part"),
        Line2D([], [], color=canvas.QUIET, linestyle=(0, (3, 1.5)), label="training part"),
    ]
    return panels(
        {task: task for task in unique(row.task for row in rows)}, draw_task, rows=rows, columns=4,
        heights=[_LOSS_INCHES, _FOLDS_INCHES], parts=2, width=(1.0, 3.0), share=(False, False),
        labels=("epoch", "loss", "folds"), legend=handles,
    )  # fmt: skip


def texts_of(rows: Sequence[DrawnCurveRow]) -> Caption:
    """Texts of the training curves."""
    return Caption(
        title="Training curves",
        reading="Mean loss over the folds that reached an epoch; the band is the published "
        f"{percent(rows[0].level)} interval (repeatability). Below: how many of the "
        f"{max(row.n_folds_total for row in rows)} folds reached it (dotted: half of them). Where fewer than "
        "half are left, the curve is faint and has no band, because it rests on the slowest folds "
        "only. An arrow marks an encoder whose loss is above the frame and gives its value. "
        + " ".join(
            [
                f"P{captions.protocols_of(rows)[1:]}.",
                *captions.protocol_notes(rows),
                *unique(row.score_notes for row in rows if row.score_notes),
                data_note(rows),
            ]
        ),
        alternative=f"Training and evaluation loss by epoch for {captions.extent(rows)}, one panel per task, "
        f"up to epoch {max(row.epoch for row in rows)}.",
    )


def solid_until(rows: Sequence[DrawnCurveRow]) -> int:
    """Number of leading epochs that at least half of the folds reached."""
    return sum(1 for row in rows if 2 * row.n_folds >= row.n_folds_total)


def _draw_losses(axes: Axes, rows: Sequence[DrawnCurveRow], looks: Mapping[str, canvas.Look]) -> None:
    for model in unique(row.model for row in rows):
        color = looks[model].color
        for quantity in (TRAIN, EVAL):
            curve = _curve(rows, model, quantity)
            epochs, means = [row.epoch for row in curve], [row.mean for row in curve]
            end = solid_until(curve)
            dashes = "solid" if quantity == EVAL else (0, (3, 1.5))
            axes.plot(epochs[:end], means[:end], color=color, linestyle=dashes)
            if end < len(curve):
                start = max(end - 1, 0)
                axes.plot(epochs[start:], means[start:], color=color, linestyle=dashes, alpha=_FAINT)
            if quantity == EVAL:
                lows, highs = [row.low for row in curve[:end]], [row.high for row in curve[:end]]
                axes.fill_between(epochs[:end], lows, highs, color=color, alpha=0.2, linewidth=0)
    _keep_in_scale(axes, rows, looks)
    axes.set_xlim(1, max(2, max(row.epoch for row in rows)))
    axes.tick_params(labelbottom=False)
    canvas.few_ticks(axes.yaxis)


def _keep_in_scale(axes: Axes, rows: Sequence[DrawnCurveRow], looks: Mapping[str, canvas.Look]) -> None:
    """Where an encoder's loss would flatten all other curves, cut the panel and write how high it is."""
    highest = {
        model: max(row.mean for row in rows if row.model == model)
        for model in unique(row.model for row in rows)
    }
    limit = _OUT_OF_SCALE * min(highest.values())
    inside = [row for row in rows if highest[row.model] <= limit]
    if len(inside) == len(rows):
        return
    values = [value for row in inside for value in (row.mean, row.low, row.high) if math.isfinite(value)]
    low, high = min(values), max(values)
    axes.set_ylim(low - 0.05 * (high - low), high + 0.25 * (high - low))
    above = [model for model, value in highest.items() if value > limit]
    shown = above if len(above) <= _MOST_NOTES else above[: _MOST_NOTES - 1]
    notes = [(f"↑ to {highest[model]:.0e}", looks[model].color) for model in shown]
    if len(shown) < len(above):
        notes.append((f"↑ {len(above) - len(shown)} more", canvas.QUIET))
    for place, (note, color) in enumerate(notes):
        axes.text(
            0.98,
            0.97 - 0.14 * place,
            note,
            transform=axes.transAxes,
            ha="right",
            va="top",
            color=color,
            fontsize="small",
        )


def _draw_survivors(axes: Axes, rows: Sequence[DrawnCurveRow], looks: Mapping[str, canvas.Look]) -> None:
    total = max(row.n_folds_total for row in rows)
    axes.axhline(total / 2, color=canvas.QUIET, linewidth=0.5, linestyle=(0, (1, 2)))
    for model in unique(row.model for row in rows):
        curve = _curve(rows, model, EVAL)
        axes.step(
            [row.epoch for row in curve],
            [row.n_folds for row in curve],
            where="mid",
            color=looks[model].color,
            linewidth=0.9,
        )
    axes.set_xlim(1, max(2, max(row.epoch for row in rows)))
    axes.set_ylim(0, total * 1.08)
    axes.set_yticks([0, total])
    canvas.few_ticks(axes.xaxis, integer=True)


def _curve(rows: Sequence[DrawnCurveRow], model: str, quantity: str) -> list[DrawnCurveRow]:
    found = [row for row in rows if row.model == model and row.quantity == quantity]
    return sorted(found, key=lambda row: row.epoch)


def gather(inputs: Inputs) -> list[DrawnCurveRow]:
    """The curves, with what the summary of scores says of the scores that they led to."""
    notes = remarks.low_score_text(inputs.rows_if_there(ScoreRow))
    return [row_from(DrawnCurveRow, vars(row), score_notes=notes) for row in inputs.rows_if_there(CurveRow)]


FIGURE = Recipe(DrawnCurveRow, draw, texts_of, gather)
