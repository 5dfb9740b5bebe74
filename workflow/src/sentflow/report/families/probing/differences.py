"""Paired differences: for each pair of encoders the tasks from the highest difference to the lowest."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.rows import PairRow
from sentflow.compare.score_rows import ScoreRow
from sentflow.files.rows import row_from
from sentflow.report import captions
from sentflow.report.families.probing import remarks
from sentflow.report.families.probing.rankings import NOTHING
from sentflow.report.figure import canvas, lettering
from sentflow.report.figure.panels import nothing_drawn, panels
from sentflow.report.figure.recipe import Caption, Recipe, nothing, sentences
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import percent
from sentflow.report.rows import data_note, unique

_LINE_INCHES = 0.115
_LEAST_LINES = 3
_TASK_SIZE, _TASK_INCHES = 5.5, 0.75
_WIDTH, _NAME_INCHES = (1.2, 3.5), 1.35  # inches of a panel, and of the name of an encoder above it
_BETTER, _WORSE = "#0072B2", "#D55E00"


@dataclass(frozen=True)
class DrawnPairRow(PairRow):
    """A pair on a task; `score_notes` as in `sentflow.report.families.probing.best_gaps.BestGapRow`."""

    score_notes: str = ""


def draw(rows: Sequence[DrawnPairRow]) -> Figure:
    """One panel per pair, on one axis; of many pairs those that hold the encoder with the highest mean.

    A filled marker is a difference that the test finds, a hollow one a difference that it does not.
    """
    if not rows:
        return nothing_drawn(NOTHING, rows)
    n_tasks = len(unique(row.task for row in rows))
    fits = lettering.into(_TASK_INCHES, _TASK_SIZE)
    tasks = lettering.distinct({row.task: row.task for row in rows}, fits)
    titles = {row.model_a: row.model_a_title for row in rows}
    titles |= {row.model_b: row.model_b_title for row in rows}
    names = lettering.distinct(titles, lettering.into(_NAME_INCHES, 7, bold=True))

    def draw_pair(pair: tuple[str, str], axes: Axes) -> None:
        members = [row for row in rows if {row.model_a, row.model_b} == set(pair)]
        _draw_panel(axes, oriented(members, pair[0]), tasks)
        canvas.few_ticks(axes.xaxis)

    headings = {pair: f"{names[pair[0]]}\n− {names[pair[1]]}" for pair in shown_pairs(rows)}
    return panels(
        headings, draw_pair, rows=rows, heights=[_LINE_INCHES * max(n_tasks, _LEAST_LINES)], width=_WIDTH,
        share=(True, False), legend=_handles(),
    )  # fmt: skip


def oriented(rows: Sequence[PairRow], first: str) -> list[tuple[PairRow, float, float, float]]:
    """Rows with difference and limits as `first` minus the other, the highest difference first."""
    turned = [
        (row, row.difference, row.low, row.high)
        if row.model_a == first
        else (row, -row.difference, -row.high, -row.low)
        for row in rows
        if not math.isnan(row.difference)
    ]
    return sorted(turned, key=lambda item: -item[1])


def _draw_panel(
    axes: Axes, items: Sequence[tuple[PairRow, float, float, float]], tasks: Mapping[str, str]
) -> None:
    axes.axvline(0, color=canvas.QUIET, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    axes.grid(axis="x")
    for line, (row, difference, low, high) in enumerate(items):
        color = _BETTER if difference >= 0 else _WORSE
        found = row.p_holm <= row.alpha
        if not row.degenerate and not math.isnan(low):
            axes.plot((low, high), (line, line), color=color, linewidth=0.9)
        axes.plot(
            difference, line, marker="o", markersize=3, markeredgecolor=color, markeredgewidth=0.8,
            markerfacecolor=color if found else "white",
        )  # fmt: skip
    axes.set_yticks(range(len(items)), [tasks[row.task] for row, *_ in items], fontsize=_TASK_SIZE)
    axes.set_ylim(max(len(items), _LEAST_LINES) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def _handles() -> list[Line2D]:
    look = {"linestyle": "none", "marker": "o", "markersize": 4}
    return [
        Line2D([], [], color=_BETTER, label="first encoder higher", **look),  # type: ignore[arg-type]
        Line2D([], [], color=_WORSE, label="second encoder higher", **look),  # type: ignore[arg-type]
        Line2D([], [], color=canvas.QUIET, markerfacecolor="white", label="not significant", **look),  # type: ignore[arg-type]
    ]


MAX_PAIRS = 12


def shown_pairs(rows: Sequence[PairRow]) -> list[tuple[str, str]]:
    """All pairs, or, where they are too many, those of the encoder with the highest mean, which stands first."""
    pairs = list(dict.fromkeys((row.model_a, row.model_b) for row in rows))
    if len(pairs) <= MAX_PAIRS:
        return pairs
    scores: dict[str, dict[str, float]] = {}
    for row in rows:
        scores.setdefault(row.model_a, {})[row.task] = row.mean_a
        scores.setdefault(row.model_b, {})[row.task] = row.mean_b
    n_tasks = len(unique(row.task for row in rows))
    means = {
        model: math.fsum(by_task.values()) / n_tasks
        for model, by_task in scores.items()
        if len(by_task) == n_tasks and not any(map(math.isnan, by_task.values()))
    }
    best = max(means, key=lambda model: means[model], default=pairs[0][0])
    return [(best, a if b == best else b) for a, b in pairs if best in (a, b)][:MAX_PAIRS]


def texts_of(rows: Sequence[DrawnPairRow]) -> Caption:
    """Texts of the figure, which has no room for too many pairs; the notes say why scores are low."""
    if not rows:
        return nothing("Paired differences", NOTHING)
    first = rows[0]
    n_pairs = len({(row.model_a, row.model_b) for row in rows})
    n_left_out = n_pairs - len(shown_pairs(rows))
    return Caption(
        title=f"Paired differences of scores with {percent(first.level)} intervals",
        reading=sentences(
            "First encoder minus second, task by task, on the same folds; interval of the "
            f"{captions.test_name(rows)}, not adjusted for the number of pairs. Filled: significant at "
            f"{percent(first.alpha)} (Holm over all pairs of the task); hollow: not.",
            f"{n_left_out} further pairs are in the table of differences." if n_left_out else "",
            *unique(row.score_notes for row in rows),
            f"{captions.named_protocols(rows)}, {first.n_folds} folds.",
            data_note(rows),
        ),
        alternative=f"Paired differences of {n_pairs} pairs of encoders on "
        f"{len(unique(row.task for row in rows))} tasks, sorted. The table of differences has the same "
        "numbers.",
    )


def drawn_rows(scores: Sequence[ScoreRow], pairs: Sequence[PairRow]) -> list[DrawnPairRow]:
    """The pairs of `compare`, with what the summary says of the scores of their tasks."""
    compared = {pair.task for pair in pairs}
    notes = remarks.low_score_text([row for row in scores if row.task in compared])
    return [row_from(DrawnPairRow, vars(pair), score_notes=notes) for pair in pairs]


def gather(inputs: Inputs) -> list[DrawnPairRow]:
    """`drawn_rows` of the files."""
    return drawn_rows(inputs.rows_if_there(ScoreRow), inputs.together(Comparisons).pairs)


FIGURE = Recipe(DrawnPairRow, draw, texts_of, gather, may_be_empty=True)
