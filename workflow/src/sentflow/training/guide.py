"""A copy of a transformer as it was before the first step, whose layers guide the one that is trained."""

import copy
from typing import Any

import torch
from sentence_transformers import SentenceTransformer

from sentflow.training.modules import transformer_of

MEAN, MAX = "mean", "max"


class Guide:
    """A network that is never trained.

    It is no module: so it is in no state on disk, for a training that goes on begins with the same files and makes the
    same copy; and what holds it cannot turn its dropout on by ``train()``, as happened to the released SG-BERT.

    `dropout`: whether the copy drops out what its configuration says.
    """

    def __init__(self, encoder: SentenceTransformer, *, dropout: bool) -> None:
        network: Any = copy.deepcopy(transformer_of(encoder).auto_model)
        self.network: torch.nn.Module = network.requires_grad_(False).train(dropout)
        self.n_layers = int(network.config.num_hidden_layers) + 1
        self.width = int(network.config.hidden_size)

    @torch.no_grad()
    def layers(self, features: dict[str, torch.Tensor], *, pooling: str) -> torch.Tensor:
        """Every layer of k texts, that of the embeddings first, pooled over tokens.

        `features`: ``input_ids`` and ``attention_mask``, (k, L). `pooling`: `MEAN` or `MAX`, over all tokens but
        padding. Returns: (k, layers, H).
        """
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
