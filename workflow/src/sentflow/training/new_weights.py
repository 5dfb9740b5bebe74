"""Weights of layers that an encoder gets for its training."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense

from sentflow.training.draws import Draws

_RANGE = 0.02  # where a configuration has no initializer_range


@contextmanager
def seeded(draws: Draws) -> Iterator[None]:
    """Let torch draw inside what `draws` says; its generator goes on afterwards as if nothing had been drawn."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(draws.torch_seed())
        yield


def initialise(module: torch.nn.Module, encoder: SentenceTransformer, draws: Draws) -> None:
    """Draw the weights of linear layers as transformers does: N(0, ``initializer_range``), biases 0."""
    standard_deviation = float(getattr(encoder[0].config, "initializer_range", _RANGE))
    with seeded(draws), torch.no_grad():
        for layer in module.modules():
            if isinstance(layer, torch.nn.Linear):
                layer.weight.normal_(0.0, standard_deviation)
                if layer.bias is not None:
                    layer.bias.zero_()


def new_dense(encoder: SentenceTransformer, draws: Draws) -> Dense:
    """A layer with tanh, as wide as the vectors of an encoder; as the pooler of BERT."""
    width = encoder.get_embedding_dimension()
    with seeded(draws):
        head = Dense(width, width)
    initialise(head, encoder, draws)
    return head.to(encoder.device)
