"""The table of questions worth reading: the hardest, and those on which two retrievers differ most."""

from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.quoted import blocks, short, titles_of
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import count, decimal
from sentflow.report.rows import data_note
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table
from sentflow.retrieval.hardest_rows import HardQuestion


def questions_table(rows: Sequence[RetrievalRow], title: str, quoted: Sequence[HardQuestion]) -> Table:
    """A block per question set and kind, a line per question with its texts.

    Parameters
    ----------
    rows
        The summary of retrieval.
    title
        How the caption begins.
    quoted
        The questions of all sets.
    """
    main = [row for row in words.whole(rows) if row.is_main]
    titles = titles_of(rows)
    groups = [
        Group(block.title, tuple(_line(row, titles) for row in block.questions))
        for block in blocks(rows, quoted)
    ]
    return table_of_cells(
        name="retrieval-questions",
        caption=f"{title}: questions worth reading.",
        notes=tuple(filter(None, (data_note(main), *_notes(quoted)))),
        header=("Question", "Relevant document", "Mean", "First retriever", "Second retriever"),
        alignment=("w3.6", "w3.6", "r", "w3.2", "w3.2"),
        groups=tuple(groups),
        tidy_header=names_of(HardQuestion),
        tidy_rows=records_of(quoted),
    )


def _line(row: HardQuestion, titles: Mapping[str, str]) -> tuple[Cell, ...]:
    others = f" and {count(row.n_relevant - 1)} more" if row.n_relevant > 1 else ""
    return (
        Cell(f"{row.question}: {short(row.text)}", detail=f"({row.group})" if row.group else ""),
        Cell(f"{row.document}: {short(row.document_text)}", detail=others.strip()),
        Cell(decimal(row.mean)),
        _found(titles, row.a, row.value_a, row.rank_a, row.first_a, row.first_text_a),
        _found(titles, row.b, row.value_b, row.rank_b, row.first_b, row.first_text_b),
    )


def _found(titles: Mapping[str, str], retriever: str, value: float, rank: int, first: str, text: str) -> Cell:
    """The value of a retriever, the rank of the relevant document, and what it ranks first instead."""
    if not retriever:
        return Cell("")
    place = f"rank {count(rank)}" if rank else "not found"
    if rank == 1:
        instead = ""
    elif first:
        instead = f"first {first}: {short(text)}"
    else:
        instead = "found nothing"
    return Cell(f"{titles[retriever]} {decimal(value)}, {place}", detail=instead)


def _notes(quoted: Sequence[HardQuestion]) -> list[str]:
    if not quoted:
        return ["No question was searched."]
    return [
        f"Mean: of {quoted[0].measure} over all retrievers but controls, by which the hardest are chosen. Second to "
        "last columns: two retrievers (those with the highest means, unless the configuration names them), each with "
        "its value, the rank of the relevant document with the highest grade, and what it ranks first instead.",
        "To read, not to conclude from: these questions were chosen because their scores are extreme, so on a second "
        "measurement of any kind they would be less so (regression to the mean), and a difference on them says nothing "
        "of other questions. A hard question may be a wrong or a missing judgement.",
    ]


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`questions_table` of the files of an experiment."""
    return questions_table(inputs.rows(RetrievalRow), settings["caption"], inputs.rows_if_there(HardQuestion))
