"""What is shown of an explained run: a table per document, or everything for programs."""

from typing import Any

from sentflow.cli.answers import beginning
from sentflow.cli.explained_run import ExplainedDocument, ExplainedRun
from sentflow.cli.terminal import Block, Listing
from sentflow.report.numbers import counted, share
from sentflow.retrieval.contributions import Explanation


def record_of_run(found: ExplainedRun) -> dict[str, Any]:
    """Everything, for programs; shares of a score of 0 are null."""
    return {
        "retriever": found.retriever,
        "questions": found.questions,
        "question": found.question,
        "text": found.text,
        "documents": [
            {
                "document": one.name,
                "rank": one.rank or None,
                "grade": one.grade,
                "is_relevant": one.is_relevant,
                "score": one.explanation.score,
                "rest": one.explanation.rest,
                "terms": [
                    {**vars(term), "share": one.explanation.share(term.addend)}
                    for term in one.explanation.shared
                ],
            }
            for one in found.documents
        ],
    }


def blocks_of_run(found: ExplainedRun, *, most: int) -> list[Block]:
    """A table per document, and what is to be known."""
    head = f"{found.retriever}, {found.questions}, {found.question}: {beginning(found.text)}"
    return [head, *(_table(one, most) for one in found.documents), *found.notes]


def _table(document: ExplainedDocument, most: int) -> Listing:
    explanation = document.explanation
    rows = [
        (
            one.term,
            f"{one.in_question:.4g}",
            f"{one.in_document:.4g}",
            f"{one.addend:.4g}",
            share(explanation.share(one.addend)),
        )
        for one in explanation.shared[:most]
    ]
    place = f"rank {document.rank}" if document.rank else "not ranked"
    judged = (
        "relevant" if document.is_relevant else "not judged" if document.grade is None else "not relevant"
    )
    return Listing(
        ("Shared term", "In question", "In document", "Adds", "Share"),
        rows,
        "lrrrr",
        caption=f"{document.name}, {place}, score {explanation.score:.6g}, {judged}: {beginning(document.text)}",
        notes=tuple(_left(explanation, most)),
    )


def _left(explanation: Explanation, most: int) -> list[str]:
    """What a table does not say of a sum."""
    left = sum(one.addend for one in explanation.shared[most:])
    n_left = len(explanation.shared[most:])
    rest = explanation.rest
    said = (
        "No shared term." if not explanation.shared else "",
        f"{counted(n_left, 'further shared term')}: {left:.4g}, {share(explanation.share(left))}."
        if n_left
        else "",
        f"Terms of the question that the document lacks: {rest:.4g}, {share(explanation.share(rest))}."
        if rest
        else "",
    )
    return [text for text in said if text]
