"""Masked language models of transformers out of an encoder and a head, to be trained or to be saved."""

from typing import Any

import torch
from transformers import AutoModelForMaskedLM, PreTrainedModel

from sentflow.sparse.heads import TermHead, head_parts


def joined(encoder: PreTrainedModel, tensors: dict[str, torch.Tensor]) -> Any:
    """A masked language model whose encoder is this one, not a copy.

    Parameters
    ----------
    encoder
        A `BertModel`, `DistilBertModel`, `RobertaModel` or `XLMRobertaModel`.
    tensors
        Of its head, under the names that they have in the model.
    """
    model: Any = AutoModelForMaskedLM.from_config(encoder.config)
    model.load_state_dict(tensors, strict=False)
    setattr(model, model.base_model_prefix, encoder)
    return model.to(encoder.device)


def with_head(encoder: PreTrainedModel, head: TermHead) -> Any:
    """A masked language model with copies of the weights of both, on the processor, as transformers saves it."""
    model: Any = AutoModelForMaskedLM.from_config(encoder.config)
    # Encoders that were loaded alone have a pooler that such models lack
    model.base_model.load_state_dict(_on_processor(encoder), strict=False)
    model.config.tie_word_embeddings = torch.equal(head.decoder.weight, encoder.get_input_embeddings().weight)
    transform, decoder = head_parts(model)
    if not model.config.tie_word_embeddings:
        decoder.weight = torch.nn.Parameter(head.decoder.weight.detach().cpu().clone())
    transform.load_state_dict(_on_processor(head.transform))
    with torch.no_grad():
        decoder.bias.copy_(head.decoder.bias)
    return model


def _on_processor(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: value.detach().cpu() for name, value in module.state_dict().items()}
