"""The layer of a masked language model that predicts terms: copied, asked for single terms, and put back."""

import copy
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.nn.functional import embedding
from transformers import AutoModelForMaskedLM, PreTrainedModel
from transformers.activations import get_activation
from transformers.models.bert.modeling_bert import BertLMPredictionHead
from transformers.models.roberta.modeling_roberta import RobertaLMHead

from sentflow.errors import ConfigError


class DistilBertHead(torch.nn.Module):
    """The layer of transformers' `DistilBertForMaskedLM`, where its parts belong to the model itself."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.activation = get_activation(config.activation)
        self.vocab_transform = torch.nn.Linear(config.dim, config.dim)
        self.vocab_layer_norm = torch.nn.LayerNorm(config.dim, eps=1e-12)
        self.vocab_projector = torch.nn.Linear(config.dim, config.vocab_size)

    @property
    def decoder(self) -> torch.nn.Linear:
        """From vectors to the vocabulary, as the layers of other models call it."""
        return self.vocab_projector

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Logits of the vocabulary, (…, V), of vectors of tokens, (…, H)."""
        found: torch.Tensor = self.vocab_projector(
            self.vocab_layer_norm(self.activation(self.vocab_transform(tokens)))
        )
        return found


def _bert(layer: Any) -> tuple[torch.nn.Module, torch.nn.Linear]:
    return layer.transform, layer.decoder


def _distilbert(layer: Any) -> tuple[torch.nn.Module, torch.nn.Linear]:
    transform = torch.nn.Sequential(layer.vocab_transform, layer.activation, layer.vocab_layer_norm)
    return transform, layer.vocab_projector


def _roberta(layer: Any) -> tuple[torch.nn.Module, torch.nn.Linear]:
    return torch.nn.Sequential(layer.dense, torch.nn.GELU(), layer.layer_norm), layer.decoder


# Model type → class of the layer that predicts masked tokens, its place in files, its parts
KINDS: Mapping[str, tuple[Any, str, Callable[[Any], tuple[torch.nn.Module, torch.nn.Linear]]]] = {
    "bert": (BertLMPredictionHead, "cls.predictions.", _bert),
    "distilbert": (DistilBertHead, "", _distilbert),
    "roberta": (RobertaLMHead, "lm_head.", _roberta),
    "xlm-roberta": (RobertaLMHead, "lm_head.", _roberta),
}


class TermHead(torch.nn.Module):
    """From vectors of tokens to logits of terms: `transform` (…, h) → (…, h), `decoder` (…, h) → (…, V) with bias."""

    def __init__(self, transform: torch.nn.Module, decoder: torch.nn.Linear) -> None:
        super().__init__()
        self.transform, self.decoder = transform, decoder

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Logits of all terms, (…, V), of vectors of tokens, (…, h)."""
        logits: torch.Tensor = self.decoder(self.transform(tokens))
        return logits

    def term_logits(self, transformed: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        """(B, n, k) logits of k terms per text, (B, k) `ids` >= 0, by (B, n, h) `transformed`, without all others."""
        chosen = embedding(ids, self.decoder.weight)
        return transformed @ chosen.transpose(1, 2) + self.decoder.bias[ids][:, None, :]


def copied_head(model: PreTrainedModel, *, tied: bool) -> TermHead:
    """A copy of the layer of a masked language model.

    `tied`: whether the decoder has the word embeddings of the encoder as its weights, the same tensor; else a copy,
    trained apart. Raises ConfigError: there is no such layer, or tied weights would be lost.
    """
    transform, decoder = _parts(model)
    words = model.get_input_embeddings().weight
    if tied and (decoder.weight.shape != words.shape or not torch.equal(decoder.weight, words)):
        raise ConfigError(
            "tied: the decoder of this model has other weights than its word embeddings, and they would be lost. "
            "Write tied=False."
        )
    own = torch.nn.Linear(decoder.in_features, decoder.out_features, device="meta")
    own.weight = words if tied else torch.nn.Parameter(decoder.weight.detach().clone())
    bias = words.new_zeros(len(words)) if decoder.bias is None else decoder.bias.detach().clone()
    own.bias = torch.nn.Parameter(bias)
    return TermHead(copy.deepcopy(transform), own)


def put_head(head: TermHead, model: PreTrainedModel) -> None:
    """Make a head the layer of a masked language model that predicts terms; both hold the same tensors afterwards."""
    transform, decoder = _parts(model)
    transform.load_state_dict(head.transform.state_dict(), assign=True)
    decoder.weight, decoder.bias = head.decoder.weight, head.decoder.bias
    layer = _layer(model)
    if "bias" in dict(layer.named_parameters(recurse=False)):
        # BERT and RoBERTa hold the bias twice: one tensor where decoders are tied, else two, each with its own in files
        tied = model.config.tie_word_embeddings
        layer.bias = decoder.bias if tied else torch.nn.Parameter(decoder.bias.detach().clone())


def _parts(model: Any) -> tuple[torch.nn.Module, torch.nn.Linear]:
    return KINDS[_kind(model)][2](_layer(model))


def _kind(model: Any) -> str:
    kind = getattr(getattr(model, "config", None), "model_type", type(model).__name__)
    if kind not in KINDS:
        raise ConfigError(
            f"model: terms are predicted by the layers of {', '.join(KINDS)}, and this is a {kind}. Take one of "
            "these, loaded by AutoModelForMaskedLM."
        )
    return str(kind)


def _layer(model: Any) -> Any:
    _, prefix, parts = KINDS[_kind(model)]
    try:
        layer = model.get_submodule(prefix.removesuffix("."))
        parts(layer)
    except AttributeError as error:
        raise ConfigError(
            f"model: {type(model).__name__} has no layer that predicts masked tokens. Load it by "
            "AutoModelForMaskedLM.from_pretrained, and see that its report names no missing tensor."
        ) from error
    return layer


def from_tensors(encoder: PreTrainedModel, tensors: dict[str, torch.Tensor]) -> Any:
    """A masked language model whose encoder is this one, not a copy."""
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
