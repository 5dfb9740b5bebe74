"""Masked language models of transformers out of an encoder and a head, to be trained or to be saved."""

import copy
from typing import Any

import torch
from transformers import AutoModelForMaskedLM, PreTrainedModel

from sentflow.sparse.heads import TermHead, put_head


def from_tensors(encoder: PreTrainedModel, tensors: dict[str, torch.Tensor]) -> Any:
    """A masked language model whose encoder is this one, not a copy.

    `encoder`: a `BertModel`, `DistilBertModel`, `RobertaModel` or `XLMRobertaModel`.
    """
    model: Any = AutoModelForMaskedLM.from_config(encoder.config)
    model.load_state_dict(tensors, strict=False)
    setattr(model, model.base_model_prefix, encoder)
    return model.to(encoder.device)


def with_head(encoder: PreTrainedModel, head: TermHead) -> Any:
    """A masked language model that holds the tensors of both, as transformers saves it."""
    config = copy.deepcopy(encoder.config)
    config.tie_word_embeddings = is_tied(encoder, head)
    with torch.device("meta"):
        model: Any = AutoModelForMaskedLM.from_config(config)
    setattr(model, model.base_model_prefix, _without_pooler(encoder))
    put_head(head, model)
    return model


def _without_pooler(encoder: PreTrainedModel) -> PreTrainedModel:
    """The encoder with the same modules, but for the pooler, which masked models lack."""
    found = copy.copy(encoder)
    found._modules = {**encoder._modules}
    if "pooler" in found._modules:
        found._modules["pooler"] = None
    return found


def moved(head: TermHead, before: PreTrainedModel, after: PreTrainedModel) -> TermHead:
    """A copy of a head for another encoder of the same form, tied to it if it was tied before."""
    found = copy.deepcopy(head)
    if is_tied(before, head):
        found.decoder.weight = after.get_input_embeddings().weight
    return found


def is_tied(encoder: PreTrainedModel, head: TermHead) -> bool:
    """Whether the decoder of a head has the word embeddings of the encoder as its weights, the same tensor."""
    return head.decoder.weight is encoder.get_input_embeddings().weight
