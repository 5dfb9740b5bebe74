"""ConSERT: two augmented views of the embeddings of a sentence; unsupervised, supervised, or both at once.

Yan et al. 2021 (arXiv 2105.11741); yym6472/ConSERT@03c9e8ff; HYU-NLP/Korean-Sentence-Representations@b03e1514.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
from torch.utils.hooks import RemovableHandle

from sentflow.errors import ConfigError, DataError
from sentflow.training.contract import Example, Objective, Row, recipe
from sentflow.training.draws import Draws
from sentflow.training.layers import transformer_of, unscaled
from sentflow.training.recipes.settings import ConSERT as Settings
from sentflow.training.recipes.settings import View

DIFFERENCE = "difference"
DIFFERENCE_AND_SQUARE = "difference-and-square"
BLOCKS = {DIFFERENCE: 3, DIFFERENCE_AND_SQUARE: 4}
"""Name of a form → how many vectors it joins."""


def pair_features(u: torch.Tensor, v: torch.Tensor, *, form: str) -> torch.Tensor:
    """The (n, d) vectors of two texts beside one another, (n, 3 d) or (n, 4 d).

    ``"difference"``: u, v and the absolute difference (Reimers and Gurevych 2019, section 3; the paper of ConSERT).
    ``"difference-and-square"``: the square of the greater value as a fourth block (yym6472/ConSERT@03c9e8ff).
    """
    blocks = [u, v, (u - v).abs()]
    if form == DIFFERENCE_AND_SQUARE:
        blocks.append(torch.maximum(u, v) ** 2)
    return torch.cat(blocks, dim=1)


def nt_xent(first: torch.Tensor, second: torch.Tensor, *, temperature: float) -> torch.Tensor:
    """NT-Xent of two views, the sum of both directions; the other sentences of the same view are negatives, too.

    `first`, `second`: (n, d) float, row i of both is the same sentence. `temperature`: what cosines are divided by.
    Returns twice the mean over 2n anchors of the paper; 2 ln(2n − 1) for vectors that are all the same. Yan et al. 2021
    (arXiv 2105.11741), section 3; the sum is that of yym6472/ConSERT@03c9e8ff.
    """
    loss = MultipleNegativesRankingLoss(
        model=None, scale=1 / temperature, directions=("query_to_doc", "query_to_query")
    )
    of = loss.compute_loss_from_embeddings
    both: torch.Tensor = of([first, second], None) + of([second, first], None)
    return both


SHUFFLE = "shuffle"
CUTOFF_TOKENS = "token-cutoff"
CUTOFF_FEATURES = "feature-cutoff"
DROPOUT = "dropout"
ADVERSARIAL = "adversarial"
NONE = "none"

Indices = NDArray[np.int64]


def drawn(view: View, n_tokens: int, width: int, draws: Draws) -> Indices | None:
    """Indices below n, below `width`, or below n · width, ascending but for a shuffle; None where nothing is drawn."""
    if view.name == SHUFFLE:
        return draws.generator().permutation(n_tokens)
    totals = {CUTOFF_TOKENS: n_tokens, CUTOFF_FEATURES: width, DROPOUT: n_tokens * width}
    if view.name not in totals:
        return None
    total, rate = totals[view.name], view.rate or 0.0
    chosen = draws.generator().choice(total, size=int(total * rate), replace=False, shuffle=False)
    return np.sort(chosen)


_POSITIONS = "position_embeddings"
_ADVERSARIAL_EPSILON = 1e-10  # of yym6472/ConSERT@03c9e8ff


class EmbeddingStage:
    """The embedding module of an encoder, as BERT and RoBERTa have it; changes are made inside a ``with`` alone.

    `width`: H, of its vectors. `shuffles`: whether position ids are moved. Raises ConfigError: the encoder has no such
    module, or no table of positions.
    """

    def __init__(self, encoder: SentenceTransformer, *, shuffles: bool = False) -> None:
        network = transformer_of(encoder).auto_model
        module = getattr(network, "embeddings", None)
        if not isinstance(module, torch.nn.Module):
            raise ConfigError(
                f"settings.views: a {type(network).__name__} has no embedding module whose output could be "
                "changed. Start from a BERT or a RoBERTa, or write views: [{name: none}, {name: none}]."
            )
        if shuffles and not isinstance(getattr(module, _POSITIONS, None), torch.nn.Embedding):
            raise ConfigError(
                f"settings.views: shuffle moves position ids, but {type(module).__name__} has no position "
                "embeddings. Start from a BERT or a RoBERTa, or write another view."
            )
        self._module = module
        self.width = int(network.get_input_embeddings().embedding_dim)

    def augmented(self, name: str, found: Sequence[Indices], lengths: Sequence[int]) -> RemovableHandle:
        """Apply a view that was drawn sentence by sentence, see `drawn`, inside a ``with``."""

        def cut(output: torch.Tensor) -> torch.Tensor:
            zeros = torch.from_numpy(_zeros(name, found, lengths, output.shape))
            return output.masked_fill(zeros.to(output.device), 0)

        def shuffled(_module: torch.nn.Module, inputs: tuple[Any, ...]) -> tuple[torch.Tensor]:
            ids: torch.Tensor = inputs[0]  # (1 or k, L): models without an offset give all sentences the same
            places = np.tile(np.arange(ids.shape[-1]), (len(found), 1))
            for row, order in enumerate(found):
                places[row, : len(order)] = order
            ids = ids.expand(len(found), -1)
            return (ids.gather(1, torch.from_numpy(places).to(ids.device)),)

        if name == SHUFFLE:
            return self._module.get_submodule(_POSITIONS).register_forward_pre_hook(shuffled)
        return self.changed(cut)

    def changed(self, change: Callable[[torch.Tensor], torch.Tensor]) -> RemovableHandle:
        """Change the output of the module, (k, L, H), inside a ``with``."""
        return self._module.register_forward_hook(lambda _module, _inputs, output: change(output))


def adversarial_noise(gradient: torch.Tensor, *, norm: float) -> torch.Tensor:
    """`norm` long for every token, where a loss grows fastest by its (k, L, H) gradient; 0 where that is (padding)."""
    lengths = gradient.norm(dim=-1, keepdim=True) + _ADVERSARIAL_EPSILON
    noise: torch.Tensor = norm * gradient / lengths
    return noise


def _zeros(name: str, found: Sequence[Indices], lengths: Sequence[int], shape: torch.Size) -> np.ndarray:
    """(k, L, H) bool: what is set to 0."""
    zeros = np.zeros(shape, dtype=bool)
    for sentence, indices, n_tokens in zip(zeros, found, lengths, strict=True):
        tokens = sentence[:n_tokens]
        if name == CUTOFF_TOKENS:
            tokens[indices] = True
        elif name == CUTOFF_FEATURES:
            tokens[:, indices] = True
        else:
            tokens.reshape(-1)[indices] = True
    return zeros


UNSUPERVISED, SUPERVISED, JOINT = "unsupervised", "supervised", "joint"
SHARED = "shared"

_SIDES = ("text", "other")
_PLAIN = View(name="none")


@recipe("consert")
class ConSERT(Objective):
    """Every augmentation of every side (the texts; and the other texts of pairs) is a view of the contract."""

    settings: Settings

    def build(self, draws: Draws) -> None:
        encoder, settings = self.encoder, self.settings
        self._sides = _SIDES if settings.objective in (SUPERVISED, JOINT) else _SIDES[:1]
        self._passes, self._compared = _passes(settings)
        names = {view.name for view in self._passes} - {NONE}
        self._stage = EmbeddingStage(encoder, shuffles=SHUFFLE in names) if names else None
        self.classifier: torch.nn.Linear | None = None
        if settings.objective != UNSUPERVISED:
            width = encoder.get_embedding_dimension() * BLOCKS[settings.pair_features]
            with draws.of("classifier").seeded():
                self.classifier = torch.nn.Linear(width, settings.classes).to(encoder.device)

    def views(self, rows: Sequence[Row], draws: Draws) -> list[list[Example]]:
        """Pass by pass, and in each side by side."""
        if len(self._sides) > 1:
            self._check_labels(rows)
        ids = [[self.tokens(row[side]) for row in rows] for side in self._sides]
        width = self._stage.width if self._stage else 0

        def example(number: int, augmentation: View, side: int, place: int) -> Example:
            own = ids[side][place]
            if augmentation.name == ADVERSARIAL:  # its noise depends on both texts and their label
                other = ids[1 - side][place]
                return {"input_ids": own, "pair": other, "side": side, "label": int(rows[place]["label"])}
            own_draws = draws.of("pass", number, "side", side, place)
            return {"input_ids": own, "drawn": drawn(augmentation, len(own), width, own_draws)}

        return [
            [example(number, augmentation, side, place) for place in range(len(rows))]
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
            noise = self._noise(examples, augmentation.norm or 1.0)[:, : features["input_ids"].shape[1]]
            with self._stage.changed(lambda output: output + noise):
                return unscaled(self.encoder, features)
        found = [example["drawn"] for example in examples]
        lengths = [len(example["input_ids"]) for example in examples]
        with self._stage.augmented(augmentation.name, found, lengths):
            return unscaled(self.encoder, features)

    def loss(self, views: Sequence[torch.Tensor], rows: Sequence[Row]) -> torch.Tensor:
        """The supervised term of the first pass, and the weighted NT-Xent of two passes, one term per side."""
        terms = []
        if self.classifier is not None:
            labels = [int(row["label"]) for row in rows]
            terms.append(self._cross_entropy(views[0], views[1], labels) / len(rows))
        if self._compared is not None:
            first, second = (number * len(self._sides) for number in self._compared)
            weight, temperature = self.settings.contrastive_weight, self.settings.temperature
            terms += [
                weight * nt_xent(views[first + side], views[second + side], temperature=temperature)
                for side in range(len(self._sides))
            ]
        return torch.stack(terms).sum()

    def _cross_entropy(self, u: torch.Tensor, v: torch.Tensor, labels: Sequence[int]) -> torch.Tensor:
        """Sum over the pairs."""
        assert self.classifier is not None
        logits = self.classifier(pair_features(u, v, form=self.settings.pair_features))
        truth = torch.tensor(labels, device=logits.device)
        return torch.nn.functional.cross_entropy(logits, truth, reduction="sum")

    def _noise(self, examples: Sequence[Example], norm: float) -> torch.Tensor:
        """(k, longest of both sides, H): up the gradient of the supervised term, of a pass of its own, token by token.

        That of a pair depends on the other pairs by a factor alone, which the norm takes away, so chunks have equal
        noise.
        """
        assert self._stage is not None
        n = len(examples)
        others = [{"input_ids": example["pair"]} for example in examples]
        leaves: list[torch.Tensor] = []

        def cut_off(output: torch.Tensor) -> torch.Tensor:
            """The start of the graph."""
            leaves.append(output.detach().requires_grad_())
            return leaves[-1]

        with torch.enable_grad(), self._stage.changed(cut_off):
            vectors = unscaled(self.encoder, self.padded([*examples, *others]))
            own, pair = vectors[:n], vectors[n:]
            u, v = (own, pair) if examples[0]["side"] == 0 else (pair, own)
            found = self._cross_entropy(u, v, [example["label"] for example in examples])
            (gradient,) = torch.autograd.grad(found, leaves)
        return adversarial_noise(gradient[:n], norm=norm)

    def _check_labels(self, rows: Sequence[Row]) -> None:
        classes = self.settings.classes
        for row in rows:
            if "other" not in row or row.get("label") not in range(classes):
                raise DataError(
                    f"objective: {self.settings.objective} needs pairs of texts with a label below {classes}, and "
                    f"{row['text']!r} has {'the label ' + str(row['label']) if 'label' in row else 'none'}. Take "
                    f"labelled pairs, set settings.classes, or write objective: {UNSUPERVISED}."
                )


def _passes(settings: Settings) -> tuple[list[View], tuple[int, int] | None]:
    """The views to compute, each once, and which two are compared. A supervised term reads the first."""
    if settings.objective == SUPERVISED:
        return [_PLAIN], None
    passes = [_PLAIN] if settings.objective == JOINT else []
    numbers = []
    for view in settings.views:
        if settings.none_view == SHARED and view == _PLAIN and _PLAIN in passes:
            numbers.append(passes.index(_PLAIN))
        else:
            numbers.append(len(passes))
            passes.append(view)
    return passes, (numbers[0], numbers[1])
