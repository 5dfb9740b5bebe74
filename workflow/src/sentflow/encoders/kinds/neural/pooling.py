"""Another pooling than the one in a model's files."""

from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

from sentflow.encoders.kinds.neural.settings import LAYER_POOLINGS, TOKEN_POOLINGS
from sentflow.errors import ConfigError


class LayerPooling(torch.nn.Module):
    """The mean of two hidden states, averaged over the tokens that are not padding.

    `layers`: indices of the hidden states; 0 is the embedding layer. `include_prompt`: whether the tokens of a prompt
    count.
    """

    def __init__(self, width: int, layers: tuple[int, int], *, include_prompt: bool) -> None:
        super().__init__()
        self._layers = layers
        self._mean = Pooling(width, "mean", include_prompt=include_prompt)
        self.include_prompt = include_prompt

    def get_embedding_dimension(self) -> int:
        """Width of the vectors, which sentence-transformers asks the last module for."""
        return int(self._mean.get_embedding_dimension())

    def forward(self, features: dict[str, Any]) -> dict[str, Any]:
        """Adds ``sentence_embedding``, (k, width), to features with ``all_layer_embeddings``."""
        first, second = (features["all_layer_embeddings"][layer] for layer in self._layers)
        pooled: dict[str, Any] = self._mean({**features, "token_embeddings": (first + second) / 2})
        return {**features, "sentence_embedding": pooled["sentence_embedding"]}


def make_pooling(transformer: Transformer, pooling: str, *, include_prompt: bool) -> Any:
    """The module of a pooling by its name in a model entry; makes the transformer give what it reads."""
    width = transformer.get_embedding_dimension()
    if pooling in TOKEN_POOLINGS:
        return Pooling(width, TOKEN_POOLINGS[pooling], include_prompt=include_prompt)
    transformer.auto_model.config.output_hidden_states = True
    return LayerPooling(width, LAYER_POOLINGS[pooling], include_prompt=include_prompt)


def replace_pooling(model: SentenceTransformer, pooling: str) -> None:
    """Put another pooling in the place of a model's own.

    Raises ConfigError: the model has no pooling, several, or a later module that wants vectors of another width.
    """
    places = [name for name, module in model.named_children() if isinstance(module, Pooling)]
    if len(places) != 1 or not isinstance(model[0], Transformer):
        raise ConfigError(
            f"pooling: the model has {len(places)} poolings of the token vectors of a transformer, where one "
            "can be replaced. Leave the key out."
        )
    own = model.get_submodule(places[0])
    module = make_pooling(model[0], pooling, include_prompt=own.include_prompt)
    width = module.get_embedding_dimension()
    wanting = [later for later in model.children() if getattr(later, "in_features", width) != width]
    if wanting:
        raise ConfigError(
            f"pooling: {pooling} makes vectors of {width} values, but the model's {type(wanting[0]).__name__} "
            f"reads {wanting[0].in_features}. Leave the key out."
        )
    model.add_module(places[0], module.to(model.device))
