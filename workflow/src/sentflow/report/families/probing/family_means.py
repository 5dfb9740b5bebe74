"""Mean score of each encoder over the tasks of each family, with its interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.compare.protocol_groups import by_protocol
from sentflow.compare.score_rows import ScoreRow, shown_limits
from sentflow.report import captions
from sentflow.report.families.probing import encoder_lines, remarks
from sentflow.report.families.probing.encoder_lines import Head
from sentflow.report.families.probing.rows import average_score
from sentflow.report.figure import canvas
from sentflow.report.figure.recipe import Recipe
from sentflow.report.figure.texts import FigureTexts, encoders, sentences
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import counted, listed, percent
from sentflow.report.rows import data_note, data_versions, unique
from sentflow.stats.generalisation import corrected_error, degrees_of_freedom
from sentflow.stats.task_mean import mean_limits


@dataclass(frozen=True)
class FamilyMeanRow:
    """An encoder over the tasks of a family that have one protocol.

    Attributes
    ----------
    n_tasks
        Tasks of the family under the protocol.
    mean, low, high
        Over these tasks, and the interval, at `level`, of the mean of the expected scores, for new texts of the same
        tasks; `shown_low` and `shown_high` are cut to the range of the scores. NaN for an encoder that lacks a task.
    position
        See `ScoreRow`.
    score_notes
        Why scores of the family are lower than encoders allow; empty where none are.
    same_documents
        Names of `sentflow.report.captions.tasks_that_split_documents`, with spaces between.
    """

    protocol: str
    family: str
    n_tasks: int
    model: str
    model_title: str
    is_control: bool
    mean: float
    low: float
    high: float
    shown_low: float
    shown_high: float
    level: float
    repetitions: int
    folds: int
    data_version: str
    position: int = -1
    score_notes: str = ""
    same_documents: str = ""


def draw(rows: Sequence[FamilyMeanRow]) -> Figure:
    """One panel per family, and per protocol where there are several; 0 is chance."""
    chance = Line2D([], [], label="chance", **encoder_lines.CHANCE)  # type: ignore[arg-type]
    return encoder_lines.draw(
        rows,
        _draw_line,
        head=lambda row: Head(
            captions.family_name(row.family) + captions.of_protocol(row.protocol, rows),
            "",
            counted(row.n_tasks, "task"),
        ),
        ends=lambda row: (row.mean, row.shown_low, row.shown_high),
        texts=texts_of(rows),
        legend=[chance],
    )


def texts_of(rows: Sequence[FamilyMeanRow]) -> FigureTexts:
    """Texts of the means."""
    first = rows[0]
    shared = unique(task for row in rows for task in row.same_documents.split())
    incomplete = unique(row.model_title for row in rows if math.isnan(row.mean))
    return FigureTexts(
        title=f"Mean score on each family of tasks with {percent(first.level)} intervals",
        reading=sentences(
            "Mean over the tasks of a family, without weights. Line: interval of the mean of the expected scores, for "
            f"new texts of these tasks{captions.same_documents(shared)}, not for other tasks; "
            "errors of tasks of the same data are added, "
            "as if they always went together. Whether two encoders differ is a question for a test.",
            f"No mean, because a task is missing: {', '.join(incomplete)}." if incomplete else "",
            *captions.apart_notes(rows),
            *unique(row.score_notes for row in rows if row.score_notes),
            f"Protocol {listed(list(by_protocol(rows)))}, {first.repetitions} × {first.folds} folds.",
            data_note(rows),
        ),
        alternative=f"Mean score and interval of {encoders(rows)} on "
        f"{listed(unique(captions.family_name(row.family) for row in rows))}, a panel per family. The table of scores "
        "has the scores that they are over.",
    )


def family_rows(scores: Sequence[ScoreRow]) -> list[FamilyMeanRow]:
    """Every encoder on every family, in the order of the scores."""
    return [
        _row([row for row in of_family if row.model == model], of_family)
        for own in by_protocol(scores).values()
        for family in unique(row.family for row in own)
        for of_family in [[row for row in own if row.family == family]]
        for model in unique(row.model for row in of_family)
    ]


def _row(members: Sequence[ScoreRow], of_family: Sequence[ScoreRow]) -> FamilyMeanRow:
    first, n_tasks = members[0], len(unique(row.task for row in of_family))
    mean = average_score(members, n_tasks)
    low, high = (math.nan, math.nan)
    if not math.isnan(mean):
        kept = [row.effective_documents if row.n_documents else math.inf for row in members]
        pairs = list(zip(members, kept, strict=True))
        low, high = mean_limits(
            mean,
            [corrected_error(row.std, row.n_folds, folds=row.folds, documents=n) for row, n in pairs],
            [degrees_of_freedom(row.n_folds, n) for row, n in pairs],
            [row.data_version for row in members],
            level=first.level,
        )
    shown_low, shown_high = shown_limits(first, low, high, clips=all(row.clips for row in members))
    return FamilyMeanRow(
        protocol=first.protocol,
        family=first.family,
        n_tasks=n_tasks,
        model=first.model,
        model_title=first.model_title,
        is_control=first.is_control,
        mean=mean,
        low=low,
        high=high,
        shown_low=shown_low,
        shown_high=shown_high,
        level=first.level,
        repetitions=first.repetitions,
        folds=first.folds,
        data_version="; ".join(data_versions(members)),
        position=first.position,
        score_notes=remarks.low_score_text(of_family),
        same_documents=" ".join(captions.tasks_that_split_documents(of_family)),
    )


def _draw_line(axes: Axes, row: FamilyMeanRow, height: int, look: canvas.Look) -> None:
    axes.plot((row.shown_low, row.shown_high), (height, height), color=look.color, linewidth=0.9)
    axes.plot(row.mean, height, marker=look.marker, color=look.color, markersize=3.8)


def gather(inputs: Inputs) -> list[FamilyMeanRow]:
    """`family_rows` of the summary of scores."""
    return family_rows(inputs.rows_if_there(ScoreRow))


FIGURE = Recipe(FamilyMeanRow, draw, texts_of, gather)
