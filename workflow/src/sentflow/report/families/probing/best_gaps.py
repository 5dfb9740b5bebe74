"""What each encoder lacks to the highest score of each task, with the interval and the test of that pair."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.rows import PairRow
from sentflow.compare.score_rows import ScoreRow
from sentflow.files.rows import row_from
from sentflow.report import captions
from sentflow.report.families.probing import encoder_lines, remarks
from sentflow.report.families.probing.differences import oriented
from sentflow.report.figure import canvas
from sentflow.report.figure.panels import nothing_drawn
from sentflow.report.figure.recipe import Caption, Recipe, encoders, sentences
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import counted, percent
from sentflow.report.rows import data_note, unique

_TITLE = "Differences to the highest score of each task"
_NOTHING = "Nothing to compare: no task has the scores of two encoders."


@dataclass(frozen=True)
class BestGapRow(PairRow):
    """An encoder (`model`) and the one with the highest score on a task, the first of equals."""

    model: str
    model_title: str
    is_control: bool
    # gap, gap_low, gap_high: score of the encoder less the highest, and its interval at `level`; 0 and NaN for the
    # highest itself, whose row is a copy of one of its pairs otherwise
    gap: float
    gap_low: float
    gap_high: float
    is_best: bool
    position: int = -1
    score_notes: str = ""  # why scores of the figure are lower than encoders allow; empty where none are
    # same_documents: names of `sentflow.report.captions.tasks_that_split_documents`, with spaces between
    same_documents: str = ""


def draw(rows: Sequence[BestGapRow]) -> Figure:
    """One panel per task; 0 is the highest score. Filled where the test finds the difference, hollow where not."""
    if not rows:
        return nothing_drawn(_NOTHING, rows)
    return encoder_lines.draw(
        rows,
        _draw_line,
        head=encoder_lines.head_of_task,
        ends=lambda row: (row.gap, row.gap_low, row.gap_high),
        legend=_handles(),
    )


def texts_of(rows: Sequence[BestGapRow]) -> Caption:
    """Texts of the differences, with what the choice of the highest does to them."""
    if not rows:
        return Caption(_TITLE, _NOTHING, f"{_TITLE}. {_NOTHING}")
    first = rows[0]
    tasks = unique(row.task for row in rows)
    return Caption(
        title=_TITLE,
        reading=sentences(
            "Score of each encoder less the highest on the task, on the same folds; 0 is the highest. Line: "
            f"{percent(first.level)} interval of the {captions.test_name(rows)}, for new texts of the task"
            f"{captions.same_documents(first.same_documents.split())} and for a pair that was named before. Here the "
            "scores themselves chose the highest, so differences to it are too large on average, and the intervals of "
            "those close to it too far from 0.",
            f"Filled: significant at {percent(first.alpha)} (Holm over all pairs of the task, which holds "
            "after that choice, too); hollow: not, which does not mean equal.",
            *unique(row.score_notes for row in rows if row.score_notes),
            f"{captions.named_protocols(rows)}, {first.n_folds} folds.",
            data_note(rows),
        ),
        alternative=f"Differences of {encoders(rows)} to the highest score on {counted(len(tasks), 'task')}, a panel "
        "per task. The table of differences has the same numbers.",
    )


def gap_rows(scores: Sequence[ScoreRow], pairs: Sequence[PairRow]) -> list[BestGapRow]:
    """Every encoder beside the highest on every task that two encoders or more have; in the order of the scores."""
    known = {(pair.task, frozenset((pair.model_a, pair.model_b))): pair for pair in pairs}
    compared = {pair.task for pair in pairs}
    shown = [row for row in scores if row.task in compared]
    notes = remarks.low_score_text(shown)
    shared = " ".join(captions.tasks_that_split_documents(shown))
    found = []
    for task in unique(row.task for row in scores):
        members = [row for row in scores if row.task == task and not math.isnan(row.mean)]
        if not members:
            continue
        best = max(members, key=lambda row: row.mean)
        with_best = {
            row.model: pair
            for row in members
            if (pair := known.get((task, frozenset((row.model, best.model))))) is not None
        }
        # no pair is of one encoder: the row of the highest takes what captions need from one of its pairs
        if with_best:
            with_best[best.model] = next(iter(with_best.values()))
        found += [
            replace(
                _gap_row(row, with_best[row.model], is_best=row is best),
                score_notes=notes,
                same_documents=shared,
            )
            for row in members
            if row.model in with_best
        ]
    return found


def _gap_row(score: ScoreRow, pair: PairRow, *, is_best: bool) -> BestGapRow:
    gap, low, high = (0.0, math.nan, math.nan)
    if not is_best:
        _, gap, low, high = oriented([pair], score.model)[0]
    return row_from(
        BestGapRow,
        vars(pair),
        model=score.model,
        model_title=score.model_title,
        is_control=score.is_control,
        position=score.position,
        gap=gap,
        gap_low=low,
        gap_high=high,
        is_best=is_best,
    )


def _draw_line(axes: Axes, row: BestGapRow, height: int, look: canvas.Look) -> None:
    if not (row.is_best or row.degenerate or math.isnan(row.gap_low)):
        axes.plot((row.gap_low, row.gap_high), (height, height), color=look.color, linewidth=0.9)
    is_filled = row.is_best or row.p_holm <= row.alpha
    axes.plot(
        row.gap,
        height,
        marker=look.marker,
        markersize=3.4,
        markeredgecolor=look.color,
        markeredgewidth=0.8,
        markerfacecolor=look.color if is_filled else "white",
    )


def _handles() -> list[Line2D]:
    look = {"color": canvas.QUIET, "linestyle": "none", "marker": "o", "markersize": 4}
    return [
        Line2D([], [], label="significant", **look),  # type: ignore[arg-type]
        Line2D([], [], markerfacecolor="white", label="not significant", **look),  # type: ignore[arg-type]
        Line2D([], [], label="highest score", **encoder_lines.CHANCE),  # type: ignore[arg-type]
    ]


def gather(inputs: Inputs) -> list[BestGapRow]:
    """`gap_rows` of the scores and of the pairs of `compare`."""
    return gap_rows(inputs.rows_if_there(ScoreRow), inputs.together(Comparisons).pairs)


FIGURE = Recipe(BestGapRow, draw, texts_of, gather, may_be_empty=True)
