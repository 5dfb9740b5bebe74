"""The table of retrieval papers: a line per retriever, question sets side by side."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sentflow.compare.marks import Marks
from sentflow.compare.question_rows import QuestionDifference
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.measures_table import measures_table
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import count, decimal
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Matrix, Table, crossed

MEAN = "Mean"
_LEAST_SETS = 3  # of a mean
_RECALL = re.compile(r"R(?:\(.*\))?@(\d+)\Z")


def retrieval_table(
    rows: Sequence[RetrievalRow], title: str, differences: Sequence[QuestionDifference]
) -> Table:
    """Retriever × question set by the main measure, and below it by the deepest recall; of one set all measures.

    Parameters
    ----------
    rows
        The summary of retrieval.
    differences
        What was tested; without, nothing is marked.
    """
    shown = words.whole(rows)
    sets = unique(row.questions for row in shown)
    if len(sets) < 2:
        alone = measures_table(rows, title, differences)
        matrix = _matrix(shown, differences)
        return replace(alone, name="retrieval", caption=f"{title}: retrieval.", matrix=matrix)
    retrievers = unique(row.retriever for row in shown)
    marks = Marks(differences, retrievers if differences else [])
    measures = [words.measures_of(shown)[0], *deepest_recall(words.measures_of(shown)[1:])]
    has_mean = may_be_averaged(shown)
    groups = [
        Group(
            measure,
            tuple(
                _line(
                    [row for row in shown if (row.measure, row.retriever) == (measure, one)],
                    sets,
                    marks,
                    has_mean=has_mean,
                )
                for one in retrievers
            ),
        )
        for measure in measures
    ]
    notes = (
        data_note(shown),
        words.MEASURES_NOTE,
        _sizes_note(shown),
        words.grades_note(shown),
        words.left_out_note(shown),
        words.cut_note(shown),
        words.interval_note(shown),
        words.test_note(differences),
        f"{MEAN}: unweighted mean over these {len(sets)} question sets; nothing follows for other sets; not tested."
        if has_mean
        else "",
        words.ties_note(shown),
        words.duplicates_note(shown),
    )
    return table_of_cells(
        name="retrieval",
        caption=f"{title}: retrieval.",
        notes=tuple(filter(None, notes)),
        header=("Retriever", *sets, *((MEAN,) if has_mean else ())),
        alignment=("w3.0", *("c" for _ in sets), *(("c",) if has_mean else ())),
        groups=tuple(groups),
        tidy_header=names_of(RetrievalRow),
        tidy_rows=records_of(shown),
        matrix=_matrix(shown, differences),
    )


def _matrix(rows: Sequence[RetrievalRow], differences: Sequence[QuestionDifference]) -> Matrix:
    notes = (
        data_note(rows),
        words.MEASURES_NOTE,
        _sizes_note(rows),
        words.grades_note(rows),
        words.test_note(differences).removesuffix(words.LETTERS).rstrip(),
    )
    keys = ("retriever", "retriever_title", "measure")
    return crossed(rows, by=keys, across="questions", value="value", notes=[note for note in notes if note])


def deepest_recall(measures: Sequence[str]) -> list[str]:
    """The recall that looks at most documents, where there is one."""
    depths = {name: int(found[1]) for name in measures if (found := _RECALL.match(name))}
    return [max(depths, key=lambda name: depths[name])] if depths else []


def may_be_averaged(rows: Sequence[RetrievalRow]) -> bool:
    """Whether a mean over question sets says something: three or more, none on the documents of another."""
    corpora = {row.questions: row.corpus for row in rows}
    return len(corpora) >= _LEAST_SETS and len(set(corpora.values())) == len(corpora)


def _line(
    rows: Sequence[RetrievalRow], sets: Sequence[str], marks: Marks, *, has_mean: bool
) -> tuple[Cell, ...]:
    first, by_set = rows[0], {row.questions: row for row in rows}
    letter = marks.letters.get(first.retriever, "") if first.is_main else ""
    cells = [words.cell(by_set[name], marks) if name in by_set else Cell("") for name in sets]
    mean = math.fsum(row.value for row in rows) / len(rows) if len(rows) == len(sets) else math.nan
    return (
        Cell(first.retriever_title, letters=letter),
        *cells,
        *((Cell(decimal(mean)),) if has_mean else ()),
    )


def _sizes_note(rows: Sequence[RetrievalRow]) -> str:
    sizes = {
        row.questions: f"{row.questions} {count(row.n_questions)} in {count(row.n_documents)}" for row in rows
    }
    return f"Questions, and documents that they are searched in: {', '.join(sizes.values())}."


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`retrieval_table` of the files of an experiment."""
    found = inputs.rows_if_there(QuestionDifference)
    return retrieval_table(inputs.rows(RetrievalRow), settings["caption"], found)
