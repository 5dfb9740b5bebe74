"""The table of values that others report on the question sets, beside ours."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sentflow.report import captions
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, decimal, interval, percent, signed
from sentflow.report.rows import unique
from sentflow.report.table.cells import Cell, Group, Table, names_of, records_of


@dataclass(frozen=True)
class PublishedValue:
    """A value that somebody published on a question set, and ours; undefined numbers NaN.

    Attributes
    ----------
    questions, system, measure, published, source, comparable, remark
        See the schema of question sets.
    retriever, retriever_title
        Ours that does the same; empty where the entry names none, none that was measured, or is not comparable.
    value, low, high, level, difference
        Ours with its interval, and ours less the published one.
    """

    questions: str
    questions_title: str
    system: str
    measure: str
    published: float
    retriever: str
    retriever_title: str
    value: float
    low: float
    high: float
    level: float
    difference: float
    comparable: bool
    source: str
    remark: str


def beside_ours(entries: Sequence[Mapping[str, Any]], rows: Sequence[RetrievalRow]) -> list[PublishedValue]:
    """The entries of the question sets that were measured, in their order."""
    titles = {row.questions: row.questions_title for row in rows}
    found = {(row.questions, row.retriever, row.measure): row for row in words.whole(rows)}
    values = []
    for entry in entries:
        if entry["questions"] not in titles:
            continue
        comparable = entry.get("comparable", True)
        name = entry.get("retriever", "") if comparable else ""
        ours = found.get((entry["questions"], name, entry["measure"]))
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
                remark=entry.get("remark", ""),
            )
        )
    return values


def published_table(rows: Sequence[RetrievalRow], title: str, entries: Sequence[Mapping[str, Any]]) -> Table:
    """One line per published value; a block per question set, and one for values that ours cannot be compared with."""
    values = beside_ours(entries, rows)
    remarks = unique(value.remark for value in values if value.remark)
    numbers = {remark: place for place, remark in enumerate(remarks, 1)}
    titles = {value.questions: f"{value.questions}: {value.questions_title}" for value in values}
    groups = [
        Group(f"{title}{'' if comparable else '; not comparable with ours'}", lines)
        for name, title in titles.items()
        for comparable in (True, False)
        if (
            lines := tuple(
                _line(value, numbers)
                for value in values
                if (value.questions, value.comparable) == (name, comparable)
            )
        )
    ]
    levels = sorted({value.level for value in values if not math.isnan(value.level)})
    notes = (
        captions.data_note(rows),
        "Published values are as printed in their sources. Ours: of the retriever that does most nearly the same; "
        f"difference: ours less the published one. {MISSING} not measured here. Beside values of other documents or "
        "questions nothing of ours stands.",
        f"In brackets the {percent(levels[0])} interval of ours for {words.POPULATION} (bootstrap over questions)."
        if levels
        else "",
        *(f"({number}) {remark}" for remark, number in numbers.items()),
    )
    return Table(
        name="retrieval-published",
        caption=f"{title}: published values of retrieval and ours.",
        notes=tuple(filter(None, notes)),
        header=(
            "Published system",
            "Measure",
            "Published",
            "Ours",
            "Interval",
            "Difference",
            "Retriever",
            "Source",
        ),
        alignment=("w2.9", "l", "r", "r", "l", "r", "w2.2", "w3.0"),
        groups=tuple(groups),
        tidy_header=names_of(PublishedValue),
        tidy_rows=records_of(values),
    )


def _line(value: PublishedValue, numbers: Mapping[str, int]) -> tuple[Cell, ...]:
    number = f" ({numbers[value.remark]})" if value.remark else ""
    return (
        Cell(value.system + number),
        Cell(value.measure),
        Cell(decimal(value.published)),
        Cell(decimal(value.value)),
        Cell(interval(value.low, value.high)),
        Cell(signed(value.difference)),
        Cell(value.retriever_title or MISSING),
        Cell(value.source),
    )


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`published_table` of the files of an experiment."""
    return published_table(inputs.rows(RetrievalRow), settings["caption"], settings.get("published", ()))
