"""The table of retrieval papers: a line per retriever, a column per measure, a block per question set."""

from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.compare.marks import Marks
from sentflow.compare.question_rows import QuestionDifference
from sentflow.report import captions
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import count, decimal, interval
from sentflow.report.rows import unique
from sentflow.report.table.cells import Cell, Group, Table, names_of, records_of


def retrieval_table(
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
    main = next((row.measure for row in shown if row.is_main), "")
    measures = unique([*([main] if main else []), *(row.measure for row in shown)])
    retrievers = unique(row.retriever for row in shown)
    marks = Marks(differences, retrievers if differences else [])
    groups = []
    for name in unique(row.questions for row in shown):
        own = [row for row in shown if row.questions == name]
        first = own[0]
        size = f"{count(first.n_questions)} questions, {count(first.n_documents)} documents"
        heading = f"{name}: {first.questions_title} ({size})"
        lines = [
            _line([row for row in own if row.retriever == one], measures, marks)
            for one in unique(row.retriever for row in own)
        ]
        groups.append(Group(heading, tuple(lines)))
    notes = (
        captions.data_note(shown),
        words.MEASURES_NOTE,
        words.grades_note(shown),
        words.left_out_note(shown),
        words.cut_note(shown),
        words.interval_note(shown),
        words.test_note(differences),
        words.ties_note(shown),
        words.duplicates_note(shown),
    )
    return Table(
        name="retrieval",
        caption=f"{title}: retrieval.",
        notes=tuple(filter(None, notes)),
        header=("Retriever", *measures),
        alignment=("w4.2", *("r" for _ in measures)),
        groups=tuple(groups),
        tidy_header=names_of(RetrievalRow),
        tidy_rows=records_of(rows),
    )


def _line(rows: Sequence[RetrievalRow], measures: Sequence[str], marks: Marks) -> tuple[Cell, ...]:
    first = rows[0]
    own_letter = marks.letters.get(first.retriever, "")
    by_measure = {row.measure: row for row in rows}
    cells = [_cell(by_measure[measure], marks) if measure in by_measure else Cell("") for measure in measures]
    return (Cell(first.retriever_title, letters=own_letter), *cells)


def _cell(row: RetrievalRow, marks: Marks) -> Cell:
    if not row.is_main:
        return Cell(decimal(row.value))
    return Cell(
        decimal(row.value),
        detail=interval(row.low, row.high),
        mark=marks.mark(row.questions, row.retriever),
        letters=marks.raised(row.questions, row.retriever),
    )


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`retrieval_table` of the files of an experiment."""
    found = inputs.rows_if_there(QuestionDifference)
    return retrieval_table(inputs.rows(RetrievalRow), settings["caption"], found)
