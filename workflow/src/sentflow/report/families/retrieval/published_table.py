"""The table of values that others report on the question sets, beside ours."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, decimal, interval, percent, signed
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table

_PRINTED = "printed"
_KINDS = {
    _PRINTED: "",
    "computed": "; computed by another program, printed nowhere",
    "remembered": "; stated from memory",
}


@dataclass(frozen=True)
class PublishedValue:
    """A value that somebody published on a question set, and ours; undefined numbers NaN.

    Attributes
    ----------
    questions, system, measure, published, source, source_kind, comparable, remark
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
    source_kind: str
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
                source_kind=entry.get("source_kind", _PRINTED),
                remark=entry.get("remark", ""),
            )
        )
    return values


def published_table(rows: Sequence[RetrievalRow], title: str, entries: Sequence[Mapping[str, Any]]) -> Table:
    """One line per published value; a block per question set, and one for values that ours cannot be compared with."""
    values = beside_ours(entries, rows)
    remarks = unique(value.remark for value in values if value.remark)
    numbers = {remark: place for place, remark in enumerate(remarks, 1)}
    by_group: dict[tuple[str, bool, str], list[PublishedValue]] = {}
    for value in values:
        by_group.setdefault((value.questions, value.comparable, value.source_kind), []).append(value)
    sets = unique(value.questions for value in values)
    groups = [
        Group(_heading(by_group[key][0]), tuple(_line(value, numbers) for value in by_group[key]))
        for key in sorted(by_group, key=lambda key: (sets.index(key[0]), not key[1]))
    ]
    levels = sorted({value.level for value in values if not math.isnan(value.level)})
    notes = (
        data_note(rows),
        "Published values are as printed in their sources, unless the heading of a block says otherwise. Ours: of the "
        f"retriever that does most nearly the same; difference: ours less the published one. {MISSING} not measured "
        "here. Beside values of other documents or questions nothing of ours stands.",
        f"In brackets the {percent(levels[0])} interval of ours for {words.POPULATION} ({words.BY_QUESTIONS})."
        if levels
        else "",
        *(f"({number}) {remark}" for remark, number in numbers.items()),
    )
    return table_of_cells(
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


def _heading(value: PublishedValue) -> str:
    comparable = "" if value.comparable else "; not comparable with ours"
    return f"{value.questions}: {value.questions_title}{_KINDS[value.source_kind]}{comparable}"


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
