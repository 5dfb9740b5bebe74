"""A bi-encoder for retrieval: one encoder reads questions and documents, and cosines rank the documents.

Karpukhin et al. 2020 (arXiv 2004.04906); with `ContrastiveLoss` as CuongNN218/zalo_ltr_2021@b63aa805.
"""

from collections.abc import Sequence

import torch
from sentence_transformers.util import cos_sim

from sentflow.errors import DataError
from sentflow.training.contract import (
    Example,
    Objective,
    Row,
    document_columns,
    false_negatives,
    question_views,
    recipe,
)
from sentflow.training.draws import Draws
from sentflow.training.recipes.settings import BiEncoder as Settings

CONTRASTIVE = "contrastive"


@recipe("bi-encoder")
class BiEncoder(Objective):
    """Views are questions, documents and, where the data have them, hard negatives."""

    settings: Settings

    def views(self, rows: Sequence[Row], draws: Draws) -> list[list[Example]]:  # noqa: ARG002
        return question_views(self, rows, self.settings)

    def loss(self, views: Sequence[torch.Tensor], rows: Sequence[Row]) -> torch.Tensor:
        questions, *documents = views
        if self.settings.loss == CONTRASTIVE:
            labels = torch.tensor([row["label"] for row in rows])
            if (labels > 1).any():
                raise DataError("settings.loss: contrastive reads labels 0 and 1, and the data have others.")
            return contrastive_loss(questions, documents[0], labels, margin=self.settings.margin)
        texts = [[row[column] for row in rows] for column in document_columns(rows)]
        known = false_negatives([row["text"] for row in rows], texts)
        return ranking_loss(questions, documents, known, scale=self.settings.scale)

    def scored(self, views: Sequence[torch.Tensor], rows: Sequence[Row]) -> list[tuple[float, int]]:
        """Of rows with labels, cosines and labels."""
        cosines = torch.nn.functional.cosine_similarity(views[0], views[1]).tolist()
        return [(cosine, row["label"]) for cosine, row in zip(cosines, rows, strict=True) if "label" in row]


def ranking_loss(
    questions: torch.Tensor,
    documents: Sequence[torch.Tensor],
    false_negatives: torch.Tensor,
    *,
    scale: float,
) -> torch.Tensor:
    """Mean cross-entropy of finding the document of each question among all documents of the batch, by cosine.

    `questions`: (n, d) float. `documents`: one or two tensors (n, d): the relevant document of each question, and a
    hard negative. `false_negatives`: (n, n · tensors) bool: candidates that count in no sum. `scale`: multiplies
    cosines. `MultipleNegativesRankingLoss` of sentence-transformers where there are no false negatives.
    """
    logits = cos_sim(questions, torch.cat(list(documents))) * scale
    logits = logits.masked_fill(false_negatives.to(logits.device), -torch.inf)
    return torch.nn.functional.cross_entropy(logits, torch.arange(len(questions), device=logits.device))


def contrastive_loss(
    questions: torch.Tensor, documents: torch.Tensor, labels: torch.Tensor, *, margin: float
) -> torch.Tensor:
    """Mean over pairs of half the squared distance, or, with label 0, of what it lacks to the margin, squared.

    `questions`, `documents`: (n, d) float, row i of both is a pair. `labels`: (n,) 0 or 1. `margin`: of 1 − cosine.
    Hadsell et al. 2006, equation 4; `ContrastiveLoss` of sentence-transformers.
    """
    distances = 1 - torch.nn.functional.cosine_similarity(questions, documents)
    labels = labels.to(distances)
    apart = torch.nn.functional.relu(margin - distances)
    return (0.5 * (labels * distances.square() + (1 - labels) * apart.square())).mean()
