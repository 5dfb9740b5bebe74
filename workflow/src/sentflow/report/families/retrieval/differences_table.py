"""The table of paired differences between retrievers."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.compare.question_rows import QuestionDifference
from sentflow.report import captions
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, count, decimal, interval, p_number, percent
from sentflow.report.rows import unique
from sentflow.report.table.cells import Cell, Group, Table, names_of, records_of


def differences_table(
    rows: Sequence[RetrievalRow], title: str, differences: Sequence[QuestionDifference]
) -> Table:
    """Every pair of retrievers on every question set."""
    titles = {row.retriever: row.retriever_title for row in rows}
    sets = {row.questions: row.questions_title for row in rows}
    groups = [
        Group(
            f"{name}: {sets[name]}",
            tuple(_line(row, titles) for row in differences if row.unit_set == name),
        )
        for name in unique(row.unit_set for row in differences)
    ]
    return Table(
        name="retrieval-differences",
        caption=f"{title}: paired differences of retrievers.",
        notes=(captions.data_note(rows), *_notes(differences), *filter(None, [words.ties_note(rows)])),
        header=(
            "First − second",
            "n",
            "Difference",
            "Interval",
            "p",
            "Holm",
            "Won/tied/lost",
            "MDD",
            "Effect",
        ),
        alignment=("w4.6", "r", "r", "l", "r", "r", "r", "r", "r"),
        groups=tuple(groups),
        tidy_header=names_of(QuestionDifference),
        tidy_rows=records_of(differences),
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
        "n: questions; won/tied/lost: by the first. MDD: smallest true difference that has a star with a "
        "probability of 80\u202f% at least, whatever the other pairs show. Effect: difference over the standard "
        "deviation of the differences.",
    ]


def _line(row: QuestionDifference, titles: Mapping[str, str]) -> tuple[Cell, ...]:
    return (
        Cell(f"{titles[row.model_a]} − {titles[row.model_b]}"),
        Cell(count(row.n_questions)),
        Cell(decimal(row.difference) + ("*" if row.p_holm <= row.alpha else "")),
        Cell(interval(row.low, row.high) or MISSING),
        Cell(p_number(row.p)),
        Cell(p_number(row.p_holm)),
        Cell(f"{row.wins}/{row.ties}/{row.losses}"),
        Cell(decimal(row.mdd_power)),
        Cell(decimal(row.effect_size)),
    )


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`differences_table` of the files of an experiment."""
    found = inputs.rows_if_there(QuestionDifference)
    return differences_table(inputs.rows(RetrievalRow), settings["caption"], found)
