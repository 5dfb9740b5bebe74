"""Contrastive tension: two copies of an encoder, trained apart from one another, find the same text in each other.

Carlsson et al. 2021 (ICLR); sentence-transformers 6.2.0, `ContrastiveTensionLoss` and
`ContrastiveTensionLossInBatchNegatives`, which encode inside the loss, so they are written anew here.
"""

import copy
import math
from collections.abc import Sequence

import torch
from sentence_transformers.util import cos_sim

from sentflow.training.contract import Example, Objective, Row, recipe
from sentflow.training.draws import Draws
from sentflow.training.layers import unscaled
from sentflow.training.recipes.settings import CT as Settings

IN_BATCH, PAIRS = "in-batch", "pairs"

_COPY, _EXPORTED = 0, 1


@recipe("ct")
class ContrastiveTension(Objective):
    """The first view is read by the copy, the second by the encoder that is exported.

    ``in-batch``: both read the same texts, and all other texts are negatives. ``pairs``, as published: the batch is cut
    into groups of 1 + ``negatives`` texts, and the copy reads the first of its group every time.
    """

    settings: Settings

    def build(self, draws: Draws) -> None:  # noqa: ARG002
        self.other = copy.deepcopy(self.encoder)
        if self.settings.objective == IN_BATCH:
            self.log_scale = torch.nn.Parameter(torch.tensor(math.log(self.settings.scale)))

    def views(self, rows: Sequence[Row], draws: Draws) -> list[list[Example]]:  # noqa: ARG002
        own = self.read([row["text"] for row in rows])
        if self.settings.objective == IN_BATCH:
            return [own, own]
        return [[own[self._first(place)] for place in range(len(rows))], own]

    def represent(self, examples: Sequence[Example], view: int) -> torch.Tensor:
        return unscaled(self.other if view == _COPY else self.encoder, self.padded(examples))

    def loss(self, views: Sequence[torch.Tensor], rows: Sequence[Row]) -> torch.Tensor:
        """In-batch: cross-entropy of finding the same text, mean of both directions; pairs: see `tension`."""
        first, second = views
        if self.settings.objective == PAIRS:
            same = [row["text"] == rows[self._first(place)]["text"] for place, row in enumerate(rows)]
            return tension(first, second, torch.tensor(same, device=first.device))
        found = cos_sim(first, second) * self.log_scale.exp()
        labels = torch.arange(len(rows), device=found.device)
        cross_entropy = torch.nn.functional.cross_entropy
        return (cross_entropy(found, labels) + cross_entropy(found.T, labels)) / 2

    def _first(self, place: int) -> int:
        """The place of the first text of a group."""
        return place - place % (self.settings.negatives + 1)


def tension(first: torch.Tensor, second: torch.Tensor, same: torch.Tensor) -> torch.Tensor:
    """The sum over pairs of the binary cross-entropy of dot products; `same`: (n,) bool, whether the texts are."""
    products = (first * second).sum(dim=1)
    return torch.nn.functional.binary_cross_entropy_with_logits(products, same.to(products), reduction="sum")
