"""CoSENT: of two pairs, the one with the higher label is to have the higher cosine, in every batch.

Su 2022 (kexue.fm/archives/8847); `CoSENTLoss` of sentence-transformers 6.2.0 is the oracle of the tests.
"""

from collections.abc import Sequence

import torch
from sentence_transformers.util import pairwise_cos_sim

from sentflow.training.contract import Example, Objective, Row, recipe
from sentflow.training.draws import Draws
from sentflow.training.recipes.settings import CoSENT as Settings


@recipe("cosent")
class CoSENT(Objective):
    """Views are the texts and the other texts of pairs."""

    settings: Settings

    def views(self, rows: Sequence[Row], draws: Draws) -> list[list[Example]]:  # noqa: ARG002
        return [self.read([row[side] for row in rows]) for side in ("text", "other")]

    def loss(self, views: Sequence[torch.Tensor], rows: Sequence[Row]) -> torch.Tensor:
        """log(1 + Σ exp(scale · (cos i − cos j))) over all pairs i, j of rows of which j has the higher label."""
        scores = self.settings.scale * pairwise_cos_sim(*views)
        labels = torch.tensor([row["label"] for row in rows], device=scores.device)
        is_lower = labels[:, None] < labels[None, :]
        differences = (scores[:, None] - scores[None, :])[is_lower]
        return torch.logsumexp(torch.cat([differences, scores.new_zeros(1)]), dim=0)
