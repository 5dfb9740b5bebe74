"""Losses of a bi-encoder: a question finds its document among those of a batch, or pairs are told apart by distance."""

from collections.abc import Sequence

import torch
from sentence_transformers.util import cos_sim


def ranking_loss(
    questions: torch.Tensor,
    documents: Sequence[torch.Tensor],
    false_negatives: torch.Tensor,
    *,
    scale: float,
) -> torch.Tensor:
    """Mean cross-entropy of finding the document of each question among all documents of the batch, by cosine.

    `questions`: (n, d) float. `documents`: one or two tensors (n, d): the relevant document of each question, and a
    hard negative of each. `false_negatives`: (n, n · number of tensors) bool: candidates that count in no sum, because
    they are relevant to the question, too. The own document of a question is none. `scale`: what cosines are multiplied
    by.

    `MultipleNegativesRankingLoss` of sentence-transformers where there are no false negatives.
    """
    logits = cos_sim(questions, torch.cat(list(documents))) * scale
    logits = logits.masked_fill(false_negatives.to(logits.device), -torch.inf)
    return torch.nn.functional.cross_entropy(logits, torch.arange(len(questions), device=logits.device))


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


def contrastive_loss(
    questions: torch.Tensor, documents: torch.Tensor, labels: torch.Tensor, *, margin: float
) -> torch.Tensor:
    """Mean over pairs of half the squared distance, or of what a pair with label 0 lacks to the margin.

    `questions`, `documents`: (n, d) float, row i of both is a pair. `labels`: (n,) 1 where the document is relevant,
    else 0. `margin`: Distance, 1 − cosine, from which on a pair with label 0 gives no gradient.

    Hadsell et al. 2006, equation 4; `ContrastiveLoss` of sentence-transformers.
    """
    distances = 1 - torch.nn.functional.cosine_similarity(questions, documents)
    labels = labels.to(distances)
    apart = torch.nn.functional.relu(margin - distances)
    return (0.5 * (labels * distances.square() + (1 - labels) * apart.square())).mean()
