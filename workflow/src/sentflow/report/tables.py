"""The tables of an experiment, as rows of cells that any format can print."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

from sentflow.errors import ConfigError
from sentflow.report import captions, remarks
from sentflow.report.document_table import documents_table
from sentflow.report.numbers import MISSING, count, decimal, duration, interval, memory, percent
from sentflow.report.protocol_table import protocols_table
from sentflow.report.rows import CostRow, EffectRow, ScoreRow, read_rows, unique
from sentflow.report.table import Cell, Group, Table, names_of, records_of


def scores_table(rows: Sequence[ScoreRow], title: str) -> Table:
    """Task × model with generalisation intervals; an average only for models that have all tasks."""
    tasks, models = unique(row.task for row in rows), unique(row.model for row in rows)
    found = {(row.task, row.model): row for row in rows}
    model_titles = {row.model: row.model_title for row in rows}
    groups = []
    for family in unique(row.family for row in rows):
        members = unique(row.task for row in rows if row.family == family)
        groups.append(
            Group(captions.family_name(family), tuple(_score_line(found, task, models) for task in members))
        )
    averages = [_average(found, tasks, model) for model in models]
    if len(tasks) > 1:
        heading = (Cell(f"Average of {len(tasks)} tasks"), Cell(""), Cell(""))
        groups.append(Group("", ((*heading, *averages),)))
    notes = [
        captions.data_note(rows),
        captions.design_note(rows),
        captions.interval_note(rows),
        captions.metric_note(rows),
        "n: rows left when all classes are cut to the size of the smallest.",
        captions.NO_TEST,
    ]
    if any(row.degenerate for row in rows):
        notes.append(captions.DEGENERATE)
    if any(average.text == MISSING for average in averages):
        notes.append(f"{MISSING} Not computed; a model without all tasks has no average.")
    return Table(
        name="scores",
        caption=f"{title}: score of each encoder on each task.",
        notes=tuple(notes),
        header=("Task", "Metric", "n", *(model_titles[model] for model in models)),
        alignment=("l", "l", "r", *["c"] * len(models)),
        groups=tuple(groups),
        tidy_header=names_of(ScoreRow),
        tidy_rows=records_of(rows),
    )


def intervals_table(rows: Sequence[ScoreRow], title: str) -> Table:
    """Repeatability beside generalisation for every task and model."""
    groups = []
    for task in unique(row.task for row in rows):
        members = [row for row in rows if row.task == task]
        heading = f"{task}: {members[0].task_title} ({captions.metric_name(members[0].metric)})"
        lines = [_interval_line(row) for row in members]
        if not all(row.clips for row in rows):
            lines = [
                (*line, Cell(decimal(row.mean_clipped))) for line, row in zip(lines, members, strict=True)
            ]
        groups.append(Group(heading, tuple(lines)))
    notes = [
        captions.data_note(rows),
        captions.design_note(rows),
        f"Repeatability ({percent(rows[0].repeatability_level)}): {captions.REPEATABILITY}.",
        f"Generalisation ({percent(rows[0].level)}): {captions.GENERALISATION}.",
        "Ratio: width of the second over width of the first.",
    ]
    if any(row.degenerate for row in rows):
        notes.append(captions.DEGENERATE)
    clipped = not all(row.clips for row in rows)
    if clipped:
        notes.append(
            "Clipped: the mean if fold scores below 0 counted as 0, as under the published protocol."
        )
    return Table(
        name="intervals",
        caption=f"{title}: two intervals of every score and what each answers.",
        notes=tuple(notes),
        header=(
            *("Encoder", "Score", "Repeatability", "Generalisation", "Ratio"),
            *(("Clipped",) if clipped else ()),
        ),
        alignment=("l", "r", "c", "c", "r", *(("r",) if clipped else ())),
        groups=tuple(groups),
        tidy_header=names_of(ScoreRow),
        tidy_rows=records_of(rows),
    )


def tasks_table(rows: Sequence[ScoreRow], title: str) -> Table:
    """What each task is: metric, probe, layout, rows and data."""
    first = [next(row for row in rows if row.task == task) for task in unique(row.task for row in rows)]
    names = (
        "task", "task_title", "family", "metric", "classifier", "layout",
        "n_classes", "n_rows", "n_balanced_rows", "n_train", "n_contradicting", "data_version",
    )  # fmt: skip
    groups = [
        Group(captions.family_name(family), tuple(_task_line(row) for row in first if row.family == family))
        for family in unique(row.family for row in first)
    ]
    return Table(
        name="tasks",
        caption=f"{title}: the tasks.",
        notes=(
            captions.data_note(rows),
            captions.metric_note(rows),
            "n: rows left when all classes are cut to the size of the smallest.",
            *remarks.notes(first),
        ),
        header=("Task", "Title", "Metric", "Probe", "Input", "Classes", "Rows", "n", "Data"),
        alignment=("l", "w3.6", "l", "w1.9", "w2.2", "r", "r", "r", "l"),
        groups=tuple(groups),
        tidy_header=names,
        tidy_rows=tuple(tuple(getattr(row, name) for name in names) for row in first),
    )


def costs_table(rows: Sequence[CostRow], title: str) -> Table:
    """Time and memory per rule, the longest first."""
    ordered = sorted(rows, key=lambda row: (-row.wall_seconds, row.rule))
    notes = [
        captions.data_note(rows),
        "Times are sums over jobs; jobs that ran side by side took less time on the clock.",
    ]
    unmeasured = sum(row.unmeasured_jobs for row in rows)
    if unmeasured:
        notes.append(
            f"{count(unmeasured)} of {count(sum(row.jobs for row in rows))} jobs ended before their "
            "CPU time and memory could be measured."
        )
    return Table(
        name="costs",
        caption=f"{title}: time and memory per rule.",
        notes=tuple(notes),
        header=("Rule", "Jobs", "Time", "CPU time", "Largest memory"),
        alignment=("l", "r", "r", "r", "r"),
        groups=(Group("", tuple(_cost_line(row) for row in ordered)),),
        tidy_header=names_of(CostRow),
        tidy_rows=records_of(ordered),
    )


def read_table(name: str, *summaries: Path, caption: str) -> Table:
    """The table of that name from the one summary file that it is made of; that of a study from one per protocol.

    Raises
    ------
    ConfigError
        There is no such table.
    DataError
        The file is not of the kind that the table needs.
    """
    if name in SCORE_TABLES:
        return SCORE_TABLES[name](read_rows(summaries[0], ScoreRow), caption)
    if name in STUDY_TABLES:
        return STUDY_TABLES[name]([row for file in summaries for row in read_rows(file, EffectRow)], caption)
    if name in COST_TABLES:
        return COST_TABLES[name](read_rows(summaries[0], CostRow), caption)
    raise ConfigError(f"report.tables: there is no table {name!r}. Write one of: {', '.join(TABLES)}.")


SCORE_TABLES: dict[str, Callable[[Sequence[ScoreRow], str], Table]] = {
    "scores": scores_table,
    "intervals": intervals_table,
    "tasks": tasks_table,
}
COST_TABLES: dict[str, Callable[[Sequence[CostRow], str], Table]] = {"costs": costs_table}
STUDY_TABLES: dict[str, Callable[[Sequence[EffectRow], str], Table]] = {
    "protocols": protocols_table,
    "documents": documents_table,
}
TABLES = (*SCORE_TABLES, *STUDY_TABLES, *COST_TABLES)


def score_cell(row: ScoreRow | None) -> Cell:
    """``0.506 [0.479, 0.533]``; a dagger instead of an interval that means nothing; a dash for no row."""
    if row is None or math.isnan(row.mean):
        return Cell(MISSING)
    if row.degenerate:
        return Cell(f"{decimal(row.mean)}†")
    return Cell(decimal(row.mean), interval(row.generalisation_low, row.generalisation_high))


def average_score(rows: Sequence[ScoreRow], n_tasks: int) -> float:
    """Mean over tasks of one model; NaN unless all `n_tasks` tasks are there."""
    means = [row.mean for row in rows if not math.isnan(row.mean)]
    return math.fsum(means) / n_tasks if len(means) == n_tasks else math.nan


def _score_line(found: dict[tuple[str, str], ScoreRow], task: str, models: list[str]) -> tuple[Cell, ...]:
    row = next(found[task, model] for model in models if (task, model) in found)
    label = (Cell(task), Cell(captions.metric_name(row.metric)), Cell(count(row.n_balanced_rows)))
    return (*label, *(score_cell(found.get((task, model))) for model in models))


def _average(found: dict[tuple[str, str], ScoreRow], tasks: list[str], model: str) -> Cell:
    rows = [found[task, model] for task in tasks if (task, model) in found]
    return Cell(decimal(average_score(rows, len(tasks))))


def _interval_line(row: ScoreRow) -> tuple[Cell, ...]:
    score = score_cell(row)
    if row.degenerate or math.isnan(row.mean):
        return (Cell(row.model_title), Cell(score.text), Cell(MISSING), Cell(MISSING), Cell(MISSING))
    narrow = row.repeatability_high - row.repeatability_low
    wide = row.generalisation_high - row.generalisation_low
    return (
        Cell(row.model_title),
        Cell(score.text),
        Cell(interval(row.repeatability_low, row.repeatability_high)),
        Cell(score.detail),
        Cell(decimal(wide / narrow, 1) if narrow > 0 else MISSING),
    )


def _task_line(row: ScoreRow) -> tuple[Cell, ...]:
    return (
        Cell(row.task + remarks.marks(row)),
        Cell(row.task_title),
        Cell(captions.metric_name(row.metric)),
        Cell(captions.CLASSIFIERS.get(row.classifier, row.classifier)),
        Cell(captions.LAYOUTS.get(row.layout, row.layout)),
        Cell(count(row.n_classes)),
        Cell(count(row.n_rows)),
        Cell(count(row.n_balanced_rows)),
        Cell(row.data_version),
    )


def _cost_line(row: CostRow) -> tuple[Cell, ...]:
    return (
        Cell(row.rule),
        Cell(count(row.jobs)),
        Cell(duration(row.wall_seconds)),
        Cell(duration(row.cpu_seconds)),
        Cell(memory(row.max_rss_mb)),
    )
