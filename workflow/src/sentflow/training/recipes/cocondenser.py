"""coCondenser: Condenser, and two spans of one document find each other among all spans of a batch.

Gao and Callan 2022 (arXiv 2108.05540), luyug/Condenser, `CoCondenserForPretraining`.
"""

from collections.abc import Sequence
from typing import Any

import torch

from sentflow.training.contract import Example, Row, recipe
from sentflow.training.draws import Draws
from sentflow.training.recipes.condenser import Condenser
from sentflow.training.recipes.settings import Cocondenser as Settings

UPSTREAM = "language-model-twice"


@recipe("cocondenser")
class CoCondenser(Condenser):
    """Two views: a drawn span of each document, and another one.

    ``language-model-twice`` gives the language model twice its weight, as the released code does with its gradient
    cache: it divides by documents and adds up over spans.
    """

    settings: Settings

    def views(self, rows: Sequence[Row], draws: Draws) -> list[list[Example]]:
        views: list[list[Example]] = [[], []]
        for place, row in enumerate(rows):
            spans = row["text"].split("\n")
            chosen = draws.of("spans", place).generator().permutation(len(spans))[:2]
            for view, number in enumerate(chosen):
                ids = self.tokens(spans[number])
                hidden, expected = self.language.masked(ids, draws.of("mask", view, place))
                views[view].append({"input_ids": hidden, "expected": expected})
        return views

    def represent(self, examples: Sequence[Example], view: int) -> dict[str, torch.Tensor]:  # noqa: ARG002
        """Per span what it is represented by in `Condenser`, (k, 3 or 6), and its vector, (k, H)."""
        parts, vectors = self._parts(examples)
        return {"parts": parts, "vectors": vectors}

    def loss(self, views: Sequence[Any], rows: Sequence[Row]) -> torch.Tensor:
        """Mean cross-entropy over hidden tokens, plus that of each span's partner among all others, by dot product."""
        parts, vectors = self._apart(views)
        weight = 2.0 if UPSTREAM in self.settings.defects else 1.0
        return weight * super().loss([parts], rows) + partner_cross_entropy(*vectors)

    def measures(self, views: Sequence[Any], rows: Sequence[Row]) -> dict[str, tuple[float, int]]:
        """The loss of a batch, what `Condenser` measures, and the second term for itself."""
        parts, vectors = self._apart(views)
        scores, partners = partner_scores(*vectors)
        n = len(partners)
        return {
            **super().measures([parts], rows),
            "loss": (self.loss(views, rows).item(), 1),
            "partner_loss": (n * torch.nn.functional.cross_entropy(scores, partners).item(), n),
            "partner_accuracy": (float((scores.argmax(dim=1) == partners).sum()), n),
        }

    def _apart(self, views: Sequence[Any]) -> tuple[torch.Tensor, list[torch.Tensor]]:
        """What the language model makes of all spans, and the vectors of each view."""
        return torch.cat([view["parts"] for view in views]), [view["vectors"] for view in views]


def partner_cross_entropy(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """Mean cross-entropy of finding the other vector of a pair of rows, (n, H) each, among all others."""
    return torch.nn.functional.cross_entropy(*partner_scores(first, second))


def partner_scores(first: torch.Tensor, second: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Dot products of all vectors, (2n, 2n), −∞ of each with itself; and the place of the partner of each, (2n,)."""
    vectors = torch.cat([first, second])
    scores = (vectors @ vectors.T).fill_diagonal_(-torch.inf)
    n = len(first)
    return scores, torch.arange(2 * n, device=vectors.device).roll(n)
