"""That every tensor of a model comes from its files, and that every tensor of its files has a place in the model.

What transformers does not find it fills with random numbers, other ones in every run, and only warns.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch
from huggingface_hub.errors import StrictDataclassError
from safetensors import SafetensorError
from sentence_transformers.sentence_transformer.modules import (
    CNN,
    LSTM,
    Dense,
    LayerNorm,
    Router,
    StaticEmbedding,
    Transformer,
    WeightedLayerPooling,
    WordEmbeddings,
    WordWeights,
)
from torch import nn
from transformers import PreTrainedModel

from sentflow.encoders.safety import modules_of
from sentflow.errors import DataError
from sentflow.files.io import read_json

# What was trained on top of an encoder, by the names that transformers gives it in saved models: of most, of
# DistilBERT, ALBERT, ELECTRA, DeBERTa, and of XLNet and XLM
_HEADS = """
cls lm_head embed_out classifier pre_classifier score qa_outputs seq_relationship
vocab_transform vocab_layer_norm vocab_projector
predictions sop_classifier
discriminator_predictions generator_predictions generator_lm_head
lm_predictions mask_predictions
lm_loss sequence_summary pred_layer
"""
_UNUSED = (
    rf"({'|'.join(_HEADS.split())})\.",
    r"head\.(dense|norm)\.|decoder\.(weight|bias)$",  # ModernBERT
    r"final_logits_bias$",  # BART
    r"(\w+\.)?pooler\.",
    r"(.+\.)?(position_ids|rotary_emb\.inv_freq)$",  # computed, and saved by older versions
)
_UNUSED_TENSOR = re.compile("|".join(_UNUSED))
_POOLER = re.compile(r"(\w+\.)?pooler\.")
_TOKEN_VECTORS = "last_hidden_state"

# Modules that refuse any other tensors than their own, or whose tensors `sentflow.encoders.safety` compares; the
# weights of WordWeights stand in its configuration.
_CHECKED_MODULES = (
    Dense,
    LayerNorm,
    LSTM,
    CNN,
    WeightedLayerPooling,
    StaticEmbedding,
    WordEmbeddings,
    WordWeights,
)
_NAMED = 3

# What the libraries raise where files are damaged, tensors are missing or a class does not exist.
_LOADING_ERRORS = (
    *(
        AssertionError,
        AttributeError,
        ImportError,
        LookupError,
        OSError,
        OverflowError,
        RuntimeError,
        TypeError,
    ),
    *(ValueError, SafetensorError, StrictDataclassError),
)


@contextmanager
def loading(folder: Path) -> Iterator[None]:
    """Load a model inside."""
    try:
        yield
    except torch.OutOfMemoryError:
        raise
    except _LOADING_ERRORS as error:
        reason = " ".join(str(error).split())
        raise DataError(
            f"{folder} cannot be loaded ({type(error).__name__}: {reason}). Take the files of the model as their "
            "authors published them, all of one version."
        ) from error


def check_weights(model: nn.Module, folder: Path, arguments: Mapping[str, Any], *, plain: bool) -> None:
    """Refuse a model of which a tensor is missing, has another shape, or has no place in it.

    Allowed are heads and poolers that the encoder does not use, and buffers that are computed.

    `plain`: whether the transformer is that of the folder itself, whatever ``modules.json`` says.
    """
    places = [] if plain else [path for _, path in modules_of(folder)]
    modules = list(model.children())
    for module, place in zip(modules, places or [""] * len(modules), strict=True):
        for part, path in _parts(module, folder / place):
            if isinstance(part, Transformer):
                check_network(
                    _loading_report(part.model, path, arguments),
                    pooler_is_used=_uses_pooler(part),
                    is_encoder=type(part.model).__name__.endswith("EncoderModel"),
                    folder=folder,
                )
            elif not isinstance(part, _CHECKED_MODULES) and part.state_dict():
                raise DataError(
                    f"{folder}: the module {type(part).__name__} holds weights, and it is not known here whether all "
                    f"of them are read. Choose a model made of Transformer, Pooling, Normalize, Dropout, BoW, "
                    f"{', '.join(known.__name__ for known in _CHECKED_MODULES)}."
                )


def _parts(module: nn.Module, folder: Path) -> Iterator[tuple[nn.Module, Path]]:
    """A module and its folder; in place of a router the modules that it holds."""
    if not isinstance(module, Router):
        yield module, folder
        return
    for route, names in read_json(folder / "router_config.json")["structure"].items():
        for part, name in zip(module.sub_modules[route], names, strict=True):
            yield from _parts(part, folder / name)


def _loading_report(
    network: PreTrainedModel, folder: Path, arguments: Mapping[str, Any]
) -> Mapping[str, Any]:
    """``missing_keys``, ``unexpected_keys`` and ``mismatched_keys`` of a network in the files of its folder.

    sentence-transformers does not pass this report on. To load once more costs little, for the files are mapped.
    """
    told = {**arguments, "dtype": "auto", "local_files_only": True, "trust_remote_code": False}
    with torch.random.fork_rng(devices=[]):
        _, report = type(network).from_pretrained(
            folder, config=deepcopy(network.config), output_loading_info=True, **told
        )
    return report  # type: ignore[no-any-return]


def _uses_pooler(transformer: Transformer) -> bool:
    outputs = [output["method_output_name"] for output in transformer.modality_config.values()]
    return any(output != _TOKEN_VECTORS for output in outputs)


def check_network(info: Mapping[str, Any], *, pooler_is_used: bool, is_encoder: bool, folder: Path) -> None:
    """Refuse a network by what transformers said when it was loaded, see `check_weights`.

    `info`: ``missing_keys``, ``unexpected_keys`` and ``mismatched_keys``. `pooler_is_used`: otherwise it may be
    missing. `is_encoder`: the class is the half of an encoder–decoder, whose other half may lie in the file.
    """
    missing = [name for name in info["missing_keys"] if pooler_is_used or not _POOLER.match(name)]
    unexpected = [
        name
        for name in info["unexpected_keys"]
        if not _UNUSED_TENSOR.match(name) and not (is_encoder and name.startswith("decoder."))
    ]
    mismatched = [
        f"{name} ({_shape(found)} instead of {_shape(expected)})"
        for name, found, expected in info["mismatched_keys"]
    ]
    problems = [
        f"{len(names)} {what}: {_listed(names)}"
        for what, names in (
            ("missing, in whose place would stand random numbers", missing),
            ("of another shape than config.json says", mismatched),
            ("without a place in the model", unexpected),
        )
        if names
    ]
    if problems:
        raise DataError(
            f"{folder}: the tensors of the weights are not those of the model. {'; '.join(problems)}. Take "
            "config.json and weights of one and the same version, as their authors published them. If the only "
            "ones too many are of a head that the encoder does not need, save it without: "
            "AutoModel.from_pretrained(folder).save_pretrained(new_folder)."
        )


def _shape(shape: Sequence[int]) -> str:
    return "×".join(str(length) for length in shape) or "a number"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(sorted(names)[:_NAMED]) + more
