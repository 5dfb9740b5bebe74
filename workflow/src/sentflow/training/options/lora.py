"""LoRA: of each chosen layer only a product of two thin matrices is trained, which is added to its weights at the end.

Hu et al. 2021 (arXiv 2106.09685), by peft. All of it is in the state of a training, and none in what is exported.
"""

import copy
from typing import Any

import torch
from sentence_transformers import SentenceTransformer

from sentflow.errors import ConfigError
from sentflow.training.contract import Objective
from sentflow.training.draws import Draws
from sentflow.training.layers import transformer_of
from sentflow.training.settings import Lora

try:
    from peft import LoraConfig, inject_adapter_in_model
    from peft.tuners.tuners_utils import BaseTunerLayer
except ImportError as missing:
    raise ConfigError(
        "training.lora needs peft. Write: pip install -r envs/requirements-lora.txt, or leave lora out."
    ) from missing


def extended(kind: type[Objective], settings: Lora) -> type[Objective]:  # noqa: ARG001
    """An objective that exports plain layers, which need no peft, with the products added to their weights."""

    class WithLora(kind):  # type: ignore[misc, valid-type]
        def exported(self) -> SentenceTransformer:
            return merged(super().exported())

    return WithLora


def prepare(encoder: SentenceTransformer, settings: Lora, draws: Draws) -> None:
    """Give an encoder the layers, before heads are added to it; its own weights are trained no more."""
    network = transformer_of(encoder).auto_model
    targets = None if settings.targets is None else list(settings.targets)
    config = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules=targets,
        bias="none",
    )
    encoder.requires_grad_(False)
    try:
        with draws.seeded():
            inject_adapter_in_model(config, network)
    except ValueError as error:
        modules = network.named_modules()
        linear = sorted({name.split(".")[-1] for name, each in modules if isinstance(each, torch.nn.Linear)})
        raise ConfigError(
            f"training.lora.targets: peft finds no layer {targets or 'by default'} in a {type(network).__name__}. "
            f"Write some of: {', '.join(linear)}."
        ) from error
    network.to(encoder.device).train()


def merged(encoder: SentenceTransformer) -> SentenceTransformer:
    """A copy of an encoder with plain layers in the place of those of `prepare`."""
    plain = copy.deepcopy(encoder)
    for name, module in list(plain.named_modules()):
        if isinstance(module, BaseTunerLayer):
            module.merge()
            plain.set_submodule(name, module.get_base_layer())
    network: Any = transformer_of(plain).auto_model
    # Written by peft: transformers saves adapters instead of weights where it stands
    network._hf_peft_config_loaded = False
    if hasattr(network, "peft_config"):
        del network.peft_config
    return plain
