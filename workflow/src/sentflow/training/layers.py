"""Layers of an encoder: its transformer, new weights, and the layer that predicts masked tokens.

An encoder of sentence-transformers has no such layer: a training that makes one keeps its tensors in a file beside the
weights, under the names of transformers' models, so that the next training goes on with it.
"""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Transformer

from sentflow.errors import ConfigError
from sentflow.sparse.heads import KINDS
from sentflow.training.draws import Draws

logger = logging.getLogger(__name__)


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


_RANGE = 0.02  # where a configuration has no initializer_range


def initialise(module: torch.nn.Module, encoder: SentenceTransformer, draws: Draws) -> None:
    """Draw the weights of linear layers as transformers does: N(0, ``initializer_range``), biases 0."""
    standard_deviation = float(getattr(encoder[0].config, "initializer_range", _RANGE))
    with draws.seeded(), torch.no_grad():
        for layer in module.modules():
            if isinstance(layer, torch.nn.Linear):
                layer.weight.normal_(0.0, standard_deviation)
                if layer.bias is not None:
                    layer.bias.zero_()


def new_dense(encoder: SentenceTransformer, draws: Draws) -> Dense:
    """A layer with tanh, as wide as the vectors of an encoder; as the pooler of BERT."""
    width = encoder.get_embedding_dimension()
    with draws.seeded():
        head = Dense(width, width)
    initialise(head, encoder, draws)
    return head.to(encoder.device)


# --- the layer that predicts masked tokens -------------------------------------------------------------------

HEADS = "heads.safetensors"
_WEIGHTS = "model.safetensors"


def take_weights(head: torch.nn.Module, folder: Path, prefix: str, *, what: str) -> bool:
    """Copy the tensors of a layer out of the safetensors of an encoder; whether they are there."""
    for name in (HEADS, _WEIGHTS):
        found = dict(_tensors(folder / name, prefix))
        own = head.state_dict()
        # Tied in the file to the vectors of the vocabulary, which the decoder is a copy of already
        tied = {"decoder.weight", "decoder.bias", "vocab_projector.weight", "bias"}
        if own.keys() - found.keys() - tied:
            continue
        if "bias" in found:  # older files have it once, newer ones twice
            found.setdefault("decoder.bias", found["bias"])
        head.load_state_dict({**own, **{name: value for name, value in found.items() if name in own}})
        logger.info("%s is that of %s", what, folder / name)
        return True
    logger.info("%s is new: %s has none in safetensors", what, folder)
    return False


def prediction_head(encoder: SentenceTransformer, draws: Draws) -> tuple[Any, bool]:
    """The layer of an encoder of one of `KINDS` that predicts masked tokens, and whether its files have it.

    Else it is new, but for the vectors of the vocabulary, of which it has a copy.
    """
    network = transformer_of(encoder).auto_model
    make, prefix, _ = KINDS[network.config.model_type]
    with draws.seeded():
        head = make(network.config)
    initialise(head, encoder, draws)
    with torch.no_grad():
        head.decoder.weight.copy_(network.get_input_embeddings().weight)
    known = take_weights(
        head, Path(network.name_or_path), prefix, what="the layer that predicts masked tokens"
    )
    return head.to(encoder.device), known


def _tensors(file: Path, prefix: str) -> Iterator[tuple[str, torch.Tensor]]:
    if not file.is_file():
        return
    with safe_open(str(file), framework="pt") as weights:
        for name in weights.keys():  # noqa: SIM118, no mapping
            if name.startswith(prefix):
                # Older files call the parameters of LayerNorm so
                plain = name.removeprefix(prefix).replace(".gamma", ".weight").replace(".beta", ".bias")
                yield plain, weights.get_tensor(name)


# --- dropout -------------------------------------------------------------------------------------------------

_WORDS = "one two three four five six seven eight"


def set_dropout(encoder: SentenceTransformer, probability: float | None, draws: Draws) -> None:
    """Give every dropout of an encoder, that of the attention included, another probability in [0, 1); None none.

    Its configuration stays as it is. `draws`: for the check that with 0 two passes over one text are equal. Raises
    ConfigError: there is no dropout that could be set, or something is still random after all were set to 0.
    """
    if probability is None:
        return
    if not set_everywhere(encoder, probability) and probability:
        raise ConfigError(
            "settings.dropout: the start has no dropout whose probability could be set. Write null or 0."
        )
    if not probability:
        features = encoder.tokenizer([_WORDS], return_tensors="pt").to(encoder.device)
        with draws.seeded(), torch.no_grad():
            first, second = (encoder({**features})["sentence_embedding"] for _ in range(2))
        if not torch.equal(first, second):
            raise ConfigError(
                "settings.dropout: two passes over the same text differ although every dropout of the start is 0: "
                "something else in it is random. Write null, or start from another encoder."
            )


def set_everywhere(network: torch.nn.Module, probability: float) -> bool:
    """Give every dropout of a network a probability; whether it has any."""
    found = False
    for module in network.modules():
        # Attention that is computed in one piece takes a number instead of a module
        names = [key for key, value in vars(module).items() if "dropout" in key and isinstance(value, float)]
        for name in [*names, *(["p"] if isinstance(module, torch.nn.Dropout) else [])]:
            setattr(module, name, float(probability))
            found = True
    return found
