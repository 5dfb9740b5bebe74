"""The tables by which a retriever is chosen: costs, approximate indexes, decisions, and values of papers."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from sentflow.compare.marks import Marks
from sentflow.compare.question_rows import DecisionDifference
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import (
    F2,
    OTHERS_OF_DECISIONS,
    DecisionRow,
    IndexRow,
    RetrievalCostRow,
    RetrievalRow,
)
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, count, decimal, interval, p_number, percent, signed, three_digits
from sentflow.report.rows import unique
from sentflow.report.table.table import Cell, Column, Table, build, marked, number, text

_MEGABYTE = 1e6
_PRINTED = "printed"
_KINDS = {
    _PRINTED: "",
    "computed": "; computed by another program, printed nowhere",
    "remembered": "; stated from memory",
}


# --- costs -------------------------------------------------------------------------------------------------


class _Cost(NamedTuple):
    """A heading, where it stands in a row, and what it means."""

    heading: str
    attribute: str
    meaning: str = ""


_COSTS = (
    _Cost("Terms, question", "terms_per_question"),
    _Cost(
        "Terms, document",
        "terms_per_document",
        "Terms: those with a weight, each once, mean over the questions and over the documents. BM25 has the terms "
        "that its analyser cuts, a sparse encoder those that its model gives.",
    ),
    _Cost(
        "Matched terms",
        "expected_matches",
        "Matched terms: how many a random question and a random document of the set share on average, the sum of "
        "P(term in question) × P(term in document) over the vocabulary. Where passages stand for documents, terms and "
        "matches are those of a passage.",
    ),
    _Cost(
        "FLOPS",
        "flops",
        "FLOPS: multiplications for a question and a document on average; a matched term takes one, a dense vector one "
        "per dimension, and each passage of a document counts.",
    ),
    _Cost(
        "Bytes, document",
        "bytes_per_document",
        "Bytes: of the arrays that are searched, without vocabulary and names of documents, or of the files of an "
        "approximate index, divided by the number of documents.",
    ),
    _Cost(
        "Questions/s",
        "searched_per_second",
        "Questions/s: ranking alone, with an index in memory, on one thread of a processor; cross-encoders take the "
        "device and threads that they were given. BM25 is asked question after question, searches by vectors and by "
        "weights many questions at a time. One measurement, on a machine that may have done other work.",
    ),
    _Cost(
        "with encoding",
        "per_second",
        "With encoding: the same with cutting questions into terms or embedding them, start and loading of the encoder "
        "spread over all questions.",
    ),
)


def costs(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """A line per retriever and a block per question set; columns of which nothing is known are left out.

    Controls, which search nothing, are left out where there are others.
    """
    rows = inputs.rows(RetrievalCostRow)
    shown = [row for row in rows if not row.is_control] or rows
    known = [cost for cost in _COSTS if not all(math.isnan(getattr(row, cost.attribute)) for row in shown)]

    def title(name: str, own: Sequence[RetrievalCostRow]) -> str:
        size = f"{count(own[0].n_asked)} questions, {count(own[0].n_documents)} documents"
        return f"{name}: {own[0].questions_title} ({size})"

    notes = [
        f"{shown[0].measure}: mean over questions; intervals and tests are in the table retrieval.",
        *(cost.meaning for cost in known),
        _places_note(shown),
        "Of retrievers that are made of others, times and bytes are sums over these; terms, matches and FLOPS are not "
        "counted.",
        "All costs are those of these questions and documents: other collections have others.",
    ]
    return build(
        "retrieval-costs",
        f"{settings['caption']}: what retrievers cost.",
        RetrievalCostRow,
        shown,
        [
            text("Retriever", "model_title", 4.2),
            number(shown[0].measure, "value"),
            *(number(cost.heading, cost.attribute, three_digits) for cost in known),
        ],
        [note for note in notes if note],
        data=shown,
        records=rows,
        block="questions",
        title=title,
        block_heading="Questions",
    )


def _places_note(rows: Sequence[RetrievalCostRow]) -> str:
    """What questions were embedded on, which decides the last column."""
    places = {row.model_title: row.encoded_on for row in rows if row.encoded_on}
    known = unique(places.values())
    if not places:
        return ""
    if len(known) == 1:
        return f"Questions were embedded on {known[0]}."
    each = [f"on {place} of {', '.join(name for name in places if places[name] == place)}" for place in known]
    return f"Questions were embedded {'; '.join(each)}."


def indexes(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """A line per approximate index and recall for each question set: what it loses, and what it saves."""
    rows = inputs.rows(IndexRow)
    first = rows[0]
    return build(
        "retrieval-indexes",
        f"{settings['caption']}: approximate indexes beside the exact search of the same vectors.",
        IndexRow,
        rows,
        [
            text("Retriever", "retriever_title", 4.2),
            text("Index", lambda row: f"{row.kind} ({row.parameters})", 4.2),
            number("k", "k", count),
            number("Recall", "recall"),
            number("5th percentile", "recall_p5"),
            number("Difference", lambda row: row.value - row.value_exact),
            text("Interval", lambda row: interval(row.low, row.high)),
            number("p equal", "p_equivalence", p_number),
            number("Build, s", "build_seconds", _tenths),
            number("MB", lambda row: row.index_bytes / _MEGABYTE, _tenths),
            number("MB exact", lambda row: row.vector_bytes / _MEGABYTE, _tenths),
            number("Questions/s", lambda row: round(row.per_second), count),
            number("exact", lambda row: round(row.per_second_exact), count),
        ],
        [
            "Recall: share of the k best documents of the exact search that the index finds, mean over questions and "
            "their 5th percentile; documents with the score of the k-th count.",
            f"Difference: of {first.measure}, index minus exact, with its {percent(first.level)} t interval over "
            f"questions; p equal: test that it is smaller than {first.margin:g} (two one-sided t-tests). They hold for "
            f"{words.POPULATION}, with the same index.",
            "Build: CPU seconds; MB: of the index, and of the vectors that the exact search reads; questions per CPU "
            "second, both on one thread in one job.",
        ],
        block="questions",
        title=lambda name, own: f"{name}: {own[0].questions_title}",
        block_heading="Questions",
    )


def _tenths(value: float) -> str:
    return f"{value:.1f}"


# --- decisions ---------------------------------------------------------------------------------------------


def decisions(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """What is given as an answer, and what it is worth: a line per retriever and decision; F2 with its interval."""
    rows, differences = inputs.rows(DecisionRow), inputs.rows_if_there(DecisionDifference)
    marks = Marks(differences, unique(row.system for row in rows) if differences else [])
    lines: dict[tuple[str, str], dict[str, DecisionRow]] = {}
    for row in rows:
        lines.setdefault((row.questions, row.system), {})[row.measure] = row

    def f2(line: Mapping[str, DecisionRow]) -> Cell:
        row = line[F2]
        signs = (marks.mark(row.questions, row.system), marks.raised(row.questions, row.system))
        value = None if math.isnan(row.value) else row.value
        return Cell(decimal(row.value), interval(row.low, row.high), *signs, value)

    def retriever(line: Mapping[str, DecisionRow]) -> Cell:
        row = line[F2]
        return Cell(row.retriever_title, letters=marks.letters.get(row.system, ""))

    def decision(line: Mapping[str, DecisionRow]) -> Cell:
        return Cell(line[F2].decision_title, line[F2].parameters)

    def as_good(line: Mapping[str, DecisionRow]) -> str:
        row = line[F2]
        return f"{count(row.n_within)} of {count(row.n_candidates)}: {row.within}" if row.tuned_on else ""

    def main(attribute: str) -> Callable[[Mapping[str, DecisionRow]], float]:
        return lambda line: float(getattr(line[F2], attribute))

    def other(measure: str, line: Mapping[str, DecisionRow]) -> float:
        return line[measure].value

    tuned = [
        number("Training", main("in_sample")),
        number("Folds", main("nested")),
        text("As good", as_good, 1.4),
    ]
    headings = ("P", "R", "F2 pub.")
    return build(
        "retrieval-decisions",
        f"{settings['caption']}: documents given as answers.",
        DecisionRow,
        lines.values(),
        [
            Column("Retriever", retriever, width=2.2),
            Column("Decision", decision, width=1.7),
            marked("F2", f2),
            *(
                number(head, partial(other, name))
                for head, name in zip(headings, OTHERS_OF_DECISIONS, strict=True)
            ),
            number("F2(P, R)", main("f2_of_means")),
            number("Docs", main("documents_per_question"), decimal, 2),
            *(tuned if any(row.tuned_on for row in rows) else []),
        ],
        [note for note in _notes_on_decisions(rows, differences) if note],
        data=rows,
        records=rows,
        block=lambda line: line[F2].questions,
        title=lambda name, own: (
            f"{name}: {own[0][F2].questions_title} ({count(own[0][F2].n_questions)} questions)"
        ),
        block_heading="Questions",
        lead=2,
    )


def _notes_on_decisions(rows: Sequence[DecisionRow], differences: Sequence[DecisionDifference]) -> list[str]:
    if not rows:
        return []
    left_out = {row.questions: row.n_left_out for row in rows if row.n_left_out}
    empty = max(rows, key=lambda row: row.n_empty)
    return [
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
        *_notes_on_tuning([row for row in rows if row.tuned_on]),
    ]


def _notes_on_tuning(rows: Sequence[DecisionRow]) -> list[str]:
    if not rows:
        return []
    most = max((row for row in rows if not math.isnan(row.optimism)), key=lambda row: row.optimism)
    own = unique(row.questions for row in rows if row.questions in row.tuned_on.split(", "))
    return [
        "Parameters of decisions with a training value were chosen by the mean F2 of "
        f"{'; '.join(unique(row.tuned_on for row in rows))}. Training: F2 of the chosen ones on these questions, which "
        "is too high an estimate; folds: each question by what was chosen on the other folds. The first is higher by "
        f"at most {decimal(most.optimism)}. As good: values within {decimal(most.margin)} of the best on the training "
        "questions.",
        f"{', '.join(own)}: each question is decided by what was chosen on others of the set." if own else "",
    ]


# --- papers ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PublishedValue:
    """A value that somebody published on a question set, and ours; undefined numbers NaN."""

    # questions, system, measure, published, source, source_kind, comparable, remark: see the settings of question sets
    questions: str
    questions_title: str
    system: str
    measure: str
    published: float
    # retriever, retriever_title: ours that does the same; empty where the entry names none, none that was measured, or
    # is not comparable
    retriever: str
    retriever_title: str
    # value, low, high, level, difference: ours with its interval, and ours less the published one
    value: float
    low: float
    high: float
    level: float
    difference: float
    comparable: bool
    source: str
    source_kind: str
    remark: str

    @property
    def block(self) -> str:
        """What stands above it."""
        comparable = "" if self.comparable else "; not comparable with ours"
        return f"{self.questions}: {self.questions_title}{_KINDS[self.source_kind]}{comparable}"


def published(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """One line per published value; a block per question set, and one for values that ours cannot be compared with."""
    rows = inputs.rows(RetrievalRow)
    values = _beside_ours(settings.get("published", ()), rows)
    remarks = unique(value.remark for value in values if value.remark)
    footnotes = {remark: f" ({place})" for place, remark in enumerate(remarks, 1)}
    sets = unique(value.questions for value in values)
    levels = sorted({value.level for value in values if not math.isnan(value.level)})
    notes = [
        "Published values are as printed in their sources, unless the heading of a block says otherwise. Ours: of the "
        f"retriever that does most nearly the same; difference: ours less the published one. {MISSING} not measured "
        "here. Beside values of other documents or questions nothing of ours stands.",
        *(
            [
                f"In brackets the {percent(levels[0])} interval of ours for {words.POPULATION} ({words.BY_QUESTIONS})."
            ]
            if levels
            else []
        ),
        *(f"{sign.strip()} {remark}" for remark, sign in footnotes.items()),
    ]
    return build(
        "retrieval-published",
        f"{settings['caption']}: published values of retrieval and ours.",
        PublishedValue,
        sorted(values, key=lambda value: (sets.index(value.questions), not value.comparable)),
        [
            text("Published system", lambda value: value.system + footnotes.get(value.remark, ""), 2.9),
            text("Measure", "measure"),
            number("Published", "published"),
            number("Ours", "value"),
            text("Interval", lambda value: interval(value.low, value.high)),
            number("Difference", "difference", signed),
            text("Retriever", lambda value: value.retriever_title or MISSING, 2.2),
            text("Source", "source", 3.0),
        ],
        notes,
        data=rows,
        records=values,
        block="block",
        block_heading="Questions",
    )


def _beside_ours(entries: Sequence[Mapping[str, Any]], rows: Sequence[RetrievalRow]) -> list[PublishedValue]:
    """The entries of the question sets that were measured, in their order."""
    titles = {row.questions: row.questions_title for row in rows}
    scored = {(row.questions, row.retriever, row.measure): row for row in words.whole(rows)}
    values = []
    for entry in entries:
        if entry["questions"] not in titles:
            continue
        comparable = entry.get("comparable", True)
        name = entry.get("retriever", "") if comparable else ""
        ours = scored.get((entry["questions"], name, entry["measure"]))
        values.append(
            PublishedValue(
                questions=entry["questions"],
                questions_title=titles[entry["questions"]],
                system=entry["system"],
                measure=entry["measure"],
                published=float(entry["value"]),
                retriever=ours.retriever if ours else "",
                retriever_title=ours.retriever_title if ours else "",
                value=ours.value if ours else math.nan,
                low=ours.low if ours else math.nan,
                high=ours.high if ours else math.nan,
                level=ours.level if ours else math.nan,
                difference=ours.value - float(entry["value"]) if ours else math.nan,
                comparable=comparable,
                source=entry["source"],
                source_kind=entry.get("source_kind", _PRINTED),
                remark=entry.get("remark", ""),
            )
        )
    return values
