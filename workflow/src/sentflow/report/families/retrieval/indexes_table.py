"""The table of approximate indexes: what each loses against the exact search, and what it saves."""

from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.index_rows import IndexRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import count, decimal, interval, p_number, percent
from sentflow.report.rows import unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table

_MEGABYTE = 1e6


def indexes_table(rows: Sequence[IndexRow], title: str) -> Table:
    """A line per index and recall for each question set."""
    groups = []
    for name in unique(row.questions for row in rows):
        own = [row for row in rows if row.questions == name]
        groups.append(Group(f"{name}: {own[0].questions_title}", tuple(map(_line, own))))
    return table_of_cells(
        name="retrieval-indexes",
        caption=f"{title}: approximate indexes beside the exact search of the same vectors.",
        notes=tuple(_notes(rows)),
        header=(
            *("Retriever", "Index", "k", "Recall", "5 %", "Difference", "Interval", "p equal"),
            *("Build, s", "MB", "MB exact", "Questions/s", "exact"),
        ),
        alignment=("w4.2", "w4.2", *("r" for _ in range(4)), "l", *("r" for _ in range(6))),
        groups=tuple(groups),
        tidy_header=names_of(IndexRow),
        tidy_rows=records_of(rows),
    )


def _notes(rows: Sequence[IndexRow]) -> list[str]:
    first = rows[0]
    return [
        "Recall: share of the k best documents of the exact search that the index finds, mean over questions and their "
        "5th percentile; documents with the score of the k-th count.",
        f"Difference: of {first.measure}, index minus exact, with its {percent(first.level)} t interval over "
        f"questions; p equal: test that it is smaller than {first.margin:g} (two one-sided t-tests). They hold for "
        f"{words.POPULATION}, with the same index.",
        "Build: CPU seconds; MB: of the index, and of the vectors that the exact search reads; questions per CPU "
        "second, both on one thread in one job.",
    ]


def _line(row: IndexRow) -> tuple[Cell, ...]:
    return (
        Cell(row.retriever_title),
        Cell(f"{row.kind} ({row.parameters})"),
        Cell(count(row.k)),
        Cell(decimal(row.recall)),
        Cell(decimal(row.recall_p5)),
        Cell(decimal(row.value - row.value_exact)),
        Cell(interval(row.low, row.high)),
        Cell(p_number(row.p_equivalence)),
        Cell(f"{row.build_seconds:.1f}"),
        Cell(f"{row.index_bytes / _MEGABYTE:.1f}"),
        Cell(f"{row.vector_bytes / _MEGABYTE:.1f}"),
        Cell(count(round(row.per_second))),
        Cell(count(round(row.per_second_exact))),
    )


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`indexes_table` of the files of an experiment."""
    return indexes_table(inputs.rows(IndexRow), settings["caption"])
