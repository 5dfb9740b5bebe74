"""Masked language modelling: an encoder reads texts with hidden tokens and says what they were.

Devlin et al. 2019 (arXiv 1810.04805); before retrieval: Gururangan et al. 2020 (arXiv 2004.10964).
"""

from collections.abc import Sequence

import torch

from sentflow.training.contract import Example, Objective, Represented, Row, recipe
from sentflow.training.draws import Draws
from sentflow.training.language_modelling import LanguageModelling
from sentflow.training.layers import transformer_of
from sentflow.training.recipes.settings import MLM, Cocondenser, Condenser

WORDS = "words"
PACKED = "packed"


@recipe("mlm")
class MaskedLanguageModelling(Objective):
    """One view, the texts with hidden tokens. What a text is represented by is its part of the loss."""

    # predicting: what predicts, as prefixes of measures; a text has the three numbers of `predicted` for each
    predicting: tuple[str, ...] = ("",)

    settings: MLM | Condenser | Cocondenser

    def build(self, draws: Draws) -> None:
        whole_words = self.settings.masking == WORDS
        self.language = LanguageModelling(self.encoder, draws.of("head"), tied=True, whole_words=whole_words)

    def views(self, rows: Sequence[Row], draws: Draws) -> list[list[Example]]:
        """Packed, there are as many examples as the texts of the step fill."""
        packed = not isinstance(self.settings, Cocondenser) and self.settings.packing == PACKED
        texts = self._blocks(rows) if packed else [self.tokens(row["text"]) for row in rows]
        masked = [self.language.masked(ids, draws.of("mask", place)) for place, ids in enumerate(texts)]
        return [[{"input_ids": ids, "expected": expected} for ids, expected in masked]]

    def represent(self, examples: Sequence[Example], view: int) -> Represented:  # noqa: ARG002
        """(k, 3), the numbers of `LanguageModelling.predicted`."""
        tokens = transformer_of(self.encoder)(self.padded(examples))["token_embeddings"]
        return self.language.predicted(tokens, [example["expected"] for example in examples])

    def loss(self, views: Sequence[torch.Tensor], rows: Sequence[Row]) -> torch.Tensor:  # noqa: ARG002
        """Mean cross-entropy over the hidden tokens of all texts; the sum of those of all that predict."""
        sums = self._sums(views)
        return sums[:, 0].sum() / sums[0, 1].clamp(min=1)

    def measures(
        self,
        views: Sequence[torch.Tensor],
        rows: Sequence[Row],  # noqa: ARG002
    ) -> dict[str, tuple[float, int]]:
        """The loss per hidden token and, of each that predicts, its own and its accuracy."""
        sums = self._sums(views)
        n = int(sums[0, 1])
        found = {"loss": (sums[:, 0].sum().item(), n)}
        for name, (loss, _, right) in zip(self.predicting, sums.tolist(), strict=True):
            found |= {f"{name}loss": (loss, n), f"{name}accuracy": (right, n)}
        return found

    def _sums(self, views: Sequence[torch.Tensor]) -> torch.Tensor:
        """Over all texts, a row for each that predicts, (p, 3)."""
        (parts,) = views
        return parts.sum(dim=0).view(len(self.predicting), -1)

    def heads(self) -> dict[str, torch.Tensor]:
        return self.language.kept()

    def _blocks(self, rows: Sequence[Row]) -> list[list[int]]:
        """The texts of a step one behind the other, cut into as many tokens as are read at once."""
        tokenizer = self.encoder.tokenizer
        ids = [one for row in rows for one in tokenizer(row["text"], add_special_tokens=False)["input_ids"]]
        # The special tokens that it puts before a text, and behind it
        around = tokenizer("a", return_special_tokens_mask=True)
        special, places = around["special_tokens_mask"], around["input_ids"]
        first = places[: special.index(0)]
        last = places[len(places) - special[::-1].index(0) :]
        room = self.max_tokens - len(first) - len(last)
        return [[*first, *ids[start : start + room], *last] for start in range(0, len(ids), room)]
