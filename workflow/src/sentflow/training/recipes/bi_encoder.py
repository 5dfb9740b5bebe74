"""A bi-encoder for retrieval: one encoder reads questions and documents, and cosines rank the documents.

Karpukhin et al. 2020 (arXiv 2004.04906) with negatives of the batch and hard ones; with `ContrastiveLoss` as
CuongNN218/zalo_ltr_2021@b63aa805.
"""

from collections.abc import Sequence

import torch
from sentence_transformers import SentenceTransformer

from sentflow.errors import DataError
from sentflow.training.contract import Example, Objective, Row, recipe
from sentflow.training.draws import Draws
from sentflow.training.dropout import set_dropout
from sentflow.training.layers import unscaled
from sentflow.training.questions import document_columns, question_views
from sentflow.training.ranking import contrastive_loss, false_negatives, ranking_loss
from sentflow.training.recipes.settings import BiEncoder as Settings

CONTRASTIVE = "contrastive"


@recipe("bi-encoder")
class BiEncoder(Objective):
    """Views are questions, documents and, where the data have them, hard negatives."""

    def __init__(
        self, encoder: SentenceTransformer, settings: Settings, draws: Draws, *, max_tokens: int
    ) -> None:
        set_dropout(encoder, settings.dropout, draws.of("dropout"))
        super().__init__(encoder, max_tokens=max_tokens)
        self._settings = settings

    def views(self, rows: Sequence[Row], draws: Draws) -> list[list[Example]]:  # noqa: ARG002
        return question_views(self, rows, self._settings)

    def represent(self, examples: Sequence[Example], view: int) -> torch.Tensor:  # noqa: ARG002
        return unscaled(self.encoder, self.padded(examples))

    def loss(self, views: Sequence[torch.Tensor], rows: Sequence[Row]) -> torch.Tensor:
        questions, *documents = views
        if self._settings.loss == CONTRASTIVE:
            labels = torch.tensor([row["label"] for row in rows])
            if (labels > 1).any():
                raise DataError("settings.loss: contrastive reads labels 0 and 1, and the data have others.")
            return contrastive_loss(questions, documents[0], labels, margin=self._settings.margin)
        texts = [[row[column] for row in rows] for column in document_columns(rows)]
        known = false_negatives([row["text"] for row in rows], texts)
        return ranking_loss(questions, documents, known, scale=self._settings.scale)
