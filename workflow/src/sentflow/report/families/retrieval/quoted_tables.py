"""The tables that quote texts: questions worth reading, and by which terms they found their documents."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import count, counted, decimal, listed, share
from sentflow.report.rows import grouped, titles_of, unique
from sentflow.report.table.table import Blocks, Cell, Column, Table, build, number, text
from sentflow.retrieval.explanation import RELEVANT, WRONG, SharedTerm
from sentflow.retrieval.hardest import APART, HARDEST, HardQuestion

SHOWN = 5  # questions of each kind; the file has more
RETRIEVERS = 3  # of a question that are shown; the files have all
TERMS = 5  # of a document that are shown
_VIEWS = {HARDEST: "hardest questions", APART: "questions on which {a} and {b} differ most"}
_LETTERS, _LETTERS_AGAIN, _LETTERS_OF_TERM = 160, 80, 24  # of a text; of one that is quoted again; of a term


class _Quoted(NamedTuple):
    """A question, why it is shown, and in the table of terms a retriever."""

    block: str
    row: HardQuestion
    retriever: str = ""


def questions(inputs: Inputs) -> Table:
    """A block per question set and kind: the hardest, and those on which two retrievers differ most."""
    rows, hard = words.main_of(inputs.rows(RetrievalRow)), inputs.rows_if_there(HardQuestion)
    titles = titles_of(rows, "retriever")
    notes = ["No question was searched."]
    if hard:
        notes = [
            f"Mean: of {hard[0].measure} over all retrievers but controls. Last columns: two retrievers, each with its "
            "value, the rank of the most relevant document, and what it ranks first instead.",
            "Chosen because their scores are extreme: measured again they would be less so (regression to the mean). A "
            "hard question may be a wrong or a missing judgement.",
        ]

    def ranked(which: str, line: _Quoted) -> Cell:
        """The value of a retriever, the rank of the relevant document, and what it ranks first instead."""
        names = (which, f"value_{which}", f"rank_{which}", f"first_{which}", f"first_text_{which}")
        retriever, value, rank, first, first_text = (getattr(line.row, name) for name in names)
        if not retriever:
            return Cell("")
        place = f"rank {count(rank)}" if rank else "not found"
        instead = f"first {first}: {_short(first_text)}" if first else "found nothing"
        return Cell(f"{titles[retriever]} {decimal(value)}, {place}", "" if rank == 1 else instead)

    def group(line: _Quoted) -> str:
        return f"({line.row.group})" if line.row.group else ""

    def others(line: _Quoted) -> str:
        return f"and {count(line.row.n_relevant - 1)} more" if line.row.n_relevant > 1 else ""

    return build(
        "questions worth reading.",
        HardQuestion,
        _shown(rows, hard),
        [
            text("Question", lambda line: f"{line.row.question}: {_short(line.row.text)}", 3.6, detail=group),
            text(
                "Relevant document",
                lambda line: f"{line.row.document}: {_short(line.row.document_text)}",
                3.6,
                detail=others,
            ),
            number("Mean", lambda line: line.row.mean, decimal),
            Column("First retriever", partial(ranked, "a"), width=3.2),
            Column("Second retriever", partial(ranked, "b"), width=3.2),
        ],
        notes,
        data=rows,
        records=hard,
        blocks=Blocks("block", "Questions"),
    )


def _shown(rows: Sequence[RetrievalRow], hard: Sequence[HardQuestion]) -> Iterator[_Quoted]:
    titles, by_view = titles_of(rows, "retriever"), grouped(hard, "question_set", "view")
    for name in titles_of(rows, "questions"):
        for view, said in _VIEWS.items():
            for row in by_view.get((name, view), [])[:SHOWN]:
                yield _Quoted(f"{name}: {said.format(a=titles[row.a], b=titles.get(row.b, ''))}", row)


def _short(quoted: str, letters: int = _LETTERS) -> str:
    """The beginning of a text."""
    return quoted if len(quoted) <= letters else quoted[:letters].rstrip() + " …"


def terms(inputs: Inputs) -> Table:
    """The questions of `retrieval-questions`, a line per question and retriever whose scores are sums over terms."""
    rows, hard = words.main_of(inputs.rows(RetrievalRow)), inputs.rows_if_there(HardQuestion)
    shared, titles = inputs.rows_if_there(SharedTerm), titles_of(rows, "retriever")
    explained = {row.retriever for row in shared}
    retrievers = [name for name in titles if name in explained]
    by_line = grouped(shared, "question_set", "question", "retriever", "which")

    def found_by(which: str, line: _Quoted) -> Cell:
        """The first terms of one document with their shares of its score."""
        own = by_line.get((line.row.question_set, line.row.question, line.retriever, which), [])
        if not own:
            return Cell("none found")
        place = f"rank {count(own[0].rank)}" if own[0].rank else "not found"
        about = f"{own[0].document}, {place}, score {own[0].score:.4g}"
        return Cell("; ".join(_terms(own)) or "no shared term", about)

    def question(line: _Quoted) -> str:
        return f"{line.row.question}: {_short(line.row.text, _LETTERS_AGAIN)}"

    return build(
        "the terms that questions worth reading share with documents.",
        SharedTerm,
        [line._replace(retriever=name) for line in _shown(rows, hard) for name in retrievers[:RETRIEVERS]],
        [
            text("Question", question, 3.2),
            text("Retriever", lambda line: titles[line.retriever], 2.2),
            Column("Terms shared with the relevant document", partial(found_by, RELEVANT), width=5.4),
            Column("With the best ranked wrong one", partial(found_by, WRONG), width=5.4),
        ],
        _notes_on_terms([titles[name] for name in retrievers], shared),
        data=rows,
        records=shared,
        blocks=Blocks("block", "Questions"),
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


def _notes_on_terms(titles: Sequence[str], shared: Sequence[SharedTerm]) -> list[str]:
    if not titles:
        return ["No retriever whose scores are sums over terms searched a question."]
    left_out = titles[RETRIEVERS:]
    return [
        f"Percentages: parts of the score, a sum over the terms that question and document share; the {TERMS} "
        "greatest. Relevant: the document of the highest grade; wrong: the best ranked one that is not judged "
        "relevant, perhaps not judged at all.",
        "Variants of BM25 with delta give a document something for each term of the question that it lacks."
        if any(row.rest for row in shared)
        else "",
        f"{counted(len(left_out), 'further retriever')} of these kinds ({listed(unique(left_out))}) in results/items/ "
        "alone."
        if left_out
        else "",
    ]
