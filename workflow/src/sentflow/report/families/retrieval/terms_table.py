"""The table of shared terms: by which words the questions worth reading found their documents, and wrong ones."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.quoted import blocks, short, titles_of
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import count, counted, listed, share
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table
from sentflow.retrieval.hardest_rows import HardQuestion
from sentflow.retrieval.shared_term_rows import RELEVANT, WRONG, SharedTerm

RETRIEVERS = 3  # of a question that are shown; the files have all
TERMS = 5  # of a document that are shown
_LETTERS = 24  # of a term
_OF_QUESTION = 80  # letters: its text stands in the table `retrieval-questions`, too


def terms_table(
    rows: Sequence[RetrievalRow],
    title: str,
    quoted: Sequence[HardQuestion],
    shared: Sequence[SharedTerm],
) -> Table:
    """The blocks of the table `retrieval-questions`, a line per question and retriever.

    Parameters
    ----------
    rows
        The summary of retrieval.
    title
        How the caption begins.
    quoted
        The questions of all sets.
    shared
        Their shared terms, by all retrievers whose scores are sums over terms.
    """
    main = [row for row in words.whole(rows) if row.is_main]
    titles = titles_of(rows)
    explained = {row.retriever for row in shared}
    retrievers = [name for name in titles if name in explained]
    by_line: dict[tuple[str, str, str], list[SharedTerm]] = {}
    for row in shared:
        by_line.setdefault((row.question_set, row.question, row.retriever), []).append(row)
    groups = [
        Group(
            block.title,
            tuple(
                _line(row, titles[name], by_line.get((row.question_set, row.question, name), []))
                for row in block.questions
                for name in retrievers[:RETRIEVERS]
            ),
        )
        for block in blocks(rows, quoted)
    ]
    return table_of_cells(
        name="retrieval-terms",
        caption=f"{title}: the terms that questions worth reading share with documents.",
        notes=tuple(filter(None, (data_note(main), *_notes(retrievers, titles, shared)))),
        header=(
            "Question",
            "Retriever",
            "Terms shared with the relevant document",
            "With the best ranked wrong one",
        ),
        alignment=("w3.2", "w2.2", "w5.4", "w5.4"),
        groups=tuple(groups) if shared else (),
        tidy_header=names_of(SharedTerm),
        tidy_rows=records_of(shared),
    )


def _line(row: HardQuestion, retriever: str, shared: Sequence[SharedTerm]) -> tuple[Cell, ...]:
    return (
        Cell(f"{row.question}: {short(row.text, _OF_QUESTION)}"),
        Cell(retriever),
        *(_document([one for one in shared if one.which == which]) for which in (RELEVANT, WRONG)),
    )


def _document(shared: Sequence[SharedTerm]) -> Cell:
    """The first terms of one document with their shares of its score."""
    if not shared:
        return Cell("none found")
    first = shared[0]
    place = f"rank {count(first.rank)}" if first.rank else "not found"
    about = f"{first.document}, {place}, score {first.score:.4g}"
    return Cell("; ".join(_terms(shared)) or "no shared term", detail=about)


def _terms(shared: Sequence[SharedTerm]) -> Iterator[str]:
    """``lei 41 %``, …, and what is left."""
    named = [row for row in shared if row.place][:TERMS]
    for row in named:
        yield f"{short(row.term, _LETTERS)} {share(row.share)}"
    left = shared[0].n_shared - len(named)
    if left:
        others = 1 - math.fsum([shared[0].rest_share, *(row.share for row in named)])
        yield f"{counted(left, 'more term')} {share(others)}"
    if shared[0].rest:
        yield f"terms that it lacks {share(shared[0].rest_share)}"


def _notes(retrievers: Sequence[str], titles: Mapping[str, str], shared: Sequence[SharedTerm]) -> list[str]:
    if not retrievers:
        return ["No retriever whose scores are sums over terms searched a question."]
    left_out = retrievers[RETRIEVERS:]
    more = (
        f"{counted(len(left_out), 'further retriever')} of these kinds ({_named(left_out, titles)}) in "
        "results/items/ alone."
        if left_out
        else ""
    )
    return [
        "Scores of BM25, and of weights or vectors of terms, are sums over the terms that question and document share; "
        f"a percentage is the part of the score that a term adds, the {TERMS} greatest first. Terms are written as the "
        "analyser or the vocabulary of the encoder has them. Relevant document: that of the highest grade, as in the "
        "table of questions; wrong: the best ranked one that is not judged relevant; perhaps it was not judged. "
        "Other retrievers have no such terms.",
        "Variants of BM25 with delta give a document something for each term of the question that it lacks."
        if any(row.rest for row in shared)
        else "",
        more,
    ]


def _named(names: Sequence[str], titles: Mapping[str, str]) -> str:
    return listed(unique(titles[name] for name in names))


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`terms_table` of the files of an experiment."""
    return terms_table(
        inputs.rows(RetrievalRow),
        settings["caption"],
        inputs.rows_if_there(HardQuestion),
        inputs.rows_if_there(SharedTerm),
    )
