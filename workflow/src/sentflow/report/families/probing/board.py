"""The leaderboard of tasks: an encoder per line, for each protocol by itself."""

import math
from collections.abc import Sequence

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.marks import NOT_WORSE
from sentflow.compare.score_rows import ScoreRow, shown_limits
from sentflow.report import captions
from sentflow.report.families.probing import remarks
from sentflow.report.families.probing.answer import between, complete, population, texts
from sentflow.report.families.probing.rows import average_score
from sentflow.report.leaderboard import Board, Column, Entry, System, entries, with_limits
from sentflow.report.numbers import counted, decimal, percent, signed
from sentflow.report.rows import data_versions, is_sample, unique


def board(rows: Sequence[ScoreRow], comparisons: Comparisons) -> Board:
    """Encoders from the highest mean score down, incomplete ones last; `rows` are of one protocol."""
    tasks, means = unique(row.task for row in rows), complete(rows)
    first = rows[0]
    over = f"{counted(len(tasks), 'task')}" if len(tasks) > 1 else f"task {tasks[0]}"
    columns = [_score(rows, comparisons, means)]
    if len(tasks) > 1:
        columns += [*_behind(comparisons, means), *_ranks(comparisons), *_families(rows)]
    return Board(
        title=f"Encoders on {over}, protocol {first.protocol}, {first.repetitions} × {first.folds} folds.",
        heading="Encoder",
        systems=_systems(rows, means, len(tasks)),
        columns=tuple(columns),
        is_sample=all(is_sample(version) for version in data_versions(rows)),
        notes=tuple(remarks.low_score_notes(rows)),
    )


def _systems(rows: Sequence[ScoreRow], means: dict[str, float], n_tasks: int) -> tuple[System, ...]:
    named = {row.model: row for row in rows}
    scored = {model: sum(row.model == model and not math.isnan(row.mean) for row in rows) for model in named}
    order = [*means, *(model for model in named if model not in means)]
    return tuple(
        System(
            model,
            named[model].model_title,
            named[model].is_control,
            "" if model in means else f"{scored[model]} of {counted(n_tasks, 'task')}: no mean",
        )
        for model in order
    )


def _score(rows: Sequence[ScoreRow], comparisons: Comparisons, means: dict[str, float]) -> Column:
    if len({row.task for row in rows}) > 1:
        return _mean(rows, comparisons, means)
    return Column(
        f"Score ({captions.metric_name(rows[0].metric)})",
        {
            row.model: with_limits(row.mean, row.shown_generalisation)
            for row in rows
            if not math.isnan(row.mean)
        },
        captions.interval_note(rows),
        holds_for=texts(rows[0]),
    )


def _mean(rows: Sequence[ScoreRow], comparisons: Comparisons, means: dict[str, float]) -> Column:
    ranks = {row.model: row for row in comparisons.ranks}
    note = "Mean score: over the tasks, without weights."
    if not ranks:
        return Column("Mean score", entries(means), note)
    clips = all(row.clips for row in rows)
    found = {
        model: with_limits(
            mean, shown_limits(rows[0], ranks[model].mean_low, ranks[model].mean_high, clips=clips)
        )
        for model, mean in means.items()
    }
    shared = captions.same_documents(captions.tasks_that_split_documents(rows))
    note += (
        f" In brackets the {percent(rows[0].level)} interval for new texts of these tasks{shared}: "
        "of the mean of the expected scores, as if the errors of tasks of one source went together. Whether two "
        "encoders differ is a question for the next column."
    )
    return Column("Mean score", found, note, holds_for="new texts")


def _behind(comparisons: Comparisons, means: dict[str, float]) -> list[Column]:
    """What each encoder lacks to the first, with its interval over tasks."""
    first = next(iter(means), "")
    found: dict[str, Entry] = {}
    for model in means:
        if (tested := between(comparisons.across, first, model)) is None:
            continue
        row, sign = tested
        if math.isnan(row.difference):
            continue
        low, high = sorted((-sign * row.low, -sign * row.high))
        found[model] = with_limits(
            -sign * row.difference, (low, high), written=signed, mark="" if row.separated else NOT_WORSE
        )
    if not found:
        return []
    about = comparisons.across[0]
    title = next(row.model_title for row in comparisons.ranks if row.model == first)
    note = (
        f"Against the first: average difference from {title} with its {percent(about.level)} interval for "
        f"{population(about)} (variances of tasks and sources by REML); not adjusted for the number of encoders. "
        "Underlined: the "
        f"signed-rank test {captions.over_units(about.units, about.n_units)} does not separate the two (Holm over "
        f"all pairs, {percent(about.alpha)}), which does not show that they are equal."
    )
    return [Column("Against the first", found, note, holds_for=population(about))]


def _ranks(comparisons: Comparisons) -> list[Column]:
    ranked = [row for row in comparisons.ranks if row.complete and not math.isnan(row.average_rank)]
    if len(ranked) < 2:  # noqa: PLR2004
        return []
    found = {
        row.model: with_limits(row.average_rank, (row.repeat_low, row.repeat_high), written=_two_digits)
        for row in ranked
    }
    return [
        Column(
            "Average rank",
            found,
            f"Average rank: over the tasks, 1 is the best, with the {percent(ranked[0].level)} interval of that which "
            "other tasks (of other sources, where there are several) and other texts would give.",
            holds_for="new tasks",
        )
    ]


def _families(rows: Sequence[ScoreRow]) -> list[Column]:
    """The mean over the tasks of each family; of encoders that have them all."""
    families = unique(row.family for row in rows)
    if len(families) == 1:
        return []
    note = "Families: mean over their tasks, whose number stands in brackets."
    columns = []
    for family in families:
        members = [row for row in rows if row.family == family]
        n_tasks = len(unique(row.task for row in members))
        means = {
            model: average_score([row for row in members if row.model == model], n_tasks)
            for model in unique(row.model for row in members)
        }
        columns.append(Column(f"{captions.family_name(family)} ({n_tasks})", entries(means), note))
    return columns


def _two_digits(value: float) -> str:
    return decimal(value, 2)
