"""SimCSE, unsupervised and supervised, and permutations as positives.

Gao et al. 2021 (arXiv 2104.08821), princeton-nlp/SimCSE@49fa580a; Yoo et al. 2022 (HCLT, pp. 360-365),
HYU-NLP/Korean-Sentence-Representations@b03e1514, `SimCSE_mul`.
"""

from collections.abc import Collection, Iterator, Sequence

import torch
from sentence_transformers import SentenceTransformer

from sentflow.training.contract import Example, Objective, Row, recipe
from sentflow.training.contrastive import in_batch_cross_entropy
from sentflow.training.draws import Draws
from sentflow.training.dropout import set_dropout
from sentflow.training.language_modelling import LanguageModelling, n_predicted
from sentflow.training.layers import new_dense, put_before_scaling, unscaled
from sentflow.training.recipes.settings import SimCSE as Settings


def shuffled_words(text: str, draws: Draws) -> str:
    """The words between white space in another order, with one space between them.

    A text of one word stays as it is, and the drawn order may be the one that the words had.
    """
    words = text.split()
    return " ".join(words[place] for place in draws.generator().permutation(len(words)))


def shuffled_tokens(ids: Sequence[int], draws: Draws, *, fixed: Collection[int] = ()) -> list[int]:
    """The ids of a text in another order.

    `ids`: with special tokens, cut to their number, not padded. `fixed`: ids that keep their place. None is what the
    study does: special tokens move, too, and what is read out at the first place is then the vector of any token.
    """
    places = [place for place, token in enumerate(ids) if token not in fixed]
    found = list(ids)
    for place, other in zip(places, draws.generator().permutation(places), strict=True):
        found[place] = ids[int(other)]
    return found


IN_TRAINING, KEPT = "mlp", "kept"
WHITESPACE, TOKENIZER, TOKENIZER_INSIDE = "whitespace", "tokenizer", "tokenizer-inside"


@recipe("simcse")
class SimCSE(Objective):
    """Views are anchors, positives and, where the data have them, negatives."""

    def __init__(
        self, encoder: SentenceTransformer, settings: Settings, draws: Draws, *, max_tokens: int
    ) -> None:
        set_dropout(encoder, settings.dropout, draws.of("dropout"))
        super().__init__(encoder, max_tokens=max_tokens)
        self._settings = settings
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
        anchors = [self._anchor(row["text"], draws.of("anchor", place)) for place, row in enumerate(rows)]
        views = [anchors, [self.tokens(self._positive(row)) for row in rows]]
        if "negative" in rows[0]:
            views.append([self.tokens(row["negative"]) for row in rows])
        return [[{"input_ids": ids} for ids in view] for view in views]

    def represent(self, examples: Sequence[Example], view: int) -> torch.Tensor:  # noqa: ARG002
        return unscaled(self.encoder, self.padded(examples))

    def loss(self, views: Sequence[torch.Tensor], rows: Sequence[Row]) -> torch.Tensor:  # noqa: ARG002
        """The loss of what the head that belongs to training alone makes of the vectors."""
        if self.head is not None:
            views = [self.head({"sentence_embedding": view})["sentence_embedding"] for view in views]
        return in_batch_cross_entropy(
            *views,
            temperature=self._settings.temperature,
            own_negative_weight=self._settings.hard_negative_weight,
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
        total = sum(n_predicted([expected for _, expected in view]) for view in texts)
        for view in texts if total else ():
            features = self.padded([{"input_ids": ids} for ids, _ in view])
            tokens = self.encoder[0](features)["token_embeddings"]
            found = self.language.cross_entropy(tokens, [expected for _, expected in view]).sum()
            yield self._settings.mlm_weight * found / total

    def _anchor(self, text: str, draws: Draws) -> list[int]:
        ids = self.tokens(text)
        permute = self._settings.permute
        if TOKENIZER in permute:
            return shuffled_tokens(ids, draws)
        return shuffled_tokens(ids, draws, fixed=self._ends) if TOKENIZER_INSIDE in permute else ids

    def _positive(self, row: Row) -> str:
        text: str = row["other"] if "other" in row else row["text"]
        # Before tokens are cut, so that other words may be left
        return shuffled_words(text, self._once.of(text)) if WHITESPACE in self._settings.permute else text
