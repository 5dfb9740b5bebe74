"""The tables that quote texts: questions worth reading, and by which terms they found their documents."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import count, counted, decimal, listed, share
from sentflow.report.rows import unique
from sentflow.report.table.table import Cell, Column, Table, build, number, text
from sentflow.retrieval.explanation import RELEVANT, WRONG, SharedTerm
from sentflow.retrieval.hardest import APART, HARDEST, HardQuestion

SHOWN = 5  # questions of each kind; the file has more
RETRIEVERS = 3  # of a question that are shown; the files have all
TERMS = 5  # of a document that are shown
_VIEWS = {HARDEST: "hardest questions", APART: "questions on which {a} and {b} differ most"}
_LETTERS = 160  # of a text
_LETTERS_AGAIN = 80  # of a question that stands in the table `retrieval-questions`, too
_LETTERS_OF_TERM = 24


@dataclass(frozen=True)
class _Quoted:
    """A question, why it is shown, and in the table of terms a retriever."""

    block: str
    row: HardQuestion
    retriever: str = ""


def questions(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """A block per question set and kind: the hardest, and those on which two retrievers differ most."""
    rows, hard = inputs.rows(RetrievalRow), inputs.rows_if_there(HardQuestion)
    titles = _titles_of(rows)
    notes = ["No question was searched."]
    if hard:
        notes = [
            f"Mean: of {hard[0].measure} over all retrievers but controls, by which the hardest are chosen. Second to "
            "last columns: two retrievers (those with the highest means, unless the configuration names them), each "
            "with its value, the rank of the relevant document with the highest grade, and what it ranks first "
            "instead.",
            "Examples: these questions were chosen for their extreme scores, which a second measurement would reduce "
            "(regression to the mean). A difference on them says nothing about other questions. A hard question may be "
            "a wrong or a missing judgement.",
        ]
    return build(
        "retrieval-questions",
        f"{settings['caption']}: questions worth reading.",
        HardQuestion,
        _shown(rows, hard),
        [
            Column("Question", lambda line: _question(line.row), width=3.6),
            Column("Relevant document", lambda line: _document(line.row), width=3.6),
            number("Mean", lambda line: line.row.mean, decimal),
            Column("First retriever", partial(_ranked, titles, "a"), width=3.2),
            Column("Second retriever", partial(_ranked, titles, "b"), width=3.2),
        ],
        notes,
        data=[row for row in words.whole(rows) if row.is_main],
        records=hard,
        block="block",
        block_heading="Questions",
    )


def _titles_of(rows: Sequence[RetrievalRow]) -> dict[str, str]:
    """Retriever → title, in their order."""
    return {row.retriever: row.retriever_title for row in words.whole(rows) if row.is_main}


def _shown(rows: Sequence[RetrievalRow], hard: Sequence[HardQuestion]) -> Iterator[_Quoted]:
    titles = _titles_of(rows)
    for name in unique(row.questions for row in words.whole(rows) if row.is_main):
        for view, said in _VIEWS.items():
            own = [row for row in hard if (row.question_set, row.view) == (name, view)]
            for row in own[:SHOWN]:
                title = said.format(a=titles[own[0].a], b=titles.get(own[0].b, ""))
                yield _Quoted(f"{name}: {title}", row)


def _question(row: HardQuestion) -> Cell:
    return Cell(f"{row.question}: {_short(row.text)}", f"({row.group})" if row.group else "")


def _document(row: HardQuestion) -> Cell:
    others = f"and {count(row.n_relevant - 1)} more" if row.n_relevant > 1 else ""
    return Cell(f"{row.document}: {_short(row.document_text)}", others)


def _ranked(titles: Mapping[str, str], which: str, line: _Quoted) -> Cell:
    """The value of a retriever, the rank of the relevant document, and what it ranks first instead."""
    names = (which, f"value_{which}", f"rank_{which}", f"first_{which}", f"first_text_{which}")
    retriever, value, rank, first, first_text = (getattr(line.row, name) for name in names)
    if not retriever:
        return Cell("")
    place = f"rank {count(rank)}" if rank else "not found"
    instead = f"first {first}: {_short(first_text)}" if first else "found nothing"
    return Cell(f"{titles[retriever]} {decimal(value)}, {place}", "" if rank == 1 else instead)


def _short(quoted: str, letters: int = _LETTERS) -> str:
    """The beginning of a text."""
    return quoted if len(quoted) <= letters else quoted[:letters].rstrip() + " …"


def terms(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """The questions of `retrieval-questions`, a line per question and retriever whose scores are sums over terms."""
    rows, hard = inputs.rows(RetrievalRow), inputs.rows_if_there(HardQuestion)
    shared = inputs.rows_if_there(SharedTerm)
    titles = _titles_of(rows)
    explained = {row.retriever for row in shared}
    retrievers = [name for name in titles if name in explained]
    by_line: dict[tuple[str, str, str, str], list[SharedTerm]] = {}
    for row in shared:
        by_line.setdefault((row.question_set, row.question, row.retriever, row.which), []).append(row)

    def found_by(which: str, line: _Quoted) -> Cell:
        """The first terms of one document with their shares of its score."""
        own = by_line.get((line.row.question_set, line.row.question, line.retriever, which), [])
        if not own:
            return Cell("none found")
        place = f"rank {count(own[0].rank)}" if own[0].rank else "not found"
        about = f"{own[0].document}, {place}, score {own[0].score:.4g}"
        return Cell("; ".join(_terms(own)) or "no shared term", about)

    return build(
        "retrieval-terms",
        f"{settings['caption']}: the terms that questions worth reading share with documents.",
        SharedTerm,
        [
            _Quoted(line.block, line.row, name)
            for line in _shown(rows, hard)
            for name in retrievers[:RETRIEVERS]
        ],
        [
            text(
                "Question", lambda line: f"{line.row.question}: {_short(line.row.text, _LETTERS_AGAIN)}", 3.2
            ),
            text("Retriever", lambda line: titles[line.retriever], 2.2),
            Column("Terms shared with the relevant document", partial(found_by, RELEVANT), width=5.4),
            Column("With the best ranked wrong one", partial(found_by, WRONG), width=5.4),
        ],
        _notes_on_terms(retrievers, titles, shared),
        data=[row for row in words.whole(rows) if row.is_main],
        records=shared,
        block="block",
        block_heading="Questions",
    )


def _terms(shared: Sequence[SharedTerm]) -> Iterator[str]:
    """``lei 41 %``, …, and what is left."""
    named = [row for row in shared if row.place][:TERMS]
    for row in named:
        yield f"{_short(row.term, _LETTERS_OF_TERM)} {share(row.share)}"
    left = shared[0].n_shared - len(named)
    if left:
        others = 1 - math.fsum([shared[0].rest_share, *(row.share for row in named)])
        yield f"{counted(left, 'more term')} {share(others)}"
    if shared[0].rest:
        yield f"terms that it lacks {share(shared[0].rest_share)}"


def _notes_on_terms(
    retrievers: Sequence[str], titles: Mapping[str, str], shared: Sequence[SharedTerm]
) -> list[str]:
    if not retrievers:
        return ["No retriever whose scores are sums over terms searched a question."]
    left_out = unique(titles[name] for name in retrievers[RETRIEVERS:])
    notes = [
        "Scores of BM25, and of weights or vectors of terms, are sums over the terms that question and document share; "
        f"a percentage is the part of the score that a term adds, the {TERMS} greatest first. Terms are written as the "
        "analyser or the vocabulary of the encoder has them. Relevant document: that of the highest grade, as in the "
        "table of questions; wrong: the best ranked one that is not judged relevant; perhaps it was not judged. "
        "Other retrievers have no such terms."
    ]
    if any(row.rest for row in shared):
        notes.append(
            "Variants of BM25 with delta give a document something for each term of the question that it lacks."
        )
    if left_out:
        further = counted(len(retrievers[RETRIEVERS:]), "further retriever")
        notes.append(f"{further} of these kinds ({listed(left_out)}) in results/items/ alone.")
    return notes
