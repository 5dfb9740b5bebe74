"""SG-BERT: self-guided contrastive learning, in its four forms.

Kim et al. 2021 (arXiv 2106.07345); galsang/SG-BERT@23d5ebec. Pairs and triplets are this project's own: the guide reads
the other text of a pair, and negatives are further candidates.
"""

from collections.abc import Iterator, Sequence

import torch
from sentence_transformers import SentenceTransformer

from sentflow.errors import ConfigError
from sentflow.training.contract import Example, Objective, Row, recipe
from sentflow.training.draws import Draws
from sentflow.training.guide import Guide
from sentflow.training.losses.self_guided import OPT3, contrast, self_guided
from sentflow.training.modules import transformer_of, unscaled
from sentflow.training.new_weights import initialise
from sentflow.training.recipes.settings import SGBert as Settings

# Named defects of the released code that change numbers and are not of the loop
GUIDE_DROPOUT, OPT2_OFF_BY_ONE = "guide-dropout", "opt2-off-by-one"

_TRAINED, _GUIDED = 0, 1


@recipe("sg-bert")
class SGBert(Objective):
    """Views are the texts by the encoder, the texts by the guide and, of triplets, the negatives by the guide.

    Vectors of the guide are (n, layers, H): all layers for opt3, else one that is drawn for each text.
    """

    frozen_views = frozenset({1, 2})

    def __init__(
        self, encoder: SentenceTransformer, settings: Settings, draws: Draws, *, max_tokens: int
    ) -> None:
        super().__init__(encoder, max_tokens=max_tokens)
        self._settings = settings
        self.guide = Guide(encoder, dropout=GUIDE_DROPOUT in settings.defects)
        if (width := encoder.get_embedding_dimension()) != self.guide.width:
            raise ConfigError(
                f"start: sg-bert compares vectors of texts ({width} wide) with layers ({self.guide.width} wide). Start "
                "from an encoder without a layer that changes their width."
            )
        _embeddings(encoder).requires_grad_(False)
        self.head = _head(width, settings.head_width)
        initialise(self.head, encoder, draws.of("head"))

    def views(self, rows: Sequence[Row], draws: Draws) -> list[list[Example]]:
        """An example of the guide has a ``layer`` unless it is read in all of them."""
        own: list[Example] = [{"input_ids": self.tokens(row["text"])} for row in rows]
        texts = [[row.get("other", row["text"]) for row in rows]]
        if "negative" in rows[0]:
            texts.append([row["negative"] for row in rows])
        return [own, *(self._guided(view, draws.of("layer", place)) for place, view in enumerate(texts))]

    def represent(self, examples: Sequence[Example], view: int) -> torch.Tensor:
        features = self.padded(examples)
        if view == _TRAINED:
            return unscaled(self.encoder, features)
        found = self.guide.layers(features, pooling=self._settings.view_pooling)
        if self._settings.loss == OPT3:
            return found
        return found[range(len(examples)), [example["layer"] for example in examples]][:, None]

    def loss(self, views: Sequence[torch.Tensor], rows: Sequence[Row]) -> torch.Tensor:
        """The loss of what the head makes of all vectors."""
        guided = torch.cat(list(views[_GUIDED:]))
        compared = contrast(
            self._settings.loss,
            len(rows),
            guided.shape[1],
            further=len(guided) - len(rows),
            first_is_lost=OPT2_OFF_BY_ONE in self._settings.defects,
        )
        c, h = self.head(views[_TRAINED]), self.head(guided.flatten(0, 1))
        return self_guided(c, h, compared, temperature=self._settings.temperature)

    def further_losses(self, rows: Sequence[Row], draws: Draws) -> Iterator[torch.Tensor]:  # noqa: ARG002
        """The weighted distance to the guide."""
        if self._settings.regulariser:
            yield self._settings.regulariser * self.guide.distance(self.encoder)

    def _guided(self, texts: Sequence[str], draws: Draws) -> list[Example]:
        examples: list[Example] = [{"input_ids": self.tokens(text)} for text in texts]
        if self._settings.loss == OPT3:
            return examples
        drawn = draws.generator().integers(self.guide.n_layers, size=len(texts)).tolist()
        return [{**example, "layer": layer} for example, layer in zip(examples, drawn, strict=True)]


def _head(width: int, inner: int | None) -> torch.nn.Module:
    if inner is None:
        return torch.nn.Identity()
    gelu = torch.nn.GELU()
    return torch.nn.Sequential(torch.nn.Linear(width, inner), gelu, torch.nn.Linear(inner, inner), gelu)


def _embeddings(encoder: SentenceTransformer) -> torch.nn.Module:
    """What comes before the first layer: the tables of tokens, positions and segments with their normalisation."""
    network = transformer_of(encoder).auto_model
    module = getattr(network, "embeddings", None)
    if not isinstance(module, torch.nn.Module):
        raise ConfigError(
            f"start: sg-bert freezes the embedding layer, and a {type(network).__name__} has none of that name. Start "
            "from a BERT, or an encoder that is built like it."
        )
    return module
