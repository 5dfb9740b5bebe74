"""Retrieval on the first lines of the page: who is best, and what retrievers reach on question sets."""

import math
from collections.abc import Sequence
from dataclasses import replace

from sentflow.compare.marks import Marks
from sentflow.compare.question_rows import QuestionDifference
from sentflow.report.answers import Scored, over_unit_sets
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalCostRow, RetrievalRow
from sentflow.report.leaderboard import Board, Column, Entry, System, with_limits
from sentflow.report.numbers import counted, three_digits
from sentflow.report.rows import data_versions, is_sample, unique

_SHOWN = 3  # question sets at first; a reader can ask for the others


def answer(rows: Sequence[RetrievalRow], differences: Sequence[QuestionDifference]) -> tuple[str, ...]:
    """Who has the highest main measure on how many question sets; `rows` are of whole sets."""
    main = [row for row in _main(rows) if not words.decided_by_ties(row)]
    return over_unit_sets(
        [Scored(row.questions, row.retriever, row.retriever_title, row.value) for row in main],
        differences,
        systems="retriever",
        measure=main[0].measure if main else "",
        unit_set="question set",
        test=words.TEST,
        population=words.QUESTIONS,
    )


def columns(rows: Sequence[RetrievalRow]) -> tuple[Column, ...]:
    """The main measure of a search by each encoder's vectors, a column per question set."""
    own: dict[tuple[str, str], RetrievalRow] = {}
    for row in _main(rows):
        if not row.is_baseline:
            own.setdefault((row.questions, row.model), row)
    return tuple(
        Column(
            f"{row.measure}, {name}",
            {model: _entry(found) for (questions, model), found in own.items() if questions == name},
            f"{row.measure}: of a search by the vectors alone (of several retrievers of an encoder, the first that was "
            f"selected). {words.interval_note(_main(rows))}",
            holds_for="new questions",
            is_optional=place >= _SHOWN,
        )
        for place, name in enumerate(unique(name for name, _ in own))
        for row in [next(row for (questions, _), row in own.items() if questions == name)]
    )


def board(
    rows: Sequence[RetrievalRow],
    differences: Sequence[QuestionDifference],
    costs: Sequence[RetrievalCostRow],
) -> Board | None:
    """Retrievers by the first question set: the main measure on each set, and the time per question.

    None where no main measure has a value.
    """
    main = _main(rows)
    if not main:
        return None
    sets, marks = (
        unique(row.questions for row in main),
        Marks(differences, unique(row.retriever for row in main)),
    )
    known = {row.retriever: System(row.retriever, row.retriever_title, row.is_control) for row in main}
    value = {row.retriever: row.value for row in main if row.questions == sets[0]}
    of_sets = [
        Column(
            f"{main[0].measure}, {name}",
            {
                row.retriever: _entry(row, marks.mark(name, row.retriever))
                for row in main
                if row.questions == name
            },
            f"{words.interval_note(main)} {words.test_note(differences).partition(' Superscript')[0]}",
            holds_for="new questions",
            is_optional=place >= _SHOWN,
        )
        for place, name in enumerate(sets)
    ]
    return Board(
        title=f"Retrievers on {counted(len(sets), 'question set')}, in the order of {sets[0]}.",
        heading="Retriever",
        systems=tuple(known[name] for name in sorted(known, key=lambda name: -value.get(name, -math.inf))),
        columns=(*of_sets, *_times(costs, sets[0])),
        is_sample=all(is_sample(version) for version in data_versions(main)),
    )


def _main(rows: Sequence[RetrievalRow]) -> list[RetrievalRow]:
    return [row for row in rows if row.is_main and not math.isnan(row.value)]


def _entry(row: RetrievalRow, mark: str = "") -> Entry:
    found = with_limits(row.value, (row.low, row.high), mark=mark)
    ranged = words.by_order(row.worst_order, row.best_order)
    return replace(found, detail=f"{found.detail} {ranged}".strip()) if ranged else found


def _times(costs: Sequence[RetrievalCostRow], questions: str) -> list[Column]:
    """What a question took on the first question set."""
    known = {
        row.model: Entry(three_digits(1000 * row.seconds_each), 1000 * row.seconds_each)
        for row in costs
        if row.questions == questions and row.seconds_each > 0
    }
    note = (
        f"ms per question: embedding and search, on {questions}, start left out; of one run on one machine."
    )
    return [Column("ms per question", known, note)] if known else []
