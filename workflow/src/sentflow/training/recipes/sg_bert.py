"""SG-BERT: self-guided contrastive learning, in its four forms.

Kim et al. 2021 (arXiv 2106.07345); galsang/SG-BERT@23d5ebec. Pairs and triplets are this project's own.
"""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from sentence_transformers import SentenceTransformer

from sentflow.errors import ConfigError
from sentflow.training.contract import Example, Objective, Row, recipe
from sentflow.training.draws import Draws
from sentflow.training.layers import initialise, transformer_of, unscaled
from sentflow.training.recipes.settings import SGBert as Settings

MEAN, MAX = "mean", "max"


class Guide:
    """A network that is never trained; `dropout`: whether it drops out what its configuration says.

    No module: so it is in no state on disk, for a training that goes on makes the same copy; and ``train()`` of what
    holds it cannot turn its dropout on, as happened to the released SG-BERT.
    """

    def __init__(self, encoder: SentenceTransformer, *, dropout: bool) -> None:
        network: Any = copy.deepcopy(transformer_of(encoder).auto_model)
        self.network: torch.nn.Module = network.requires_grad_(False).train(dropout)
        self.n_layers = int(network.config.num_hidden_layers) + 1
        self.width = int(network.config.hidden_size)

    @torch.no_grad()
    def layers(self, features: dict[str, torch.Tensor], *, pooling: str) -> torch.Tensor:
        """(k, layers, H) of k texts, that of the embeddings first, pooled over tokens by `MEAN` or `MAX`."""
        states = torch.stack(self.network(**features, output_hidden_states=True).hidden_states, dim=1)
        mask = features["attention_mask"][:, None, :, None].bool()
        if pooling == MAX:
            return states.masked_fill(~mask, torch.finfo(states.dtype).min).amax(dim=2)
        return states.masked_fill(~mask, 0.0).sum(dim=2) / mask.sum(dim=2)

    def distance(self, encoder: SentenceTransformer) -> torch.Tensor:
        """‖θ_F − θ_T‖²: the sum of squared differences of all parameters of both transformers, a scalar."""
        trained = transformer_of(encoder).auto_model.parameters()
        parts = [
            (old - new).square().sum() for old, new in zip(self.network.parameters(), trained, strict=True)
        ]
        return torch.stack(parts).sum()


BASE, OPT1, OPT2, OPT3 = "base", "opt1", "opt2", "opt3"

_C, _H = 0, 1  # sentence vectors, vectors of layers

# Form → what its anchors are, and what they are compared with
_READS: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    BASE: ((_C, _H), (_C, _H)),
    OPT1: ((_C,), (_C, _H)),
    OPT2: ((_C,), (_H,)),
    OPT3: ((_C,), (_H,)),
}


@dataclass(frozen=True)
class Contrast:
    """Which candidate is what for which anchor: places in c and h joined, (a,) and (m,) int64, and (a, m) bool."""

    anchors: torch.Tensor
    candidates: torch.Tensor
    positive: torch.Tensor
    negative: torch.Tensor  # a candidate may be neither


def contrast(form: str, n: int, layers: int, *, further: int = 0, first_is_lost: bool = False) -> Contrast:
    """What each form of the loss compares, of c, (n, d), and h, (n · layers, d) sentence by sentence.

    `layers`: views of each sentence: 1, or all layers for `OPT3`. `further`: sentences behind the others in h that are
    negatives of all. `first_is_lost`: as in the released code of opt2. A positive is the other kind of vector of the
    same sentence, a negative any vector of another: per anchor of `OPT3` there are `layers` and (n − 1) · layers; of
    `OPT2` 1 and n − 1; of `OPT1` 1 and 2 (n − 1); and `BASE` has 2 n anchors with 1 and 2 (n − 1).
    """
    sentences, of_layers = torch.arange(n), torch.arange(n + further).repeat_interleave(layers)
    owner = torch.cat([sentences, of_layers])
    kind = torch.where(torch.arange(len(owner)) < n, _C, _H)
    of_anchors, of_candidates = _READS[form]
    anchors = torch.nonzero(torch.isin(kind, torch.tensor(of_anchors)) & (owner < n)).squeeze(1)
    candidates = torch.nonzero(torch.isin(kind, torch.tensor(of_candidates))).squeeze(1)
    same = owner[anchors, None] == owner[candidates]
    negative = ~same
    if first_is_lost:
        negative &= negative.cumsum(1) > 1
    return Contrast(anchors, candidates, same & (kind[anchors, None] != kind[candidates]), negative)


def self_guided(c: torch.Tensor, h: torch.Tensor, compared: Contrast, *, temperature: float) -> torch.Tensor:
    """Minus the log of how much of φ a positive has beside all negatives of its anchor; a mean over all positives.

    `c`, `h`: (n, d) and (m, d) float, see `contrast`. `temperature`: τ of φ(u, v) = exp(cos(u, v) / τ), > 0.
    """
    vectors = torch.nn.functional.normalize(torch.cat([c, h]), dim=1)
    device = vectors.device
    found = vectors[compared.anchors.to(device)] @ vectors[compared.candidates.to(device)].T / temperature
    others = found.masked_fill(~compared.negative.to(device), -torch.inf).logsumexp(1, keepdim=True)
    return (torch.logaddexp(found, others) - found)[compared.positive.to(device)].mean()


# Named defects of the released code that change numbers and are not of the loop
GUIDE_DROPOUT, OPT2_OFF_BY_ONE = "guide-dropout", "opt2-off-by-one"

_TRAINED, _GUIDED = 0, 1


@recipe("sg-bert")
class SGBert(Objective):
    """Views are the texts by the encoder, the texts by the guide and, of triplets, the negatives by the guide.

    Vectors of the guide are (n, layers, H): all layers for opt3, else one that is drawn for each text.
    """

    frozen_views = frozenset({1, 2})

    settings: Settings

    def build(self, draws: Draws) -> None:
        encoder, settings = self.encoder, self.settings
        self.guide = Guide(encoder, dropout=GUIDE_DROPOUT in settings.defects)
        if (width := encoder.get_embedding_dimension()) != self.guide.width:
            raise ConfigError(
                f"start: sg-bert compares vectors of texts ({width} wide) with layers ({self.guide.width} wide). Start "
                "from an encoder without a layer that changes their width."
            )
        network = transformer_of(encoder).auto_model
        # Tokens, positions and segments with their normalisation
        embeddings = getattr(network, "embeddings", None)
        if not isinstance(embeddings, torch.nn.Module):
            raise ConfigError(
                f"start: sg-bert freezes the embedding layer, and a {type(network).__name__} has none of that name. "
                "Start from a BERT, or an encoder that is built like it."
            )
        embeddings.requires_grad_(False)
        inner, gelu = settings.head_width, torch.nn.GELU()
        self.head: torch.nn.Module = torch.nn.Identity()
        if inner is not None:
            layers = torch.nn.Linear(width, inner), gelu, torch.nn.Linear(inner, inner), gelu
            self.head = torch.nn.Sequential(*layers)
        initialise(self.head, encoder, draws.of("head"))

    def views(self, rows: Sequence[Row], draws: Draws) -> list[list[Example]]:
        """An example of the guide has a ``layer`` unless it is read in all of them."""
        own = self.read([row["text"] for row in rows])
        texts = [[row.get("other", row["text"]) for row in rows]]
        if "negative" in rows[0]:
            texts.append([row["negative"] for row in rows])
        return [own, *(self._guided(view, draws.of("layer", place)) for place, view in enumerate(texts))]

    def represent(self, examples: Sequence[Example], view: int) -> torch.Tensor:
        features = self.padded(examples)
        if view == _TRAINED:
            return unscaled(self.encoder, features)
        found = self.guide.layers(features, pooling=self.settings.view_pooling)
        if self.settings.loss == OPT3:
            return found
        return found[range(len(examples)), [example["layer"] for example in examples]][:, None]

    def loss(self, views: Sequence[torch.Tensor], rows: Sequence[Row]) -> torch.Tensor:
        """The loss of what the head makes of all vectors."""
        guided = torch.cat(list(views[_GUIDED:]))
        compared = contrast(
            self.settings.loss,
            len(rows),
            guided.shape[1],
            further=len(guided) - len(rows),
            first_is_lost=OPT2_OFF_BY_ONE in self.settings.defects,
        )
        c, h = self.head(views[_TRAINED]), self.head(guided.flatten(0, 1))
        return self_guided(c, h, compared, temperature=self.settings.temperature)

    def further_losses(self, rows: Sequence[Row], draws: Draws) -> Iterator[torch.Tensor]:  # noqa: ARG002
        """The weighted distance to the guide."""
        if self.settings.regulariser:
            yield self.settings.regulariser * self.guide.distance(self.encoder)

    def _guided(self, texts: Sequence[str], draws: Draws) -> list[Example]:
        examples = self.read(texts)
        if self.settings.loss == OPT3:
            return examples
        drawn = draws.generator().integers(self.guide.n_layers, size=len(texts)).tolist()
        return [{**example, "layer": layer} for example, layer in zip(examples, drawn, strict=True)]
