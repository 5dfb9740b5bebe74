"""The table of groups of questions: those that question sets name, and what is clean or leaked of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import count, decimal
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table
from sentflow.retrieval.groups import CLEAN, LEAKED

FEW = 20  # questions below which a mean says little
ALL = "all"


def groups_table(rows: Sequence[RetrievalRow], title: str) -> Table:
    """Group of questions × retriever, by the main measure; a block per question set that has groups."""
    main = [row for row in rows if row.is_main]
    sets = unique(row.questions for row in main if row.group)
    shown = [row for row in main if row.questions in sets]
    retrievers = unique(row.retriever for row in shown)
    titles = {row.retriever: row.retriever_title for row in shown}
    blocks = []
    for name in sets:
        own = [row for row in shown if row.questions == name]
        by_cell = {(row.group, row.retriever): row for row in own}
        lines = [
            _line(group, [by_cell.get((group, one)) for one in retrievers])
            for group in sorted(unique(row.group for row in own), key=_place)
        ]
        blocks.append(Group(f"{name}: {own[0].questions_title}", tuple(lines)))
    measure = main[0].measure if main else ""
    notes = (
        data_note(shown or list(rows)),
        f"Means of {measure} over the questions of a group. No test is made between groups; tests on each group that a "
        "question set names are in the table retrieval-group-tests."
        if sets
        else "No question set has groups or names training sets.",
        words.leaks_note(shown),
        f"In brackets: fewer than {FEW} questions, of which the mean says little."
        if any(row.n_questions < FEW for row in shown)
        else "",
    )
    return table_of_cells(
        name="retrieval-groups",
        caption=f"{title}: retrieval by groups of questions.",
        notes=tuple(filter(None, notes)),
        header=("Group", "n", *(titles[one] for one in retrievers)),
        alignment=("w4.2", "r", *("r" for _ in retrievers)),
        groups=tuple(blocks),
        tidy_header=names_of(RetrievalRow),
        tidy_rows=records_of(shown),
    )


def _place(group: str) -> int:
    """All questions first, then what is clean or leaked of them, then other groups."""
    first = ["", CLEAN, LEAKED]
    return first.index(group) if group in first else len(first)


def _line(group: str, rows: Sequence[RetrievalRow | None]) -> tuple[Cell, ...]:
    n = next(row.n_questions for row in rows if row is not None)
    return (Cell(group or ALL), Cell(count(n)), *(Cell(_value(row)) for row in rows))


def _value(row: RetrievalRow | None) -> str:
    if row is None:
        return ""
    return decimal(row.value) if row.n_questions >= FEW else f"({decimal(row.value)})"


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`groups_table` of the files of an experiment."""
    return groups_table(inputs.rows(RetrievalRow), settings["caption"])
