"""The tables by which a retriever is chosen: costs, approximate indexes, decisions, and values of papers."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sentflow.compare.differences import Marks
from sentflow.compare.rows import DecisionDifference
from sentflow.report import captions
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
from sentflow.report.rows import titles_of, unique
from sentflow.report.table.table import (
    Blocks,
    Line,
    Table,
    build,
    footnote_signs,
    footnotes,
    named,
    number,
    pivoted,
    text,
)

_MEGABYTE = 1e6


# --- costs -------------------------------------------------------------------------------------------------


# Heading, where it stands in a row, and what it means
_COSTS = (
    ("Terms, question", "terms_per_question", ""),
    ("Terms, document", "terms_per_document", "Terms: those with a weight, each once, on average."),
    ("Matched terms", "expected_matches", "Matched: by a random question and document, on average."),
    ("FLOPS", "flops", "FLOPS: multiplications for a question and a document, all passages counted."),
    ("Bytes, document", "bytes_per_document", "Bytes: of what is searched."),
    (
        "Questions/s",
        "searched_per_second",
        "Questions/s: ranking alone, on one thread (cross-encoders: as set), once.",
    ),
    ("with encoding", "per_second", "With encoding: also embedding the questions, loading included."),
)


def costs(inputs: Inputs) -> Table:
    """A line per retriever and a block per question set; columns of which nothing is known are left out.

    Controls, which search nothing, are left out where there are others.
    """
    rows = inputs.rows(RetrievalCostRow)
    shown = [row for row in rows if not row.is_control] or rows
    known = [cost for cost in _COSTS if not all(math.isnan(getattr(row, cost[1])) for row in shown)]
    places = {row.model_title: row.encoded_on for row in rows if row.encoded_on}
    by_place = {place: [name for name in places if places[name] == place] for place in places.values()}
    embedded = [f"on {place} ({', '.join(names)})" for place, names in by_place.items()]

    def title(name: str, own: Sequence[RetrievalCostRow]) -> str:
        size = f"{count(own[0].n_asked)} questions, {count(own[0].n_documents)} documents"
        return f"{name}: {own[0].questions_title} ({size})"

    return build(
        "what retrievers cost.",
        RetrievalCostRow,
        shown,
        [
            text("Retriever", "model_title", 4.2),
            number(shown[0].measure, "value"),
            *(number(heading, attribute, three_digits) for heading, attribute, _ in known),
        ],
        [
            f"{shown[0].measure}: mean over questions; intervals and tests are in the table retrieval.",
            *(meaning for *_, meaning in known),
            f"Questions were embedded {'; '.join(embedded)}." if embedded else "",
            "Of retrievers that are made of others, times and bytes are sums over these.",
        ],
        data=shown,
        records=rows,
        blocks=Blocks("questions", "Questions", title),
    )


def indexes(inputs: Inputs) -> Table:
    """A line per approximate index and recall for each question set: what it loses, and what it saves."""
    rows = inputs.rows(IndexRow)
    first = rows[0]
    return build(
        "approximate indexes beside the exact search of the same vectors.",
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
            number("Build, s", "build_seconds", "{:.1f}".format),
            number("MB", lambda row: row.index_bytes / _MEGABYTE, "{:.1f}".format),
            number("MB exact", lambda row: row.vector_bytes / _MEGABYTE, "{:.1f}".format),
            number("Questions/s", lambda row: round(row.per_second), count),
            number("exact", lambda row: round(row.per_second_exact), count),
        ],
        [
            "Recall: share of the k best documents of the exact search that the index finds, where any with the score "
            "of the k-th counts: mean over questions, and 5th percentile.",
            f"Difference: of {first.measure}, index minus exact, with its {percent(first.level)} t interval for "
            f"{words.QUESTIONS}; p equal: two one-sided t-tests of a difference below {first.margin:g}. Build, and "
            "questions: by CPU seconds on one thread.",
        ],
        blocks=Blocks("questions", "Questions", named("questions_title")),
    )


# --- decisions ---------------------------------------------------------------------------------------------


def decisions(inputs: Inputs) -> Table:
    """What is given as an answer, and what it is worth: a line per retriever and decision; F2 with its interval."""
    rows, tests = inputs.rows(DecisionRow), inputs.rows_if_there(DecisionDifference)
    marks = Marks(tests, unique(row.system for row in rows))

    def of(measure: str) -> Callable[[Mapping[str, DecisionRow]], float]:
        return lambda line: line[measure].value

    def main(read: Callable[[DecisionRow], Any]) -> Callable[[Mapping[str, DecisionRow]], Any]:
        return lambda line: read(line[F2])

    def title(row: Line) -> str:
        return f"{row.questions_title} ({count(row.n_questions)} questions)"

    def as_good(row: DecisionRow) -> str:
        return f"{count(row.n_within)} of {count(row.n_candidates)}: {row.within}" if row.tuned_on else ""

    letters = main(lambda row: marks.letters.get(row.system, ""))
    signs = main(lambda row: marks.signs(row.questions, row.system))
    tuned = [
        number("Training", main(lambda row: row.in_sample)),
        number("Folds", main(lambda row: row.nested)),
        text("As good", main(as_good), 1.4),
    ]
    headings = zip(("P", "R", "F2 pub."), OTHERS_OF_DECISIONS, strict=True)
    return build(
        "documents given as answers.",
        DecisionRow,
        pivoted(rows, ("questions", "system"), "measure"),
        [
            text("Retriever", "retriever_title", 2.2, letters=letters),
            text("Decision", "decision_title", 1.7, detail=main(lambda row: row.parameters)),
            number("F2", of(F2), limits=main(lambda row: (row.low, row.high)), marks=signs),
            *(number(head, of(name)) for head, name in headings),
            number("F2(P, R)", main(lambda row: row.f2_of_means)),
            number("Docs", main(lambda row: row.documents_per_question), decimal, 2),
            *(tuned if any(row.tuned_on for row in rows) else []),
        ],
        _notes_on_decisions(rows, tests),
        records=rows,
        blocks=Blocks("questions", "Questions", lambda name, own: f"{name}: {title(own[0])}"),
        lead=2,
    )


def _notes_on_decisions(rows: Sequence[DecisionRow], tests: Sequence[DecisionDifference]) -> list[str]:
    empty = max(rows, key=lambda row: row.n_empty)
    notes = [
        "Means over the questions with a relevant document; one without a returned document counts as 0. F2 pub.: as a "
        "published system counts, which compares each document with every relevant one. F2(P, R): of the two means. "
        "Docs: returned documents per question.",
        f"In brackets the {percent(rows[0].level)} interval for {words.POPULATION} ({words.BY_QUESTIONS}).",
        words.test_note(tests),
        captions.letters("retrievers with their decisions") if tests else "",
        words.left_out_note({row.questions: row.n_left_out for row in rows}),
        f"{empty.retriever_title}, {empty.decision_title}, returns no document for {count(empty.n_empty)} questions of "
        f"{empty.questions}, the most here."
        if empty.n_empty
        else "",
    ]
    tuned = [row for row in rows if row.tuned_on]
    if tuned:
        most = max((row for row in tuned if not math.isnan(row.optimism)), key=lambda row: row.optimism)
        own = unique(row.questions for row in tuned if row.questions in row.tuned_on.split(", "))
        notes += [
            f"Training: F2 on {'; '.join(unique(row.tuned_on for row in tuned))}, by which parameters were chosen: too "
            "high an estimate. Folds: by what was chosen on the other folds; lower by at most "
            f"{decimal(most.optimism)}. As good: values within {decimal(most.margin)} of the best there.",
            f"{', '.join(own)}: decided by what was chosen on other questions of the set." if own else "",
        ]
    return notes


# --- papers ------------------------------------------------------------------------------------------------

_PRINTED = "printed"
_KINDS = {
    _PRINTED: "",
    "computed": "; computed by another program, printed nowhere",
    "remembered": "; stated from memory",
}
_RECORD = (
    *("questions", "questions_title", "system", "measure", "published", "retriever", "retriever_title"),
    *("value", "low", "high", "level", "difference", "comparable", "source", "source_kind", "remark"),
)


def published(inputs: Inputs) -> Table:
    """One line per published value; a block per question set, and one for values that ours cannot be compared with."""
    rows = inputs.rows(RetrievalRow)
    values = _beside_ours(inputs.published, rows)
    signs = footnote_signs(value["remark"] for value in values)
    sets = unique(value["questions"] for value in values)
    levels = [value["level"] for value in values if not math.isnan(value["level"])]
    return build(
        "published values of retrieval and ours.",
        _RECORD,
        sorted(values, key=lambda value: (sets.index(value["questions"]), not value["comparable"])),
        [
            text("Published system", lambda value: value["system"] + signs.get(value["remark"], ""), 2.9),
            text("Measure", "measure"),
            number("Published", "published"),
            number("Ours", "value"),
            text("Interval", lambda value: interval(value["low"], value["high"])),
            number("Difference", "difference", signed),
            text("Retriever", lambda value: value["retriever_title"] or MISSING, 2.2),
            text("Source", "source", 3.0),
        ],
        [
            "Published values: as printed, unless a heading says otherwise. Ours: of the most similar retriever; none "
            "beside other documents or questions.",
            f"In brackets the {percent(levels[0])} interval of ours for {words.POPULATION} ({words.BY_QUESTIONS})."
            if levels
            else "",
            *footnotes(signs),
        ],
        data=rows,
        records=values,
        blocks=Blocks(
            lambda value: (
                f"{value['questions']}: {value['questions_title']}{_KINDS[value['source_kind']]}"
                f"{'' if value['comparable'] else '; not comparable with ours'}"
            ),
            "Questions",
        ),
    )


def _beside_ours(entries: Sequence[Mapping[str, Any]], rows: Sequence[RetrievalRow]) -> list[dict[str, Any]]:
    """Values with ours, as `_RECORD`: the entries of the question sets that were measured, in their order.

    Ours is of the retriever that does the same: NaN where the entry names none, none that was measured, or is not
    comparable.
    """
    titles = titles_of(rows, "questions")
    scored = {(row.questions, row.retriever, row.measure): row for row in words.whole(rows)}
    nothing: dict[str, Any] = dict.fromkeys(("value", "low", "high", "level"), math.nan)
    nothing |= {"retriever": "", "retriever_title": ""}
    values = []
    for entry in entries:
        if entry["questions"] in titles:
            comparable = entry.get("comparable", True)
            name = entry.get("retriever", "") if comparable else ""
            ours = scored.get((entry["questions"], name, entry["measure"]))
            record = {"source_kind": _PRINTED, "remark": "", "comparable": comparable, **entry}
            record |= {"questions_title": titles[entry["questions"]], "published": float(entry["value"])}
            record |= {key: getattr(ours, key) for key in nothing} if ours else nothing
            values.append(record | {"difference": record["value"] - record["published"]})
    return values
