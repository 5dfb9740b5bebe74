"""Questions, documents and hard negatives as views, for encoders of retrieval."""

from collections.abc import Sequence

from sentflow.training.contract import Example, Objective, Row
from sentflow.training.recipes.settings import BiEncoder, SparseEmbed, Splade

DOCUMENTS = ("other", "negative")
"""Columns of a row that are documents."""


def document_columns(rows: Sequence[Row]) -> list[str]:
    """Those of `DOCUMENTS` that rows have."""
    return [column for column in DOCUMENTS if column in rows[0]]


def question_views(
    objective: Objective, rows: Sequence[Row], settings: BiEncoder | Splade | SparseEmbed
) -> list[list[Example]]:
    """A view of the questions, one of the documents and, where rows have them, one of hard negatives.

    `settings`: ``question_tokens`` that are read of a question, None for as many as of a document; ``question_prompt``
    and ``document_prompt``, put before the texts.
    """
    most = settings.question_tokens
    questions = [objective.tokens(settings.question_prompt + row["text"], most) for row in rows]
    documents = [
        [objective.tokens(settings.document_prompt + row[column]) for row in rows]
        for column in document_columns(rows)
    ]
    return [[{"input_ids": ids} for ids in view] for view in (questions, *documents)]
