"""ConSERT: two augmented views of the embeddings of a sentence; unsupervised, supervised, or both at once.

Yan et al. 2021 (arXiv 2105.11741); yym6472/ConSERT@03c9e8ff;
HYU-NLP/Korean-Sentence-Representations@b03e1514, `ConSERT`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

from sentflow.errors import ConfigError, DataError
from sentflow.training.contract import Example, Objective, Row, recipe
from sentflow.training.draws import Draws
from sentflow.training.layers import transformer_of, unscaled
from sentflow.training.recipes.settings import ConSERT as Settings

DIFFERENCE = "difference"
DIFFERENCE_AND_SQUARE = "difference-and-square"
BLOCKS = {DIFFERENCE: 3, DIFFERENCE_AND_SQUARE: 4}
"""Name of a form → how many vectors it joins."""


def pair_features(u: torch.Tensor, v: torch.Tensor, *, form: str) -> torch.Tensor:
    """The vectors of two texts beside one another.

    `u`, `v`: (n, d) float. `form`: ``"difference"``: u, v and the absolute difference (Reimers and Gurevych 2019,
    section 3; the paper of ConSERT; `SoftmaxLoss` of sentence-transformers). ``"difference-and-square"``: the square of
    the greater value as a fourth block (the released scripts of yym6472/ConSERT@03c9e8ff). Returns (n, 3 d) or (n, 4
    d).
    """
    blocks = [u, v, (u - v).abs()]
    if form == DIFFERENCE_AND_SQUARE:
        blocks.append(torch.maximum(u, v) ** 2)
    return torch.cat(blocks, dim=1)


def nt_xent(first: torch.Tensor, second: torch.Tensor, *, temperature: float) -> torch.Tensor:
    """NT-Xent of two views, the sum of both directions; the other sentences of the same view are negatives, too.

    `first`, `second`: (n, d) float, row i of both is the same sentence. `temperature`: what cosines are divided by, >
    0. Returns a scalar, a mean over n for each view as anchor, added: twice the mean over 2n anchors of the paper. The
    order of the views does not matter; 2 ln(2n − 1) for vectors that are all the same.

    Yan et al. 2021 (arXiv 2105.11741), section 3; the sum is that of yym6472/ConSERT@03c9e8ff.
    """
    loss = MultipleNegativesRankingLoss(
        model=None, scale=1 / temperature, directions=("query_to_doc", "query_to_query")
    )
    both: torch.Tensor = loss.compute_loss_from_embeddings(
        [first, second], None
    ) + loss.compute_loss_from_embeddings([second, first], None)
    return both


SHUFFLE = "shuffle"
CUTOFF_TOKENS = "token-cutoff"
CUTOFF_FEATURES = "feature-cutoff"
DROPOUT = "dropout"
ADVERSARIAL = "adversarial"
NONE = "none"

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Augmentation:
    """A view by its name."""

    # name: `SHUFFLE` of the position ids, `CUTOFF_TOKENS`, `CUTOFF_FEATURES`, `DROPOUT` of single values without
    # rescaling, `ADVERSARIAL`, or `NONE`
    name: str
    # rate: share of tokens, features or values that are set to 0, in [0, 1); the number is rounded down
    rate: float = 0.0
    norm: float = 1.0  # length of the adversarial noise of a token, > 0

    def drawn(self, n_tokens: int, width: int, draws: Draws) -> Indices | None:
        """Indices below n, or below `width`, or below n · width; None of a view of which nothing is drawn."""
        draw = _DRAWN.get(self.name)
        return None if draw is None else draw(n_tokens, width, self.rate, draws.generator())


def _some(total: int, rate: float, generator: np.random.Generator) -> Indices:
    """``floor(total * rate)`` different indices below `total`, ascending."""
    return np.sort(generator.choice(total, size=int(total * rate), replace=False, shuffle=False))


_DRAWN: Mapping[str, Callable[[int, int, float, np.random.Generator], Indices]] = {
    SHUFFLE: lambda n, _width, _rate, generator: generator.permutation(n),
    CUTOFF_TOKENS: lambda n, _width, rate, generator: _some(n, rate, generator),
    CUTOFF_FEATURES: lambda _n, width, rate, generator: _some(width, rate, generator),
    DROPOUT: lambda n, width, rate, generator: _some(n * width, rate, generator),
}

_POSITIONS = "position_embeddings"
_ADVERSARIAL_EPSILON = 1e-10  # of yym6472/ConSERT@03c9e8ff


class EmbeddingStage:
    """The embedding module of an encoder, as BERT and RoBERTa and what is built like them have it.

    Nothing stays in the encoder: every change is made for the forward passes inside a ``with``. `width` is H, of the
    vectors that the module gives.
    """

    def __init__(self, encoder: SentenceTransformer) -> None:
        network = transformer_of(encoder).auto_model
        module = getattr(network, "embeddings", None)
        if not isinstance(module, torch.nn.Module):
            raise ConfigError(
                f"settings.views: a {type(network).__name__} has no embedding module whose output could be "
                "changed. Start from a BERT or a RoBERTa, or write views: [{name: none}, {name: none}]."
            )
        self._module = module
        self.width = int(network.get_input_embeddings().embedding_dim)

    def check_positions(self) -> None:
        """Refuse a model without a table of positions.

        Raises ConfigError: position ids are not looked up in this model, so there is nothing to shuffle.
        """
        if not isinstance(getattr(self._module, _POSITIONS, None), torch.nn.Embedding):
            raise ConfigError(
                f"settings.views: shuffle moves position ids, but {type(self._module).__name__} has no position "
                "embeddings. Start from a BERT or a RoBERTa, or write another view."
            )

    @contextmanager
    def augmented(self, name: str, drawn: Sequence[Indices], lengths: Sequence[int]) -> Iterator[None]:
        """Apply a view that was drawn sentence by sentence, see `Augmentation.drawn`.

        `name`: `SHUFFLE`, `CUTOFF_TOKENS`, `CUTOFF_FEATURES` or `DROPOUT`.
        """
        if name == SHUFFLE:
            with self._positions(drawn):
                yield
        else:

            def cut(output: torch.Tensor) -> torch.Tensor:
                zeros = _zeros(name, drawn, lengths, output.shape)
                return output.masked_fill(torch.from_numpy(zeros).to(output.device), 0)

            with self._changed(cut):
                yield

    @contextmanager
    def leaf(self) -> Iterator[list[torch.Tensor]]:
        """Make the output of the module the start of the graph; gives the outputs, as leaves with gradient."""
        leaves: list[torch.Tensor] = []

        def cut_off(output: torch.Tensor) -> torch.Tensor:
            leaves.append(output.detach().requires_grad_())
            return leaves[-1]

        with self._changed(cut_off):
            yield leaves

    @contextmanager
    def added(self, noise: torch.Tensor) -> Iterator[None]:
        """Add noise, (k, L, H), to the output of the module."""
        with self._changed(lambda output: output + noise):
            yield

    @contextmanager
    def _changed(self, change: Callable[[torch.Tensor], torch.Tensor]) -> Iterator[None]:
        handle = self._module.register_forward_hook(lambda _module, _inputs, output: change(output))
        try:
            yield
        finally:
            handle.remove()

    @contextmanager
    def _positions(self, orders: Sequence[Indices]) -> Iterator[None]:
        def shuffled(_module: torch.nn.Module, inputs: tuple[Any, ...]) -> tuple[torch.Tensor]:
            ids: torch.Tensor = inputs[0]  # (1 or k, L): models without an offset give all sentences the same
            places = np.tile(np.arange(ids.shape[-1]), (len(orders), 1))
            for row, order in enumerate(orders):
                places[row, : len(order)] = order
            ids = ids.expand(len(orders), -1)
            return (ids.gather(1, torch.from_numpy(places).to(ids.device)),)

        table = self._module.get_submodule(_POSITIONS)
        handle = table.register_forward_pre_hook(shuffled)
        try:
            yield
        finally:
            handle.remove()


def adversarial_noise(gradient: torch.Tensor, *, norm: float) -> torch.Tensor:
    """The direction in which a loss grows fastest, `norm` long for every token; 0 where the gradient is (padding).

    `gradient`: (k, L, H), of a loss to the output of the embedding module.
    """
    lengths = gradient.norm(dim=-1, keepdim=True) + _ADVERSARIAL_EPSILON
    noise: torch.Tensor = norm * gradient / lengths
    return noise


def _zeros(name: str, drawn: Sequence[Indices], lengths: Sequence[int], shape: torch.Size) -> np.ndarray:
    """(k, L, H) bool: what is set to 0."""
    zeros = np.zeros(shape, dtype=bool)
    for sentence, indices, n_tokens in zip(zeros, drawn, lengths, strict=True):
        _MARK[name](sentence[:n_tokens], indices)
    return zeros


def _mark_tokens(sentence: np.ndarray, indices: Indices) -> None:
    sentence[indices] = True


def _mark_features(sentence: np.ndarray, indices: Indices) -> None:
    sentence[:, indices] = True


def _mark_values(sentence: np.ndarray, indices: Indices) -> None:
    sentence.reshape(-1)[indices] = True


_MARK: Mapping[str, Callable[[np.ndarray, Indices], None]] = {
    CUTOFF_TOKENS: _mark_tokens,
    CUTOFF_FEATURES: _mark_features,
    DROPOUT: _mark_values,
}

UNSUPERVISED, SUPERVISED, JOINT = "unsupervised", "supervised", "joint"
SHARED = "shared"

_SIDES = ("text", "other")
_PLAIN = Augmentation(NONE)


@recipe("consert")
class ConSERT(Objective):
    """Every augmentation of every side (the texts; and the other texts of pairs) is a view of the contract."""

    settings: Settings

    def build(self, draws: Draws) -> None:
        encoder, settings = self.encoder, self.settings
        self._sides = _SIDES if settings.objective in (SUPERVISED, JOINT) else _SIDES[:1]
        self._passes, self._compared = _passes(settings)
        self._stage = _stage(encoder, self._passes)
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
            weight, temperature = self.settings.contrastive_weight, self.settings.temperature
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
        logits = self.classifier(pair_features(u, v, form=self.settings.pair_features))
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
        classes = self.settings.classes
        for row in rows:
            if "other" not in row or row.get("label") not in range(classes):
                raise DataError(
                    f"objective: {self.settings.objective} needs pairs of texts with a label below {classes}, and "
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
