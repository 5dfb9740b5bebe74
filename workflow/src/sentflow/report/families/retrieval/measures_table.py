"""All measures: a line per retriever, a column per measure, a block per question set."""

from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.compare.marks import Marks
from sentflow.compare.question_rows import QuestionDifference
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import count
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table


def measures_table(
    rows: Sequence[RetrievalRow], title: str, differences: Sequence[QuestionDifference]
) -> Table:
    """Retriever × measure for each question set; the main measure with its interval, marks and letters.

    Parameters
    ----------
    rows
        The summary of retrieval.
    differences
        What was tested; without, nothing is marked.
    """
    shown = words.whole(rows)
    measures = words.measures_of(shown)
    retrievers = unique(row.retriever for row in shown)
    marks = Marks(differences, retrievers if differences else [])
    groups = []
    for name in unique(row.questions for row in shown):
        own = [row for row in shown if row.questions == name]
        lines = [
            _line([row for row in own if row.retriever == one], measures, marks)
            for one in unique(row.retriever for row in own)
        ]
        groups.append(Group(_heading(own[0]), tuple(lines)))
    notes = (
        data_note(shown),
        words.MEASURES_NOTE,
        words.grades_note(shown),
        words.left_out_note(shown),
        words.interval_note(shown),
        words.test_note(differences),
        words.ties_note(shown),
        words.duplicates_note(shown),
    )
    return table_of_cells(
        name="retrieval-measures",
        caption=f"{title}: retrieval, all measures.",
        notes=tuple(filter(None, notes)),
        header=("Retriever", *measures),
        alignment=("w4.2", *("r" for _ in measures)),
        groups=tuple(groups),
        tidy_header=names_of(RetrievalRow),
        tidy_rows=records_of(shown),
    )


def _heading(first: RetrievalRow) -> str:
    size = f"{count(first.n_questions)} questions, {count(first.n_documents)} documents"
    return f"{first.questions}: {first.questions_title} ({size})"


def _line(rows: Sequence[RetrievalRow], measures: Sequence[str], marks: Marks) -> tuple[Cell, ...]:
    first = rows[0]
    own_letter = marks.letters.get(first.retriever, "")
    by_measure = {row.measure: row for row in rows}
    cells = [
        words.cell(by_measure[measure], marks) if measure in by_measure else Cell("") for measure in measures
    ]
    return (Cell(first.retriever_title, letters=own_letter), *cells)


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`measures_table` of the files of an experiment."""
    found = inputs.rows_if_there(QuestionDifference)
    return measures_table(inputs.rows(RetrievalRow), settings["caption"], found)
