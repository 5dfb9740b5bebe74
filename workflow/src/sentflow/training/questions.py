"""Questions, documents and hard negatives as views, for encoders of retrieval."""

from collections.abc import Sequence

import torch

from sentflow.training.contract import Example, Objective, Row, document_columns
from sentflow.training.recipes.settings import BiEncoder, SparseEmbed, Splade


def question_views(
    objective: Objective, rows: Sequence[Row], settings: BiEncoder | Splade | SparseEmbed
) -> list[list[Example]]:
    """A view of the questions, one of the documents and, where rows have them, one of hard negatives.

    `settings`: ``question_tokens`` that are read of a question, None for as many as of a document; ``question_prompt``
    and ``document_prompt``, put before the texts.
    """
    most = settings.question_tokens
    questions: list[Example] = [
        {"input_ids": objective.tokens(settings.question_prompt + row["text"], most)} for row in rows
    ]
    documents = [
        objective.read([settings.document_prompt + row[column] for row in rows])
        for column in document_columns(rows)
    ]
    return [questions, *documents]


def false_negatives(questions: Sequence[str], columns: Sequence[Sequence[str]]) -> torch.Tensor:
    """Which candidates are known to be relevant to a question of another row.

    `questions`: n texts. `columns`: n documents each: the relevant ones, and perhaps hard negatives. Returns (n, n ·
    number of columns) bool. A candidate is relevant where its text is that of any relevant document, in the batch, of a
    row with the text of this question; the own document of a row is not marked.
    """
    relevant: dict[str, set[str]] = {}
    for question, document in zip(questions, columns[0], strict=True):
        relevant.setdefault(question, set()).add(document)
    candidates = [document for column in columns for document in column]
    found = torch.tensor(
        [[document in relevant[question] for document in candidates] for question in questions]
    )
    n = len(questions)
    found[torch.arange(n), torch.arange(n)] = False
    return found
