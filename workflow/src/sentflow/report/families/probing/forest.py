"""Forest plot: per task the encoders with both intervals, and the mean over the tasks of each family."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.compare.score_rows import ScoreRow, by_protocol
from sentflow.report import captions
from sentflow.report.families.probing import encoder_lines, remarks
from sentflow.report.families.probing.rows import average_score
from sentflow.report.figure import canvas
from sentflow.report.figure.recipe import Caption, Recipe
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import counted, percent
from sentflow.report.rows import data_note, data_versions, unique
from sentflow.stats.generalisation import corrected_error, degrees_of_freedom
from sentflow.stats.task_mean import mean_limits

_THIN, _THICK = 0.9, 4.5  # points


@dataclass(frozen=True)
class ForestRow(ScoreRow):
    """An encoder on a task, or, where `n_tasks` is not 0, its mean over the tasks of a family under one protocol.

    The interval of a mean is that of the mean of the expected scores for new texts of the same tasks; NaN, like the
    mean, for an encoder that lacks a task.
    """

    n_tasks: int = 0


def draw(rows: Sequence[ForestRow]) -> Figure:
    """One panel per task, then one per family with several tasks, all on one axis; the dashed line at 0 is chance.

    Thin line: generalisation interval. Thick line: repeatability interval. A hollow marker has no interval
    (all folds gave the same score).
    """
    return encoder_lines.draw(
        rows,
        _draw_line,
        head=_head,
        ends=lambda row: (*row.shown_generalisation, row.mean),
        legend=_handles(),
    )


def gather(inputs: Inputs) -> list[ForestRow]:
    """The summary of scores, and the means of families."""
    scores = inputs.rows_if_there(ScoreRow)
    return [*(ForestRow(**vars(row)) for row in scores), *family_rows(scores)]


def family_rows(scores: Sequence[ScoreRow]) -> list[ForestRow]:
    """Every encoder on every family of several tasks, protocol by protocol, in the order of the scores."""
    return [
        _mean_over([row for row in of_family if row.model == model], of_family)
        for own in by_protocol(scores).values()
        for family in unique(row.family for row in own)
        if (of_family := [row for row in own if row.family == family])
        if len({row.task for row in of_family}) > 1
        for model in unique(row.model for row in of_family)
    ]


def _mean_over(members: Sequence[ScoreRow], of_family: Sequence[ScoreRow]) -> ForestRow:
    first, n_tasks = members[0], len({row.task for row in of_family})
    mean, limits = average_score(members, n_tasks), (math.nan, math.nan)
    if not math.isnan(mean):
        kept = [row.effective_documents if row.n_documents else math.inf for row in members]
        pairs = list(zip(members, kept, strict=True))
        # errors of tasks of the same data are added, as if they always went together
        limits = mean_limits(
            mean,
            [corrected_error(row.std, row.n_folds, folds=row.folds, documents=n) for row, n in pairs],
            [degrees_of_freedom(row.n_folds, n) for row, n in pairs],
            [row.data_version for row in members],
            level=first.level,
        )
    changed: dict[str, Any] = {
        "task": captions.family_name(first.family) + captions.of_protocol(first.protocol, of_family),
        "task_title": f"mean of {counted(n_tasks, 'task')}",
        "mean": mean,
        "generalisation_low": limits[0],
        "generalisation_high": limits[1],
        "repeatability_low": math.nan,
        "repeatability_high": math.nan,
        "clips": all(row.clips for row in members),
        "degenerate": False,
        "data_version": "; ".join(data_versions(members)),
        "n_tasks": n_tasks,
    }
    return ForestRow(**vars(first) | changed)


def texts_of(all_rows: Sequence[ForestRow]) -> Caption:
    """Texts of the forest plot."""
    rows = [row for row in all_rows if not row.n_tasks]
    means = [row for row in all_rows if row.n_tasks]
    row = rows[0]
    return Caption(
        title=f"Scores with {percent(row.level)} intervals",
        reading=" ".join(
            [
                f"Thin, generalisation ({percent(row.level)}): {captions.generalisation(rows)}.",
                f"Thick, repeatability ({percent(row.repeatability_level)}): where the mean would be if "
                "only the shuffling of the same texts changed (published bootstrap).",
                captions.design_note(rows),
                "Fold scores are cut at 0, which raises scores of guessing slightly above chance."
                if any(one.clips for one in rows)
                else "",
                *captions.degenerate_notes(rows, "Hollow"),
                *remarks.training_notes(rows),
                *_notes_on_means(means, rows),
                data_note(rows),
            ]
        ).replace("  ", " "),
        alternative=f"Forest plot of {captions.extent(rows)}: one panel per task, one line per encoder with its "
        "score and both intervals. The table of scores has the numbers of tasks.",
    )


def _notes_on_means(means: Sequence[ForestRow], rows: Sequence[ScoreRow]) -> list[str]:
    if not means:
        return []
    incomplete = unique(row.model_title for row in means if math.isnan(row.mean))
    shared = captions.same_documents(captions.tasks_that_split_documents(rows))
    return [
        "Means of families: over their tasks, without weights, with the interval of the mean of the expected scores, "
        f"for new texts of these tasks{shared}, not for other tasks.",
        *([f"No mean, because a task is missing: {', '.join(incomplete)}."] if incomplete else []),
    ]


def _head(row: ForestRow) -> encoder_lines.Head:
    if row.n_tasks:
        return encoder_lines.Head(row.task, row.task_title)
    metric = captions.metric_name(row.metric)
    return encoder_lines.Head(f"{row.task}{remarks.training_mark(row)} ({metric})", row.task_title)


def _handles() -> list[Line2D]:
    return [
        Line2D([], [], color=canvas.QUIET, linewidth=_THIN, label="generalisation interval"),
        Line2D([], [], color=canvas.QUIET, linewidth=_THICK, label="repeatability interval"),
        Line2D([], [], label="chance", **encoder_lines.CHANCE),  # type: ignore[arg-type]
    ]


def _draw_line(axes: Axes, row: ForestRow, height: int, look: canvas.Look) -> None:
    if not row.degenerate:
        axes.plot(row.shown_generalisation, [height] * 2, color=look.color, linewidth=_THIN)
    if not (row.degenerate or row.n_tasks):
        axes.plot(
            row.shown_repeatability, [height] * 2, color=look.color, linewidth=_THICK, solid_capstyle="butt"
        )
    axes.plot(
        row.mean,
        height,
        marker=look.marker,
        markersize=3.4 if row.degenerate else 2.2,
        markerfacecolor="white",
        markeredgecolor=look.color,
        markeredgewidth=0.8,
    )


FIGURE = Recipe(ForestRow, draw, texts_of, gather)
