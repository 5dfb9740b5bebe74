"""The table of tests on groups of questions: every retriever on each, with its interval."""

from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.compare.marks import Marks
from sentflow.compare.question_rows import GroupDifference, GroupRow
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import count, decimal, interval, percent
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table


def group_tests_table(
    rows: Sequence[RetrievalRow],
    title: str,
    means: Sequence[GroupRow],
    differences: Sequence[GroupDifference],
) -> Table:
    """A block per question set with groups: retriever × group, with intervals, marks and letters.

    Parameters
    ----------
    rows
        The summary of retrieval.
    title
        How the caption begins.
    means
        Of every retriever on every group.
    differences
        What was tested on them.
    """
    shown = [row for row in words.whole(rows) if row.is_main]
    titles = {row.retriever: row.retriever_title for row in shown}
    sets = {row.questions: row.questions_title for row in shown}
    retrievers = unique(row.retriever for row in shown)
    marks = Marks(differences, retrievers if differences else [])
    groups = []
    for name in unique(row.unit_set for row in means):
        own = [row for row in means if row.unit_set == name]
        first = own[0]
        size = f"{count(first.n_questions)} questions"
        heading = f"{first.question_set}: {sets[first.question_set]}, {first.group} ({size})"
        groups.append(Group(heading, tuple(_line(row, titles, marks) for row in own)))
    return table_of_cells(
        name="retrieval-group-tests",
        caption=f"{title}: tests of retrievers on groups of questions.",
        notes=tuple(filter(None, (data_note(shown), *_notes(means, differences)))),
        header=("Retriever", means[0].measure if means else "Value", "Interval"),
        alignment=("w4.6", "r", "l"),
        groups=tuple(groups),
        tidy_header=names_of(GroupRow),
        tidy_rows=records_of(means),
    )


def _line(row: GroupRow, titles: Mapping[str, str], marks: Marks) -> tuple[Cell, ...]:
    value = Cell(
        decimal(row.value),
        mark=marks.mark(row.unit_set, row.model),
        letters=marks.raised(row.unit_set, row.model),
    )
    name = Cell(titles[row.model], letters=marks.letters.get(row.model, ""))
    return name, value, Cell(interval(row.low, row.high))


def _notes(means: Sequence[GroupRow], differences: Sequence[GroupDifference]) -> list[str]:
    if not means:
        return ["No question set has several groups of questions."]
    said = [
        f"Intervals of {percent(means[0].level)} for new questions of the group on the same documents "
        f"({words.BY_QUESTIONS}); {words.BEYOND}. {words.NO_INTERVAL} "
        "Groups have fewer questions than the whole, so smaller differences stay unseen: "
        "a difference on one group and none on another does not show that the groups differ."
    ]
    if differences:
        first = differences[0]
        said.append(
            f"Bold: highest {first.measure}, where a test was made; underlined: not significantly lower than it. "
            f"Test: {words.TEST} of the group, Holm over all pairs on all groups of the question set, "
            f"{percent(first.alpha)}. Superscript letters: the retrievers that this one is significantly better than."
        )
    return said


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`group_tests_table` of the files of an experiment."""
    return group_tests_table(
        inputs.rows(RetrievalRow),
        settings["caption"],
        inputs.rows_if_there(GroupRow),
        inputs.rows_if_there(GroupDifference),
    )
