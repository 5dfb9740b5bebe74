"""The table of decisions: what is given as an answer, and what it is worth; a block per question set."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.compare.decision_rows import DecisionDifference
from sentflow.compare.marks import Marks
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.decision_rows import MAIN, OTHERS, DecisionRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, count, decimal, interval, percent
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table


def decisions_table(
    rows: Sequence[DecisionRow], title: str, differences: Sequence[DecisionDifference]
) -> Table:
    """A line per retriever and decision; F2 with its interval, marks and letters.

    Parameters
    ----------
    rows
        The summary of decisions.
    differences
        What was tested; without, nothing is marked.
    """
    systems = unique(row.system for row in rows)
    marks = Marks(differences, systems if differences else [])
    is_tuned = any(row.tuned_on for row in rows)
    groups = []
    for name in unique(row.questions for row in rows):
        own = [row for row in rows if row.questions == name]
        heading = f"{name}: {own[0].questions_title} ({count(own[0].n_questions)} questions)"
        lines = [
            _line({row.measure: row for row in own if row.system == system}, marks, is_tuned=is_tuned)
            for system in unique(row.system for row in own)
        ]
        groups.append(Group(heading, tuple(lines)))
    tuned = ("Training", "Folds", "As good") if is_tuned else ()
    return table_of_cells(
        name="retrieval-decisions",
        caption=f"{title}: documents given as answers.",
        notes=tuple(filter(None, _notes(rows, differences))),
        header=("Retriever", "Decision", "F2", "P", "R", "F2 pub.", "F2(P, R)", "Docs", *tuned),
        alignment=("w2.2", "w1.7", *("r" for _ in range(6)), *(("r", "r", "w1.4") if is_tuned else ())),
        groups=tuple(groups),
        tidy_header=names_of(DecisionRow),
        tidy_rows=records_of(rows),
        lead=2,
    )


def _line(rows: Mapping[str, DecisionRow], marks: Marks, *, is_tuned: bool) -> tuple[Cell, ...]:
    main = rows[MAIN]
    f2 = Cell(
        decimal(main.value),
        detail=interval(main.low, main.high),
        mark=marks.mark(main.questions, main.system),
        letters=marks.raised(main.questions, main.system),
    )
    tuned = (
        Cell(decimal(main.in_sample) or MISSING),
        Cell(decimal(main.nested) or MISSING),
        Cell(f"{count(main.n_within)} of {count(main.n_candidates)}: {main.within}" if main.tuned_on else ""),
    )
    return (
        Cell(main.retriever_title, letters=marks.letters.get(main.system, "")),
        Cell(main.decision_title, detail=main.parameters),
        f2,
        *(Cell(decimal(rows[measure].value)) for measure in OTHERS),
        Cell(decimal(main.f2_of_means)),
        Cell(decimal(main.documents_per_question, 2)),
        *(tuned if is_tuned else ()),
    )


def _notes(rows: Sequence[DecisionRow], differences: Sequence[DecisionDifference]) -> list[str]:
    if not rows:
        return []
    left_out = {row.questions: row.n_left_out for row in rows if row.n_left_out}
    empty = max((row for row in rows), key=lambda row: row.n_empty)
    return [
        data_note(rows),
        "Means over the questions with a relevant document; a question that is given none counts as 0. P, R, F2: of "
        "the set of each question. F2 pub.: by the count of a published system, which compares each document with "
        "every relevant one and calls it wrong for each that it is not. F2(P, R): of the two means. Docs: documents "
        "given per question.",
        f"In brackets the {percent(rows[0].level)} interval for {words.POPULATION} ({words.BY_QUESTIONS}).",
        words.test_note(differences).replace("retrievers", "retrievers with their decisions"),
        " ".join(
            f"{count(n)} questions of {name} have no relevant document and count in no mean."
            for name, n in left_out.items()
        ),
        f"{empty.retriever_title}, {empty.decision_title}, gives no document for {count(empty.n_empty)} questions of "
        f"{empty.questions}, the most here."
        if empty.n_empty
        else "",
        *_tuning_notes(rows),
    ]


def _tuning_notes(rows: Sequence[DecisionRow]) -> list[str]:
    tuned = [row for row in rows if row.tuned_on]
    if not tuned:
        return []
    sets = unique(row.tuned_on for row in tuned)
    most = max((row for row in tuned if not math.isnan(row.optimism)), key=lambda row: row.optimism)
    own = unique(row.questions for row in tuned if row.questions in row.tuned_on.split(", "))
    return [
        f"Parameters of decisions with a training value were chosen by the mean F2 of {'; '.join(sets)}. Training: F2 "
        "of the chosen ones on these questions, which is too high an estimate; folds: each question by what was chosen "
        f"on the other folds. The first is higher by at most {decimal(most.optimism)}. As good: values within "
        f"{decimal(most.margin)} of the best on the training questions.",
        f"{', '.join(own)}: each question is decided by what was chosen on others of the set." if own else "",
    ]


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`decisions_table` of the files of an experiment."""
    found = inputs.rows_if_there(DecisionDifference)
    return decisions_table(inputs.rows(DecisionRow), settings["caption"], found)
