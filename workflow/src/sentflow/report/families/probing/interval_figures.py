"""Figures of tasks with intervals: scores, differences of pairs, and differences to the highest score."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.rows import PairRow
from sentflow.compare.score_rows import ScoreRow, by_protocol
from sentflow.files.rows import row_from
from sentflow.report import captions
from sentflow.report.families.probing import remarks
from sentflow.report.families.probing.rows import average_score
from sentflow.report.figure import canvas, lettering
from sentflow.report.figure.panels import left_out, panels
from sentflow.report.figure.recipe import Recipe
from sentflow.report.numbers import counted, percent
from sentflow.report.rows import data_versions, grouped, titles_of, unique
from sentflow.stats.across import task_mean_interval
from sentflow.stats.paired import corrected_error, degrees_of_freedom

_ZERO: dict[str, Any] = {"color": canvas.QUIET, "linewidth": 0.8, "linestyle": (0, (4, 3))}
_DOT: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 4}


# --- a panel per task, a line per encoder ------------------------------------------------------------------

_LINE_INCHES = 0.15
_LABEL_SIZE, _LABEL_INCHES = 6.5, 1.6


def _draw_encoders(
    rows: Sequence[Any],
    draw_line: Callable[[Axes, Any, int, canvas.Look], None],
    heading: Callable[[Any], str],
    ends: Callable[[Any], Iterable[float]],
    legend: Sequence[Line2D],
) -> Figure:
    """A panel for each heading, with the title of its task below, all on one axis; a row per panel and encoder."""
    drawn: dict[str, list[Any]] = {}
    for row in rows:
        drawn.setdefault(heading(row), []).append(row)
    titles = {row.model: row.model_title for row in rows}
    labels = lettering.distinct(titles, lettering.into(_LABEL_INCHES, _LABEL_SIZE))
    looks, heights = canvas.looks(rows), {model: height for height, model in enumerate(titles)}
    known = [0.0, *(end for row in rows for end in ends(row) if not math.isnan(end))]
    margin = 0.03 * (max(known) - min(known)) or 0.05

    def draw_panel(panel: str, axes: Axes) -> None:
        axes.axvline(0, zorder=0, **_ZERO)
        axes.grid(axis="x")
        for row in drawn[panel]:
            draw_line(axes, row, heights[row.model], looks[row.model])
        canvas.bare_lines(axes)
        canvas.few_ticks(axes.xaxis)
        axes.set_yticks(range(len(labels)), list(labels.values()))
        axes.set_ylim(len(labels) - 0.4, -0.6)
        axes.set_xlim(min(known) - margin, max(known) + margin)

    return panels(
        {panel: panel for panel in drawn}, draw_panel, rows=rows, width=(1.2, 4.0),
        heights=[_LINE_INCHES * (len(titles) + 0.2)],
        subtitles={panel: own[0].task_title for panel, own in drawn.items()}, legend=legend,
    )  # fmt: skip


# --- scores ------------------------------------------------------------------------------------------------

_THIN, _THICK = 0.9, 4.5  # points


@dataclass(frozen=True)
class ForestRow(ScoreRow):
    """An encoder on a task, or, where `n_tasks` is not 0, its mean over the tasks of a family under one protocol.

    The interval of a mean is that of the mean of the expected scores for new texts of the same tasks; NaN, like the
    mean, for an encoder that lacks a task.
    """

    n_tasks: int = 0


def _draw_forest(rows: Sequence[ForestRow]) -> Figure:
    def heading(row: ForestRow) -> str:
        marked = f"{row.task}{remarks.training_mark(row)} ({captions.metric_name(row.metric)})"
        return row.task if row.n_tasks else marked

    return _draw_encoders(
        rows,
        _draw_score,
        heading,
        lambda row: (*row.shown_generalisation, row.mean),
        [
            Line2D([], [], color=canvas.QUIET, linewidth=_THIN, label="generalisation interval"),
            Line2D([], [], color=canvas.QUIET, linewidth=_THICK, label="repeatability interval"),
            Line2D([], [], label="chance", **_ZERO),
        ],
    )


def _draw_score(axes: Axes, row: ForestRow, height: int, look: canvas.Look) -> None:
    if not row.degenerate:
        axes.plot(row.shown_generalisation, [height] * 2, color=look.color, linewidth=_THIN)
    if not (row.degenerate or row.n_tasks):
        limits = row.shown_repeatability
        axes.plot(limits, [height] * 2, color=look.color, linewidth=_THICK, solid_capstyle="butt")
    axes.plot(
        row.mean, height, marker=look.marker, markersize=3.4 if row.degenerate else 2.2, markerfacecolor="white",
        markeredgecolor=look.color, markeredgewidth=0.8,
    )  # fmt: skip


def forest_rows(scores: Sequence[ScoreRow]) -> list[ForestRow]:
    """The scores, then every encoder on every family of several tasks, protocol by protocol, in their order."""
    return [ForestRow(**vars(row)) for row in scores] + [
        _mean_over(own, of_family)
        for of_protocol in by_protocol(scores).values()
        for of_family in grouped(of_protocol, "family").values()
        if len({row.task for row in of_family}) > 1
        for own in grouped(of_family, "model").values()
    ]


def _mean_over(members: Sequence[ScoreRow], of_family: Sequence[ScoreRow]) -> ForestRow:
    first, n_tasks = members[0], len({row.task for row in of_family})
    mean, limits = average_score(members, n_tasks), (math.nan, math.nan)
    if not math.isnan(mean):
        limits = task_mean_interval(
            mean,
            [
                corrected_error(row.std, row.n_folds, folds=row.folds, documents=row.documents)
                for row in members
            ],
            [degrees_of_freedom(row.n_folds, row.documents) for row in members],
            [row.data_version for row in members],
            level=first.level,
        )
    name = captions.family_name(first.family) + captions.of_protocol(first.protocol, of_family)
    own = {
        "task": name,
        "task_title": f"mean of {counted(n_tasks, 'task')}",
        "n_tasks": n_tasks,
        "mean": mean,
    }
    own |= {"generalisation_low": limits[0], "generalisation_high": limits[1], "degenerate": False}
    own |= dict.fromkeys(("repeatability_low", "repeatability_high"), math.nan)
    own |= {"clips": all(row.clips for row in members), "data_version": "; ".join(data_versions(members))}
    return row_from(ForestRow, vars(first) | own)


def _read_forest(all_rows: Sequence[ForestRow]) -> Iterator[str]:
    rows, means = ([row for row in all_rows if bool(row.n_tasks) == is_mean] for is_mean in (False, True))
    yield f"Thin, generalisation ({percent(rows[0].level)}): {captions.generalisation(rows)}."
    yield (
        f"Thick, repeatability ({percent(rows[0].repeatability_level)}): where the mean would be if only the shuffling "
        "of the same texts changed (published bootstrap)."
    )
    yield captions.design_note(rows)
    yield from captions.degenerate_notes(rows, "Hollow")
    yield from remarks.training_notes(rows)
    if means:
        yield "Means of families: unweighted, with the interval for new texts of these tasks, not for other tasks."


FOREST = Recipe(
    ForestRow,
    _draw_forest,
    "Scores with their intervals",
    _read_forest,
    lambda inputs: forest_rows(inputs.rows_if_there(ScoreRow)),
)


# --- differences to the highest score ----------------------------------------------------------------------


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


def gap_rows(scores: Sequence[ScoreRow], pairs: Sequence[PairRow]) -> list[BestGapRow]:
    """Every encoder beside the highest on every task that two encoders or more have; in the order of the scores."""
    known = {(pair.task, frozenset((pair.model_a, pair.model_b))): pair for pair in pairs}
    rows = []
    for task, members in grouped([row for row in scores if not math.isnan(row.mean)], "task").items():
        best = max(members, key=lambda row: row.mean)
        found = {row.model: known.get((task, frozenset((row.model, best.model)))) for row in members}
        with_best = {model: pair for model, pair in found.items() if pair}
        # no pair is of one encoder: the row of the highest takes what captions need from one of its pairs
        if with_best:
            with_best[best.model] = next(iter(with_best.values()))
        for row in members:
            if row.model not in with_best:
                continue
            pair, gap, low, high = with_best[row.model], 0.0, math.nan, math.nan
            if row is not best:
                ((_, gap, low, high),) = oriented([pair], row.model)
            own = {"model": row.model, "model_title": row.model_title, "is_control": row.is_control}
            own |= {"gap": gap, "gap_low": low, "gap_high": high, "is_best": row is best}
            rows.append(row_from(BestGapRow, vars(pair), **own, position=row.position))
    return rows


def _draw_best_gaps(rows: Sequence[BestGapRow]) -> Figure:
    return _draw_encoders(
        rows,
        _draw_gap,
        lambda row: f"{row.task} ({captions.metric_name(row.metric)})",
        lambda row: (row.gap, row.gap_low, row.gap_high),
        [
            Line2D([], [], color=canvas.QUIET, label="significant", **_DOT),
            Line2D([], [], color=canvas.QUIET, markerfacecolor="white", label="not significant", **_DOT),
            Line2D([], [], label="highest score", **_ZERO),
        ],
    )


def _draw_gap(axes: Axes, row: BestGapRow, height: int, look: canvas.Look) -> None:
    limits = (math.nan, math.nan) if row.is_best else (row.gap_low, row.gap_high)
    is_filled = row.is_best or row.p_holm <= row.alpha
    _draw_difference(axes, row, (row.gap, *limits, height), look, is_filled, size=3.4)


def _draw_difference(
    axes: Axes, row: PairRow, values: Sequence[float], look: canvas.Look, is_filled: bool, size: float = 3
) -> None:
    """A difference with its limits, at a height."""
    difference, low, high, height = values
    if not (row.degenerate or math.isnan(low)):
        axes.plot((low, high), (height, height), color=look.color, linewidth=0.9)
    axes.plot(
        difference, height, marker=look.marker, markersize=size, markeredgecolor=look.color, markeredgewidth=0.8,
        markerfacecolor=look.color if is_filled else "white",
    )  # fmt: skip


BEST_GAPS = Recipe(
    BestGapRow,
    _draw_best_gaps,
    "Differences to the highest score of each task",
    lambda rows: [
        f"Score of each encoder less the highest on the task. Line: {percent(rows[0].level)} interval of the "
        f"{captions.test_name(rows)}, for new texts of the task. The scores themselves chose the highest, so "
        "differences to it are too large on average.",
        f"Filled: significant at {percent(rows[0].alpha)} (Holm over all pairs of the task); hollow: not, which does "
        "not mean equal.",
    ],
    lambda inputs: gap_rows(inputs.rows_if_there(ScoreRow), inputs.together(Comparisons).pairs),
    nothing="Nothing to compare: no task has the scores of two encoders.",
)


# --- differences of pairs ----------------------------------------------------------------------------------

_TASK_INCHES, _LEAST_TASKS = 0.115, 3
_TASK_SIZE, _TASK_WIDTH = 5.5, 0.75
_WIDTH, _NAME_INCHES = (1.2, 3.5), 1.35  # inches of a panel, and of the name of an encoder above it
_BETTER, _WORSE = "#0072B2", "#D55E00"
_MOST_PAIRS = 12


def _draw_differences(rows: Sequence[PairRow]) -> Figure:
    tasks = {row.task: row.task for row in rows}
    labels = lettering.distinct(tasks, lettering.into(_TASK_WIDTH, _TASK_SIZE))
    titles = titles_of(rows, "model_a") | titles_of(rows, "model_b")
    names = lettering.distinct(titles, lettering.into(_NAME_INCHES, 7, bold=True))

    def draw_pair(pair: tuple[str, str], axes: Axes) -> None:
        items = oriented([row for row in rows if {row.model_a, row.model_b} == set(pair)], pair[0])
        axes.axvline(0, zorder=0, **_ZERO)
        axes.grid(axis="x")
        for line, (row, *values) in enumerate(items):
            look = canvas.Look(_BETTER if values[0] >= 0 else _WORSE, "o")
            _draw_difference(axes, row, (*values, line), look, row.p_holm <= row.alpha)
        axes.set_yticks(range(len(items)), [labels[row.task] for row, *_ in items], fontsize=_TASK_SIZE)
        axes.set_ylim(max(len(items), _LEAST_TASKS) - 0.4, -0.6)
        canvas.bare_lines(axes)
        canvas.few_ticks(axes.xaxis)

    return panels(
        {(a, b): f"{names[a]}\n− {names[b]}" for a, b in _shown_pairs(rows)}, draw_pair, rows=rows,
        heights=[_TASK_INCHES * max(len(tasks), _LEAST_TASKS)], width=_WIDTH, share=(True, False),
        legend=[
            Line2D([], [], color=_BETTER, label="first encoder higher", **_DOT),
            Line2D([], [], color=_WORSE, label="second encoder higher", **_DOT),
            Line2D([], [], color=canvas.QUIET, markerfacecolor="white", label="not significant", **_DOT),
        ],
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


def _shown_pairs(rows: Sequence[PairRow]) -> list[tuple[str, str]]:
    """All pairs, or, where they are too many, those of the encoder with the highest mean, which stands first."""
    pairs = list(grouped(rows, "model_a", "model_b"))
    if len(pairs) <= _MOST_PAIRS:
        return pairs
    scores: dict[str, dict[str, float]] = {}
    for row in rows:
        scores.setdefault(row.model_a, {})[row.task] = row.mean_a
        scores.setdefault(row.model_b, {})[row.task] = row.mean_b
    n_tasks = len(unique(row.task for row in rows))
    sums = {model: math.fsum(own.values()) for model, own in scores.items() if len(own) == n_tasks}
    known = [model for model, total in sums.items() if not math.isnan(total)]
    best = max(known, key=lambda model: sums[model], default=pairs[0][0])
    return [(best, a if b == best else b) for a, b in pairs if best in (a, b)][:_MOST_PAIRS]


DIFFERENCES = Recipe(
    PairRow,
    _draw_differences,
    "Paired differences of scores",
    lambda rows: [
        "First encoder minus second, task by task, on the same folds, with the "
        f"{percent(rows[0].level)} interval of the {captions.test_name(rows)}, not adjusted for the number of pairs. "
        f"Filled: significant at {percent(rows[0].alpha)} (Holm over all pairs of the task); hollow: not.",
        left_out({"pair": len(grouped(rows, "model_a", "model_b")) - len(_shown_pairs(rows))}),
    ],
    lambda inputs: inputs.together(Comparisons).pairs,
    nothing=captions.NOTHING_TO_COMPARE,
    what="task",
    named_by="task",
)
