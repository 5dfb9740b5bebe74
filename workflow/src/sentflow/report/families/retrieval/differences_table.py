"""The table of paired differences between retrievers."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.compare.comparisons import detectable, n_needed
from sentflow.compare.question_rows import QuestionDifference
from sentflow.report import captions
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, decimal, interval, p_number, percent
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table


def differences_table(
    rows: Sequence[RetrievalRow], title: str, differences: Sequence[QuestionDifference]
) -> Table:
    """Every pair of retrievers on every question set."""
    titles = {row.retriever: row.retriever_title for row in rows}
    sets = {row.questions: row.questions_title for row in rows}
    groups = [
        Group(
            f"{name}: {sets[name]} ({captions.sizes(own[0].n_questions, detectable(own, name))})",
            tuple(_line(row, titles) for row in own),
        )
        for name in unique(row.unit_set for row in differences)
        if (own := [row for row in differences if row.unit_set == name])
    ]
    return table_of_cells(
        name="retrieval-differences",
        caption=f"{title}: paired differences of retrievers.",
        notes=(data_note(rows), *_notes(differences), *filter(None, [words.ties_note(rows)])),
        header=("First − second", "Difference", "Interval", "p", "Holm", "Equivalent", "Won/tied/lost"),
        alignment=("w4.6", "r", "l", "r", "r", "l", "r"),
        groups=tuple(groups),
        tidy_header=(*names_of(QuestionDifference), "n_needed"),
        tidy_rows=tuple(
            (*record, n_needed(row.n_questions, row.mdd_power))
            for record, row in zip(records_of(differences), differences, strict=True)
        ),
    )


def _notes(differences: Sequence[QuestionDifference]) -> list[str]:
    if not differences:
        return ["Nothing was compared: fewer than two retrievers were measured on the same questions."]
    first = differences[0]
    return [
        f"Difference: of {first.measure}, first minus second, with its {percent(first.level)} t interval, which is not "
        "adjusted for the number of pairs; p: paired t-test over questions; Holm: adjusted over all pairs of the "
        f"question set; *: at most {percent(first.alpha)}. They hold for {words.POPULATION}."
        + (f" {words.NO_INTERVAL}" if any(math.isnan(row.low) for row in differences) else ""),
        f"{captions.equivalence_note(first.margin)} Won/tied/lost: questions, by the first.",
        f"n: questions. {captions.detectable_note(first.alpha, 'questions', 'retrievers', 'question set')}",
    ]


def _line(row: QuestionDifference, titles: Mapping[str, str]) -> tuple[Cell, ...]:
    return (
        Cell(f"{titles[row.model_a]} − {titles[row.model_b]}"),
        Cell(decimal(row.difference) + ("*" if row.p_holm <= row.alpha else "")),
        Cell(interval(row.low, row.high) or MISSING),
        Cell(p_number(row.p)),
        Cell(p_number(row.p_holm)),
        Cell(captions.equivalence(row.p_equivalence)),
        Cell(f"{row.wins}/{row.ties}/{row.losses}"),
    )


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`differences_table` of the files of an experiment."""
    found = inputs.rows_if_there(QuestionDifference)
    return differences_table(inputs.rows(RetrievalRow), settings["caption"], found)
