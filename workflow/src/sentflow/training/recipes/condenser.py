"""Condenser: hidden tokens are said again by a short head that sees the late layers through one vector alone.

Gao and Callan 2021 (arXiv 2104.08253), luyug/Condenser. The head reads the last layer of the first token and an early
layer of all others. It is kept for a training that goes on, and is no part of the encoder.
"""

from collections.abc import Sequence
from pathlib import Path

import torch
from transformers.masking_utils import create_bidirectional_mask

from sentflow.errors import ConfigError
from sentflow.training.contract import Example, Represented, recipe
from sentflow.training.draws import Draws
from sentflow.training.layers import initialise, set_everywhere, take_weights, transformer_of
from sentflow.training.recipes.mlm import MaskedLanguageModelling
from sentflow.training.recipes.settings import Cocondenser
from sentflow.training.recipes.settings import Condenser as Settings

PREFIX = "condenser."


@recipe("condenser")
class Condenser(MaskedLanguageModelling):
    """Masked language modelling by the head and, with ``late_mlm``, by the encoder itself, too.

    Raises ConfigError: ``skip_from`` is not below the number of layers, or the layers of the start are not known.
    """

    settings: Settings | Cocondenser

    def build(self, draws: Draws) -> None:
        super().build(draws)
        settings, network = self.settings, transformer_of(self.encoder).auto_model
        depth = int(network.config.num_hidden_layers)
        asked = settings.skip_from
        self._skip_from = depth // 2 if asked is None else asked
        if not 0 <= self._skip_from < depth:
            raise ConfigError(
                f"settings.skip_from: {asked} is no layer below the last of {depth}. Write 0 to {depth - 1}, or null "
                f"for half of them."
            )
        self.predicting = ("head_", "encoder_") if settings.late_mlm else ("head_",)
        with draws.of("condenser").seeded():
            # Of a BERT, RoBERTa or DistilBERT
            layers = (getattr(network, "encoder", None) or network.transformer).layer
            made = [type(layers[0])(network.config) for _ in range(settings.layers)]
        self.condenser = torch.nn.ModuleList(made)
        initialise(self.condenser, self.encoder, draws.of("condenser weights"))
        if settings.dropout is not None:
            set_everywhere(self.condenser, settings.dropout)
        take_weights(self.condenser, Path(network.name_or_path), PREFIX, what="the head of Condenser")
        self.condenser.to(self.encoder.device)

    def represent(self, examples: Sequence[Example], view: int) -> Represented:  # noqa: ARG002
        """(k, 3 or 6): the numbers of the head and, with ``late_mlm``, those of the encoder."""
        return self._parts(examples)[0]

    def heads(self) -> dict[str, torch.Tensor]:
        own = {f"{PREFIX}{name}": value for name, value in self.condenser.state_dict().items()}
        return {**super().heads(), **own}

    def _parts(self, examples: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor]:
        """What `represent` gives, and the last layer of the first token, (k, H)."""
        features = self.padded(examples)
        network = transformer_of(self.encoder).auto_model
        states = network(**features, output_hidden_states=True).hidden_states
        last = states[-1]
        found = torch.cat([last[:, :1], states[self._skip_from][:, 1:]], dim=1)
        mask = create_bidirectional_mask(network.config, found, features["attention_mask"])
        for layer in self.condenser:
            found = layer(found, attention_mask=mask)
        expected = [example["expected"] for example in examples]
        read = {"head_": found, "encoder_": last}
        parts = [self.language.predicted(read[name], expected) for name in self.predicting]
        return torch.cat(parts, dim=1), last[:, 0]
