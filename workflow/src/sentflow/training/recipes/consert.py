"""ConSERT: two augmented views of the embeddings of a sentence; unsupervised, supervised, or both at once.

Yan et al. 2021 (arXiv 2105.11741); yym6472/ConSERT@03c9e8ff;
HYU-NLP/Korean-Sentence-Representations@b03e1514, `ConSERT`.
"""

from collections.abc import Sequence

import torch
from sentence_transformers import SentenceTransformer

from sentflow.errors import DataError
from sentflow.training.contract import Example, Objective, Row, recipe
from sentflow.training.draws import Draws
from sentflow.training.dropout import set_dropout
from sentflow.training.losses.contrastive import nt_xent
from sentflow.training.losses.pairs import BLOCKS, pair_features
from sentflow.training.modules import unscaled
from sentflow.training.new_weights import seeded
from sentflow.training.recipes.settings import ConSERT as Settings
from sentflow.training.views.augmentations import ADVERSARIAL, NONE, SHUFFLE, Augmentation
from sentflow.training.views.embedding_stage import EmbeddingStage, adversarial_noise

UNSUPERVISED, SUPERVISED, JOINT = "unsupervised", "supervised", "joint"
SHARED = "shared"

_SIDES = ("text", "other")
_PLAIN = Augmentation(NONE)


@recipe("consert")
class ConSERT(Objective):
    """Every augmentation of every side (the texts; and the other texts of pairs) is a view of the contract."""

    def __init__(
        self, encoder: SentenceTransformer, settings: Settings, draws: Draws, *, max_tokens: int
    ) -> None:
        set_dropout(encoder, settings.dropout, draws.of("dropout"))
        super().__init__(encoder, max_tokens=max_tokens)
        self._settings = settings
        self._sides = _SIDES if settings.objective in (SUPERVISED, JOINT) else _SIDES[:1]
        self._passes, self._compared = _passes(settings)
        self._stage = _stage(encoder, self._passes)
        self.classifier: torch.nn.Linear | None = None
        if settings.objective != UNSUPERVISED:
            width = encoder.get_embedding_dimension() * BLOCKS[settings.pair_features]
            with seeded(draws.of("classifier")):
                self.classifier = torch.nn.Linear(width, settings.classes).to(encoder.device)

    def views(self, rows: Sequence[Row], draws: Draws) -> list[list[Example]]:
        """Pass by pass, and in each side by side."""
        if len(self._sides) > 1:
            self._check_labels(rows)
        ids = [[self.tokens(row[side]) for row in rows] for side in self._sides]
        return [
            [
                self._example(
                    augmentation, ids, side, place, rows, draws.of("pass", number, "side", side, place)
                )
                for place in range(len(rows))
            ]
            for number, augmentation in enumerate(self._passes)
            for side in range(len(self._sides))
        ]

    def represent(self, examples: Sequence[Example], view: int) -> torch.Tensor:
        """The vectors under the augmentation of this view."""
        augmentation = self._passes[view // len(self._sides)]
        features = self.padded(examples)
        if augmentation.name == NONE:
            return unscaled(self.encoder, features)
        assert self._stage is not None
        if augmentation.name == ADVERSARIAL:
            noise = self._noise(examples, augmentation.norm)[:, : features["input_ids"].shape[1]]
            with self._stage.added(noise):
                return unscaled(self.encoder, features)
        drawn = [example["drawn"] for example in examples]
        lengths = [len(example["input_ids"]) for example in examples]
        with self._stage.augmented(augmentation.name, drawn, lengths):
            return unscaled(self.encoder, features)

    def loss(self, views: Sequence[torch.Tensor], rows: Sequence[Row]) -> torch.Tensor:
        """The supervised term of the first pass, and the weighted NT-Xent of two passes, one term per side."""
        terms = []
        if self.classifier is not None:
            labels = [int(row["label"]) for row in rows]
            terms.append(self._cross_entropy(views[0], views[1], labels) / len(rows))
        if self._compared is not None:
            first, second = (number * len(self._sides) for number in self._compared)
            weight, temperature = self._settings.contrastive_weight, self._settings.temperature
            terms += [
                weight * nt_xent(views[first + side], views[second + side], temperature=temperature)
                for side in range(len(self._sides))
            ]
        return torch.stack(terms).sum()

    def _example(
        self,
        augmentation: Augmentation,
        ids: list[list[list[int]]],
        side: int,
        place: int,
        rows: Sequence[Row],
        draws: Draws,
    ) -> Example:
        own = ids[side][place]
        if augmentation.name == ADVERSARIAL:  # its noise depends on both texts and their label
            other = ids[1 - side][place]
            return {"input_ids": own, "pair": other, "side": side, "label": int(rows[place]["label"])}
        width = self._stage.width if self._stage else 0
        return {"input_ids": own, "drawn": augmentation.drawn(len(own), width, draws)}

    def _cross_entropy(self, u: torch.Tensor, v: torch.Tensor, labels: Sequence[int]) -> torch.Tensor:
        """Sum over the pairs."""
        assert self.classifier is not None
        logits = self.classifier(pair_features(u, v, form=self._settings.pair_features))
        truth = torch.tensor(labels, device=logits.device)
        return torch.nn.functional.cross_entropy(logits, truth, reduction="sum")

    def _noise(self, examples: Sequence[Example], norm: float) -> torch.Tensor:
        """(k, longest of both sides, H): up the gradient of the supervised term, token by token.

        That of a pair does not depend on the other pairs but for a factor, which the norm takes away; so a part of a
        batch has the noise that it has in the whole. It is the gradient of a pass of its own: with dropout, the
        supervised term itself is computed under other masks.
        """
        assert self._stage is not None
        n = len(examples)
        others = [{"input_ids": example["pair"]} for example in examples]
        with torch.enable_grad(), self._stage.leaf() as leaves:
            vectors = unscaled(self.encoder, self.padded([*examples, *others]))
            own, pair = vectors[:n], vectors[n:]
            u, v = (own, pair) if examples[0]["side"] == 0 else (pair, own)
            found = self._cross_entropy(u, v, [example["label"] for example in examples])
            (gradient,) = torch.autograd.grad(found, leaves)
        return adversarial_noise(gradient[:n], norm=norm)

    def _check_labels(self, rows: Sequence[Row]) -> None:
        classes = self._settings.classes
        for row in rows:
            if "other" not in row or row.get("label") not in range(classes):
                raise DataError(
                    f"objective: {self._settings.objective} needs pairs of texts with a label below {classes}, and "
                    f"{row['text']!r} has {'the label ' + str(row['label']) if 'label' in row else 'none'}. Take "
                    f"labelled pairs, set settings.classes, or write objective: {UNSUPERVISED}."
                )


def _passes(settings: Settings) -> tuple[list[Augmentation], tuple[int, int] | None]:
    """The augmentations to compute, each once, and which two are compared. A supervised term reads the first."""
    views = [Augmentation(**view.as_dict()) for view in settings.views]
    if settings.objective == SUPERVISED:
        return [_PLAIN], None
    passes = [_PLAIN] if settings.objective == JOINT else []
    numbers = []
    for view in views:
        if settings.none_view == SHARED and view == _PLAIN and _PLAIN in passes:
            numbers.append(passes.index(_PLAIN))
        else:
            numbers.append(len(passes))
            passes.append(view)
    return passes, (numbers[0], numbers[1])


def _stage(encoder: SentenceTransformer, passes: Sequence[Augmentation]) -> EmbeddingStage | None:
    names = {augmentation.name for augmentation in passes} - {NONE}
    if not names:
        return None
    stage = EmbeddingStage(encoder)
    if SHUFFLE in names:
        stage.check_positions()
    return stage
