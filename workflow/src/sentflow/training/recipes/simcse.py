"""SimCSE, unsupervised and supervised, and permutations as positives.

Gao et al. 2021 (arXiv 2104.08821), princeton-nlp/SimCSE@49fa580a; Yoo et al. 2022 (HCLT, pp. 360-365),
HYU-NLP/Korean-Sentence-Representations@b03e1514, `SimCSE_mul`.
"""

from collections.abc import Collection, Iterator, Sequence

import torch
from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
from sentence_transformers.util import cos_sim

from sentflow.training.contract import Example, Objective, Row, recipe
from sentflow.training.draws import Draws
from sentflow.training.language_modelling import NOT_PREDICTED, LanguageModelling
from sentflow.training.layers import new_dense, put_before_scaling
from sentflow.training.recipes.settings import SimCSE as Settings


def shuffled_words(text: str, draws: Draws) -> str:
    """The words between white space in another order, perhaps the one that they had, with one space between."""
    words = text.split()
    return " ".join(words[place] for place in draws.generator().permutation(len(words)))


def shuffled_tokens(ids: Sequence[int], draws: Draws, *, fixed: Collection[int] = ()) -> list[int]:
    """The ids of a text, cut and not padded, in another order; `fixed` ids keep their place.

    Without any, as in the study, special tokens move, too, and what is read out at the first place is any token.
    """
    places = [place for place, token in enumerate(ids) if token not in fixed]
    found = list(ids)
    for place, other in zip(places, draws.generator().permutation(places), strict=True):
        found[place] = ids[int(other)]
    return found


def in_batch_cross_entropy(
    anchors: torch.Tensor,
    positives: torch.Tensor,
    negatives: torch.Tensor | None = None,
    *,
    temperature: float,
    own_negative_weight: float = 0.0,
) -> torch.Tensor:
    """Cross-entropy of finding the positive of each anchor among those of all anchors; in one direction.

    `anchors`, `positives`, `negatives`: (n, d) float, row i of each belongs to the same example; with `negatives` there
    are 2n candidates per anchor. `temperature`: what cosines are divided by, > 0. `own_negative_weight`: added to the
    logit of the negative of the anchor's own example. Returns the mean over the n anchors; ln n for vectors that are
    all the same, ln 2n with negatives.

    Gao et al. 2021 (arXiv 2104.08821), equations 4 and 5; princeton-nlp/SimCSE@49fa580a, ``hard_negative_weight``.
    """
    candidates = [positives] if negatives is None else [positives, negatives]
    n = len(anchors)

    def cosines(queries: torch.Tensor, documents: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = cos_sim(queries, documents)
        if negatives is None or not own_negative_weight:
            return found
        # Multiplied by the scale together with the cosines, so the weight itself is added to the logit
        own = torch.eye(n, dtype=found.dtype, device=found.device) * own_negative_weight * temperature
        return found + torch.cat([torch.zeros_like(own), own], dim=1)

    loss = MultipleNegativesRankingLoss(model=None, scale=1 / temperature, similarity_fct=cosines)
    value: torch.Tensor = loss.compute_loss_from_embeddings([anchors, *candidates], None)
    return value


IN_TRAINING, KEPT = "mlp", "kept"
WHITESPACE, TOKENIZER, TOKENIZER_INSIDE = "whitespace", "tokenizer", "tokenizer-inside"


@recipe("simcse")
class SimCSE(Objective):
    """Views are anchors, positives and, where the data have them, negatives."""

    settings: Settings

    def build(self, draws: Draws) -> None:
        encoder, settings = self.encoder, self.settings
        self._once = draws.of("whitespace")
        head = new_dense(encoder, draws.of("head"))
        self.head = head if settings.head == IN_TRAINING else None
        if settings.head == KEPT:
            put_before_scaling(encoder, head)
        self.language = (
            LanguageModelling(encoder, draws.of("mlm"), instead="Write settings.mlm_weight: 0. ")
            if settings.mlm_weight
            else None
        )
        ends = encoder.tokenizer
        self._ends = {ends.cls_token_id, ends.sep_token_id, ends.bos_token_id, ends.eos_token_id}

    def views(self, rows: Sequence[Row], draws: Draws) -> list[list[Example]]:
        """A positive of single texts is the same text with other dropout."""
        anchors: list[Example] = [
            {"input_ids": self._anchor(row["text"], draws.of("anchor", place))}
            for place, row in enumerate(rows)
        ]
        views = [anchors, self.read([self._positive(row) for row in rows])]
        return [*views, self.read([row["negative"] for row in rows])] if "negative" in rows[0] else views

    def loss(self, views: Sequence[torch.Tensor], rows: Sequence[Row]) -> torch.Tensor:  # noqa: ARG002
        """The loss of what the head that belongs to training alone makes of the vectors."""
        if self.head is not None:
            views = [self.head({"sentence_embedding": view})["sentence_embedding"] for view in views]
        return in_batch_cross_entropy(
            *views,
            temperature=self.settings.temperature,
            own_negative_weight=self.settings.hard_negative_weight,
        )

    def further_losses(self, rows: Sequence[Row], draws: Draws) -> Iterator[torch.Tensor]:
        """The weighted mean of the cross-entropy over the masked tokens of all views, view by view."""
        if self.language is None:
            return
        texts = [
            [
                self.language.masked(example["input_ids"], draws.of("mlm", view, place))
                for place, example in enumerate(examples)
            ]
            for view, examples in enumerate(self.views(rows, draws))
        ]
        chosen = (value != NOT_PREDICTED for view in texts for _, expected in view for value in expected)
        total = sum(chosen)
        for view in texts if total else ():
            features = self.padded([{"input_ids": ids} for ids, _ in view])
            tokens = self.encoder[0](features)["token_embeddings"]
            found = self.language.predicted(tokens, [expected for _, expected in view])[:, 0].sum()
            yield self.settings.mlm_weight * found / total

    def _anchor(self, text: str, draws: Draws) -> list[int]:
        ids = self.tokens(text)
        permute = self.settings.permute
        if TOKENIZER in permute:
            return shuffled_tokens(ids, draws)
        return shuffled_tokens(ids, draws, fixed=self._ends) if TOKENIZER_INSIDE in permute else ids

    def _positive(self, row: Row) -> str:
        text: str = row["other"] if "other" in row else row["text"]
        # Before tokens are cut, so that other words may be left
        return shuffled_words(text, self._once.of(text)) if WHITESPACE in self.settings.permute else text
