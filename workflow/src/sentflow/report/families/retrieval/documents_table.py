"""The table of what holds for new documents: means and differences of retrievers, with both intervals."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.compare.question_rows import ClusterRow, DocumentDifference, QuestionDifference
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, count, decimal, interval, p_number, percent
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table


def documents_table(
    rows: Sequence[RetrievalRow],
    title: str,
    means: Sequence[ClusterRow],
    differences: Sequence[QuestionDifference],
    of_documents: Sequence[DocumentDifference],
) -> Table:
    """A block per question set with clusters: a line per retriever, then one per pair of them.

    Parameters
    ----------
    rows
        The summary of retrieval, with the intervals of means for new questions.
    title
        How the caption begins.
    means
        With those for new documents.
    differences, of_documents
        Of every two retrievers, for new questions and for new documents.
    """
    shown = [row for row in words.whole(rows) if row.is_main]
    titles = {row.retriever: row.retriever_title for row in shown}
    by_questions = {(row.questions, row.retriever): row for row in shown}
    by_documents = {(row.unit_set, row.model_a, row.model_b): row for row in of_documents}
    groups = []
    for name in unique(row.unit_set for row in means):
        own = [row for row in means if row.unit_set == name]
        lines = [_mean(row, by_questions[name, row.model]) for row in own]
        if own[0].low == own[0].low:
            lines += [
                _difference(row, by_documents.get((name, row.model_a, row.model_b)), titles)
                for row in differences
                if row.unit_set == name
            ]
        groups.append(Group(f"{name}: {by_questions[name, own[0].model].questions_title}", tuple(lines)))
    return table_of_cells(
        name="retrieval-documents",
        caption=f"{title}: retrieval, for {words.QUESTIONS} and for {words.DOCUMENTS}.",
        notes=tuple(filter(None, (data_note(shown), *_notes(means, differences)))),
        header=(
            "Retriever, or first − second",
            means[0].measure if means else "Value",
            "Interval, new questions",
            "Interval, new documents",
            "Holm, new questions",
            "Holm, new documents",
        ),
        alignment=("w4.6", "r", "l", "l", "r", "r"),
        groups=tuple(groups),
        tidy_header=names_of(ClusterRow),
        tidy_rows=records_of(means),
    )


def _mean(row: ClusterRow, questions: RetrievalRow) -> tuple[Cell, ...]:
    return (
        Cell(questions.retriever_title),
        Cell(decimal(row.value)),
        Cell(interval(questions.low, questions.high)),
        Cell(interval(row.low, row.high)),
        Cell(""),
        Cell(""),
    )


def _difference(
    row: QuestionDifference, of_documents: DocumentDifference | None, titles: Mapping[str, str]
) -> tuple[Cell, ...]:
    low, high, p = math.nan, math.nan, math.nan
    if of_documents is not None:
        low, high, p = of_documents.low, of_documents.high, of_documents.p_holm
    return (
        Cell(f"{titles[row.model_a]} − {titles[row.model_b]}"),
        Cell(decimal(row.difference)),
        Cell(interval(row.low, row.high)),
        Cell(interval(low, high)),
        Cell(p_number(row.p_holm)),
        Cell(p_number(p) if of_documents is not None else MISSING),
    )


def _notes(means: Sequence[ClusterRow], differences: Sequence[QuestionDifference]) -> list[str]:
    if not means:
        return ["No question set says which of its questions belong together."]
    said = [
        f"Intervals of {percent(means[0].level)}. New questions: {words.QUESTIONS}, by questions. New documents: "
        "questions on documents that are not in these sets but of the same kind, by clusters of questions that share a "
        "relevant document (or what the set names), which are the independent units; t intervals with the error of the "
        f"jackknife. The corpus that is searched stays as large as it is. In either case {words.BEYOND}."
    ]
    if differences:
        said.append(
            f"Holm: p of the {words.TEST}, and of the t-test over clusters, adjusted over all pairs of the question "
            f"set; up to {percent(differences[0].alpha)} the two differ. Bold and letters of other tables follow the "
            "former."
        )
    first = {row.unit_set: row for row in reversed(means)}
    said += [_units(first[name]) for name in unique(row.unit_set for row in means)]
    return said


def _units(row: ClusterRow) -> str:
    """How many independent units there are, and what cannot be said with them."""
    most = f"{100 * row.largest_cluster:.0f}\u202f%"
    units = (
        f"{row.unit_set}: {count(row.n_questions)} questions in {count(row.n_clusters)} clusters, the largest with "
        f"{most} of them, which carry as much information as {row.effective_clusters:.0f} of equal size"
    )
    if math.isnan(row.low):
        return f"{units}: too few, so that nothing can be said of new documents."
    return f"{units}."


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`documents_table` of the files of an experiment."""
    return documents_table(
        inputs.rows(RetrievalRow),
        settings["caption"],
        inputs.rows_if_there(ClusterRow),
        inputs.rows_if_there(QuestionDifference),
        inputs.rows_if_there(DocumentDifference),
    )
