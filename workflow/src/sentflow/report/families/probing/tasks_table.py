"""The table of tasks."""

from collections.abc import Sequence

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.score_rows import ScoreRow
from sentflow.report import captions
from sentflow.report.families.probing import remarks
from sentflow.report.numbers import count
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, table_of_cells
from sentflow.report.table.maker import made_of
from sentflow.report.table.table import Cell, Table


def tasks_table(rows: Sequence[ScoreRow], title: str, _comparisons: Comparisons | None = None) -> Table:
    """What each task is: metric, probe, layout, rows and data."""
    first = [next(row for row in rows if row.task == task) for task in unique(row.task for row in rows)]
    names = (
        "task", "task_title", "family", "metric", "classifier", "layout",
        "n_classes", "n_rows", "n_balanced_rows", "n_train", "n_contradicting", "effective_rows", "data_version",
    )  # fmt: skip
    groups = [
        Group(captions.family_name(family), tuple(_task_line(row) for row in first if row.family == family))
        for family in unique(row.family for row in first)
    ]
    return table_of_cells(
        name="tasks",
        caption=f"{title}: the tasks.",
        notes=(
            data_note(rows),
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


table = made_of(ScoreRow, tasks_table)
