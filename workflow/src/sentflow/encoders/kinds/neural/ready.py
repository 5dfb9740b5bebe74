"""How weights are loaded, and what is asked of a model of sentence-transformers before it reads texts."""

from pathlib import Path
from typing import Any, Protocol

import torch
from sentence_transformers.sentence_transformer.modules import Pooling
from transformers import PreTrainedConfig, PreTrainedTokenizerBase

from sentflow.encoders.fetch.positions import has_table, usable_tokens
from sentflow.encoders.kinds.neural.settings import BFLOAT16_AUTOCAST, FLOAT32
from sentflow.errors import ConfigError, DataError


class _Reading(Protocol):
    """The settings that are read here."""

    @property
    def dtype(self) -> str: ...

    @property
    def max_tokens(self) -> int | None: ...

    @property
    def truncation(self) -> str: ...


def dtype_of(name: str) -> torch.dtype:
    """Of weights, by the name in an entry."""
    found: torch.dtype = getattr(torch, FLOAT32 if name == BFLOAT16_AUTOCAST else name)
    return found


def loading_arguments(dtype: torch.dtype, *, allow_pickle: bool) -> dict[str, Any]:
    """What transformers is told when it loads weights."""
    # `check_weights` refuses tensors of another size, and names them
    found: dict[str, Any] = {"dtype": dtype, "weights_only": True, "ignore_mismatched_sizes": True}
    return found if allow_pickle else {**found, "use_safetensors": True}


def make_ready(model: Any, settings: _Reading, *, dtype: torch.dtype) -> None:
    """Bring a model of sentence-transformers to its type of numbers, and its texts to their length."""
    model.to(dtype).eval()
    _use_max_tokens(model, settings.max_tokens)
    if settings.truncation == "start":
        _cut_at_the_start(model)


def check_padding(model: Any, folder: Path) -> None:
    """Refuse a tokenizer that cannot bring the texts of a batch to one length."""
    tokenizer = getattr(model[0], "tokenizer", None)
    if isinstance(tokenizer, PreTrainedTokenizerBase) and tokenizer.pad_token is None:
        raise DataError(
            f"{folder}: the tokenizer has no padding token, so no two texts can be embedded together. Write pad_token "
            "into tokenizer_config.json, as the authors of the model say it, or take kind: transformers."
        )


def check_first_token(model: Any, folder: Path) -> None:
    """Refuse to take the first token for the text where the tokenizer puts another there than that for classes."""
    tokenizer = getattr(model[0], "tokenizer", None)
    modes = [module.pooling_mode for module in model.modules() if isinstance(module, Pooling)]
    reads_first = any("cls" in ([mode] if isinstance(mode, str) else mode) for mode in modes)
    if not reads_first or not isinstance(tokenizer, PreTrainedTokenizerBase):
        return
    wanted = tokenizer.cls_token or tokenizer.bos_token
    tokens = tokenizer.convert_ids_to_tokens(tokenizer("a")["input_ids"])
    if wanted is None or tokens[:1] != [wanted]:
        raise ConfigError(
            f"{folder}: pooling cls takes the first token of a text, and {type(tokenizer).__name__} gives "
            f"{' '.join(tokens)}, where it is not {wanted or 'a classification token'}. Name the class of the model's "
            "own tokenizer, such as tokenizer_class: AlbertTokenizer, or write another pooling."
        )


def _cut_at_the_start(model: Any) -> None:
    tokenizer = getattr(model[0], "tokenizer", None)
    if not isinstance(tokenizer, PreTrainedTokenizerBase):
        raise ConfigError(
            "truncation: texts are cut at the start by a tokenizer of transformers, which this model does not "
            "have. Leave the key out."
        )
    tokenizer.truncation_side = "left"


def _use_max_tokens(model: Any, max_tokens: int | None) -> None:
    config = getattr(model[0], "config", None)
    found = config.get_text_config().to_dict() if isinstance(config, PreTrainedConfig) else {}
    usable = usable_tokens(found)
    if max_tokens is None:
        # The library takes the number of positions, which not all architectures can use
        if usable is not None and has_table(found) and (model.max_seq_length or usable + 1) > usable:
            model.max_seq_length = usable
        return
    if usable is not None and max_tokens > usable:
        raise ConfigError(
            f"max_tokens: {max_tokens} is more than the {usable} positions that the model has for a text. Write at "
            f"most {usable}, or leave the key out: the model's own limit is {model.max_seq_length}."
        )
    model.max_seq_length = max_tokens
