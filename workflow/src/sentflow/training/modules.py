"""The modules of an encoder: which is the transformer, and what stands before its vectors are scaled."""

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, Transformer

from sentflow.errors import ConfigError


def transformer_of(encoder: SentenceTransformer) -> Transformer:
    """The first module of an encoder. Raises ConfigError: it is no transformer."""
    first = encoder[0]
    if not isinstance(first, Transformer):
        raise ConfigError(
            f"start: the encoder begins with {type(first).__name__}, and this recipe trains transformers. "
            "Start from one."
        )
    return first


def put_before_scaling(encoder: SentenceTransformer, module: torch.nn.Module) -> None:
    """Add a module to an encoder, before the modules at its end that scale vectors to length 1."""
    modules = list(encoder.children())
    last = len(modules)
    while isinstance(modules[last - 1], Normalize):
        last -= 1
    for name in list(encoder._modules):
        del encoder._modules[name]
    for number, each in enumerate([*modules[:last], module, *modules[last:]]):
        encoder.add_module(str(number), each)


def unscaled(encoder: SentenceTransformer, features: dict[str, torch.Tensor]) -> torch.Tensor:
    """The vectors of an encoder, (k, d), before they are scaled to length 1."""
    for module in encoder.children():
        if not isinstance(module, Normalize):
            features = module(features)
    return features["sentence_embedding"]
