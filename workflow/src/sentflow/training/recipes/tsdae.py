"""TSDAE: a decoder writes a text again from the vector of what deletion has left of it.

Wang et al. 2021 (arXiv 2104.06979); sentence-transformers 6.2.0, `DenoisingAutoEncoderLoss`, which encodes and
decodes in one call and reads the decoder from the hub or a folder, so it is written anew here.
"""

import copy
from collections.abc import Sequence
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from transformers import AutoModelForCausalLM

from sentflow.errors import ConfigError
from sentflow.training.contract import Example, Objective, Row, recipe
from sentflow.training.draws import Draws
from sentflow.training.layers import transformer_of
from sentflow.training.recipes.settings import TSDAE as Settings


def without_words(text: str, draws: Draws, *, share: float) -> str:
    """A text of which each word between spaces was left out with a probability in [0, 1), joined by single spaces.

    If every word was drawn, one is left, any with equal probability.
    """
    words = text.split()
    if not words:
        return text
    generator = draws.generator()
    kept = [word for word, drawn in zip(words, generator.random(len(words)), strict=True) if drawn >= share]
    return " ".join(kept) if kept else words[int(generator.integers(len(words)))]


@recipe("tsdae")
class TSDAE(Objective):
    """One view, the damaged texts; the loss reads the whole ones. The decoder belongs to training alone."""

    settings: Settings

    def build(self, draws: Draws) -> None:
        width = self.encoder.get_embedding_dimension()
        self.decoder = decoder_of(self.encoder, draws.of("decoder"))
        if width != self.decoder.config.hidden_size:
            raise ConfigError(
                f"start: the decoder of tsdae reads vectors of {self.decoder.config.hidden_size} numbers, and those of "
                f"the start have {width}. Start from an encoder without a layer that changes their width."
            )

    def views(self, rows: Sequence[Row], draws: Draws) -> list[list[Example]]:
        texts = [
            without_words(row["text"], draws.of("deletion", place), share=self.settings.deletion)
            for place, row in enumerate(rows)
        ]
        return [self.read(texts)]

    def loss(self, views: Sequence[torch.Tensor], rows: Sequence[Row]) -> torch.Tensor:
        """Cross-entropy of each token after the ones before it and the vector, mean over the tokens of all texts."""
        (vectors,) = views
        whole = self.padded(self.read([row["text"] for row in rows]))
        ids, mask = whole["input_ids"], whole["attention_mask"][:, 1:].bool()
        logits = self.decoder(
            input_ids=ids[:, :-1],
            encoder_hidden_states=vectors[:, None],
            encoder_attention_mask=torch.ones_like(ids[:, :1]),
            use_cache=False,
        ).logits
        return torch.nn.functional.cross_entropy(logits[mask], ids[:, 1:][mask])


def decoder_of(encoder: SentenceTransformer, draws: Draws) -> Any:
    """A language model with the layers of an encoder, the same tensors, and new ones that attend to its vector."""
    network = transformer_of(encoder).auto_model
    config = copy.deepcopy(network.config)
    config.is_decoder = config.add_cross_attention = True
    problem = ConfigError(
        f"start: transformers has no decoder for a {config.model_type} that attends to a vector, which tsdae needs. "
        "Start from a BERT or a RoBERTa."
    )
    try:
        with draws.seeded():
            decoder = AutoModelForCausalLM.from_config(config)
    except ValueError as error:
        raise problem from error
    body = getattr(decoder, decoder.base_model_prefix)
    if not any("crossattention" in name for name, _ in body.named_modules()):
        raise problem
    shared = dict(network.named_modules())
    for name, module in list(body.named_modules()):
        if name in shared and next(module.parameters(recurse=False), None) is not None:
            body.set_submodule(name, shared[name])
    decoder.tie_weights()
    return decoder.to(encoder.device).train()
