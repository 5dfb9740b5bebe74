"""The dropout of an encoder while it is trained: its own, another probability, or none."""

from collections.abc import Iterator

import torch
from sentence_transformers import SentenceTransformer

from sentflow.errors import ConfigError
from sentflow.training.draws import Draws
from sentflow.training.layers import seeded

_WORDS = "one two three four five six seven eight"


def set_dropout(encoder: SentenceTransformer, probability: float | None, draws: Draws) -> None:
    """Give every dropout of an encoder, that of the attention included, another probability.

    Its configuration stays as it is, so an encoder that is trained further has its own dropout again.

    `probability`: in [0, 1); None leaves each as it is. `draws`: for the check that 0 turns all of it off: two passes
    over one text are equal then. Raises ConfigError: the encoder has no dropout that could be set, or still has some
    after all were set to 0.
    """
    if probability is None:
        return
    if not set_everywhere(encoder, probability) and probability:
        raise ConfigError(
            "settings.dropout: the start has no dropout whose probability could be set. Write null or 0."
        )
    if not probability and not _is_off(encoder, draws):
        raise ConfigError(
            "settings.dropout: two passes over the same text differ although every dropout of the start is 0: "
            "something else in it is random. Write null, or start from another encoder."
        )


def set_everywhere(network: torch.nn.Module, probability: float) -> bool:
    """Give every dropout of a network a probability; whether it has any."""
    places = list(_places(network))
    for module, name in places:
        setattr(module, name, float(probability))
    return bool(places)


def _places(network: torch.nn.Module) -> Iterator[tuple[torch.nn.Module, str]]:
    """Modules and names of their attributes that hold a probability of dropout."""
    for module in network.modules():
        if isinstance(module, torch.nn.Dropout):
            yield module, "p"
        # Attention that is computed in one piece takes a number instead of a module
        for name, value in vars(module).items():
            if "dropout" in name and isinstance(value, float):
                yield module, name


@torch.no_grad()
def _is_off(encoder: SentenceTransformer, draws: Draws) -> bool:
    features = encoder.tokenizer([_WORDS], return_tensors="pt").to(encoder.device)
    with seeded(draws):
        first, second = (encoder({**features})["sentence_embedding"] for _ in range(2))
    return bool(torch.equal(first, second))
