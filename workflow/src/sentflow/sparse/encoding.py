"""The terms of texts as three tensors, one place per term that is kept."""

from collections.abc import Sequence

import torch

from sentflow.sparse.model import SparsEmbed


def encoded_terms(
    model: SparsEmbed, texts: Sequence[str], k: int, side: str
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(b, k) ids and weights, and (b, k, E) vectors of the terms of b texts; see `SparsEmbed.encode`."""
    found = model.encode(texts, k, side)
    ids = found["activations"]
    weights = found["sparse_activations"].gather(1, ids.clamp(min=0)).masked_fill(ids < 0, 0.0)
    return ids, weights, found["embeddings"]
