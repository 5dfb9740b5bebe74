"""The table of what retrievers cost: terms, matches, bytes and questions per second, side by side for all kinds."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sentflow.report.families.retrieval.rows import RetrievalCostRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import count, decimal, three_digits
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table


@dataclass(frozen=True)
class _Column:
    heading: str
    cost: Callable[[RetrievalCostRow], float]
    meaning: str = ""


_COLUMNS = (
    _Column("Terms, question", lambda row: row.terms_per_question),
    _Column(
        "Terms, document",
        lambda row: row.terms_per_document,
        "Terms: those with a weight, each once, mean over the questions and over the documents. BM25 has the terms "
        "that its analyser cuts, a sparse encoder those that its model gives.",
    ),
    _Column(
        "Matched terms",
        lambda row: row.expected_matches,
        "Matched terms: how many a random question and a random document of the set share on average, the sum of "
        "P(term in question) × P(term in document) over the vocabulary. Where passages stand for documents, terms and "
        "matches are those of a passage.",
    ),
    _Column(
        "FLOPS",
        lambda row: row.flops,
        "FLOPS: multiplications for a question and a document on average; a matched term takes one, a dense vector one "
        "per dimension, and each passage of a document counts.",
    ),
    _Column(
        "Bytes, document",
        lambda row: row.bytes_per_document,
        "Bytes: of the arrays that are searched, without vocabulary and names of documents, or of the files of an "
        "approximate index, divided by the number of documents.",
    ),
    _Column(
        "Questions/s",
        lambda row: row.searched_per_second,
        "Questions/s: ranking alone, with an index in memory, on one thread of a processor; cross-encoders take the "
        "device and threads that they were given. BM25 is asked question after question, searches by vectors and by "
        "weights many questions at a time. One measurement, on a machine that may have done other work.",
    ),
    _Column(
        "with encoding",
        lambda row: row.per_second,
        "With encoding: the same with cutting questions into terms or embedding them, start and loading of the encoder "
        "spread over all questions.",
    ),
)
_MADE_OF_OTHERS = (
    "Of retrievers that are made of others, times and bytes are sums over these; terms, matches and FLOPS are not "
    "counted."
)


def costs_table(rows: Sequence[RetrievalCostRow], title: str) -> Table:
    """A line per retriever and a block per question set; columns of which nothing is known are left out.

    Controls, which search nothing, are left out where there are others.
    """
    shown = [row for row in rows if not row.is_control] or list(rows)
    columns = [one for one in _COLUMNS if not all(math.isnan(one.cost(row)) for row in shown)]
    groups = []
    for name in unique(row.questions for row in shown):
        own = [row for row in shown if row.questions == name]
        groups.append(Group(_heading(own[0]), tuple(_line(row, columns) for row in own)))
    notes = (
        data_note(shown),
        f"{shown[0].measure}: mean over questions; intervals and tests are in the table retrieval.",
        *(one.meaning for one in columns),
        _places_note(shown),
        _MADE_OF_OTHERS,
        "All costs are those of these questions and documents: other collections have others.",
    )
    return table_of_cells(
        name="retrieval-costs",
        caption=f"{title}: what retrievers cost.",
        notes=tuple(filter(None, notes)),
        header=("Retriever", shown[0].measure, *(one.heading for one in columns)),
        alignment=("w4.2", "r", *("r" for _ in columns)),
        groups=tuple(groups),
        tidy_header=names_of(RetrievalCostRow),
        tidy_rows=records_of(rows),
    )


def _heading(first: RetrievalCostRow) -> str:
    size = f"{count(first.n_asked)} questions, {count(first.n_documents)} documents"
    return f"{first.questions}: {first.questions_title} ({size})"


def _line(row: RetrievalCostRow, columns: Sequence[_Column]) -> tuple[Cell, ...]:
    costs = (Cell(three_digits(one.cost(row))) for one in columns)
    return (Cell(row.model_title), Cell(decimal(row.value)), *costs)


def _places_note(rows: Sequence[RetrievalCostRow]) -> str:
    """What questions were embedded on, which decides the last column."""
    places = {row.model_title: row.encoded_on for row in rows if row.encoded_on}
    known = unique(places.values())
    if not places:
        return ""
    if len(known) == 1:
        return f"Questions were embedded on {known[0]}."
    found = [
        f"on {place} of {', '.join(name for name in places if places[name] == place)}" for place in known
    ]
    return f"Questions were embedded {'; '.join(found)}."


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`costs_table` of the files of an experiment."""
    return costs_table(inputs.rows(RetrievalCostRow), settings["caption"])
