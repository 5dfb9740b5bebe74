"""From the folder of a model to a model of sentence-transformers that is ready to read texts on a device."""

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch
from huggingface_hub.errors import StrictDataclassError
from safetensors import SafetensorError
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, Router, Transformer
from torch import nn
from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase
from transformers.utils import logging as transformers_logging

from sentflow.encoders.neural.tokenizer import tokenizer_arguments
from sentflow.encoders.safety import has_table, modules_of, usable_tokens
from sentflow.encoders.settings import (
    BFLOAT16,
    BFLOAT16_AUTOCAST,
    FLOAT32,
    TORCH,
    TextSettings,
    VectorSettings,
)
from sentflow.errors import ConfigError, DataError, listed
from sentflow.files.io import read_json

logger = logging.getLogger(__name__)

OFFLINE: Mapping[str, bool] = MappingProxyType({"local_files_only": True, "trust_remote_code": False})
_NONE: Mapping[str, str] = MappingProxyType({})

# Name in a model entry → mode of the pooling module of sentence-transformers.
TOKEN_POOLINGS = {
    "cls": "cls",
    "last-token": "lasttoken",
    "max": "max",
    "mean": "mean",
    "mean-sqrt-length": "mean_sqrt_len_tokens",
    "weighted-mean": "weightedmean",
}
# Name → the two hidden states whose mean is averaged over tokens; 0 is the embedding layer, 1 the first
# transformer layer. The "first-last" of the paper on SimCSE (2104.08821, table 5) was embedding-last; its code
# (princeton-nlp/SimCSE@206d7ae) has since become what is called first-last here.
LAYER_POOLINGS = {"first-last": (1, -1), "last-two": (-2, -1), "embedding-last": (0, -1)}

# As cpuinfo names instructions for products of bfloat16: AVX-512 and AMX of x86, NEON and SVE of ARM
_OF_BFLOAT16 = ("avx512_bf16", "amx_bf16", "bf16", "sve_bf16")


def load_model(
    folder: Path,
    settings: VectorSettings,
    device: str,
    about: Mapping[str, Any],
    *,
    plain: bool,
    threads: int = 1,
) -> SentenceTransformer:
    """The model of a folder, whose safety was checked, with everything that the settings change in it.

    `about`: the settings of its manifest. `plain`: take the transformer in the folder itself, with the pooling of the
    settings or the mean, whatever modules the folder names. `threads`: of another backend than torch.
    """
    transformers_logging.disable_progress_bar()
    arguments = loading_arguments(settings.dtype, allow_pickle=bool(about.get("allow_pickle")))
    tokenizer = tokenizer_arguments(about)
    if settings.backend != TORCH:
        arguments["attn_implementation"] = "eager"  # fused attention has no counterpart to export to
    with loading(folder):
        if plain:
            model = _plain_model(folder, arguments, tokenizer, settings.pooling or "mean", device)
        else:
            model = SentenceTransformer(
                str(folder), device=device, model_kwargs=arguments, processor_kwargs=tokenizer, **OFFLINE
            )
        check_weights(model, folder, arguments, plain=plain)
    check_padding(tokenizer_in(model), folder)
    if settings.pooling is not None and not plain:
        _replace_pooling(model, settings.pooling)
    _check_first_token(model, folder)
    make_ready(model, settings, dtype=arguments["dtype"])
    if settings.backend != TORCH:
        from sentflow.encoders.neural.backends import use_backend

        use_backend(model, settings.backend, threads=threads)
    return model


def loading_arguments(dtype: str, *, allow_pickle: bool) -> dict[str, Any]:
    """What transformers is told when it loads weights."""
    # `check_weights` refuses tensors of another size, and names them
    told: dict[str, Any] = {
        "dtype": dtype_of(dtype),
        "weights_only": True,
        "ignore_mismatched_sizes": True,
    }
    return told if allow_pickle else {**told, "use_safetensors": True}


def dtype_of(name: str) -> torch.dtype:
    """Of weights, by the name in an entry."""
    dtype: torch.dtype = getattr(torch, FLOAT32 if name == BFLOAT16_AUTOCAST else name)
    return dtype


def transformer_in(
    folder: Path | str, arguments: Mapping[str, Any], tokenizer: Mapping[str, str] = _NONE, **more: Any
) -> Transformer:
    """The transformer in a folder itself; neither the hub is asked, nor does code of the folder run."""
    told = {"model_kwargs": arguments, "processor_kwargs": tokenizer, "config_kwargs": {}}
    return Transformer(str(folder), **{name: {**own, **OFFLINE} for name, own in told.items()}, **more)


def _plain_model(
    folder: Path, arguments: dict[str, Any], tokenizer: Mapping[str, str], pooling: str, device: str
) -> SentenceTransformer:
    transformer = transformer_in(folder, arguments, tokenizer)
    if transformer.tokenizer is not None and transformer.tokenizer.pad_token is None:
        # The token itself is never read: padding is masked
        transformer.tokenizer.pad_token = transformer.tokenizer.eos_token or transformer.tokenizer.unk_token
    module = _make_pooling(transformer, pooling, include_prompt=True)
    return SentenceTransformer(modules=[transformer, module], device=device)


# --- devices ------------------------------------------------------------------------------------------------


def devices_for(named: Sequence[str], backend: str = TORCH, dtype: str = FLOAT32) -> Sequence[str]:
    """The devices of an entry, or a CUDA device if there is one, else the processor; warns of slow types of numbers.

    Raises ConfigError: a device is not there, or the backend does not compute on it.
    """
    if not named:
        named = ("cuda",) if backend == TORCH and torch.cuda.is_available() else ("cpu",)
    if backend != TORCH and any(device != "cpu" for device in named):
        raise ConfigError(
            f"device: the backend {backend} computes on the processor here. Write device: cpu, or backend: torch."
        )
    known = ["cpu"]
    if torch.backends.mps.is_available():
        known.append("mps")
    for kind in (torch.cuda, torch.xpu):
        if kind.is_available():
            name = kind.__name__.rpartition(".")[2]
            known += [name, *(f"{name}:{number}" for number in range(kind.device_count()))]
    if missing := [device for device in named if device not in known]:
        raise ConfigError(
            f"device: this machine has no {', '.join(missing)} that torch can use. Write one of: "
            f"{', '.join(known)}; or leave the key out."
        )
    able = torch.cpu.get_capabilities()
    if dtype in (BFLOAT16, BFLOAT16_AUTOCAST) and "cpu" in named and not any(map(able.get, _OF_BFLOAT16)):
        logger.warning(
            "dtype: %s: this processor has no instructions for bfloat16, so it is slower here than float32. Leave "
            "dtype out to be faster",
            dtype,
        )
    return named


# --- types of numbers, and lengths of texts -----------------------------------------------------------------


def make_ready(model: Any, settings: TextSettings, *, dtype: torch.dtype) -> None:
    """Bring a model of sentence-transformers to its type of numbers, and its texts to their length."""
    model.to(dtype).eval()
    _use_max_tokens(model, settings.max_tokens)
    if settings.truncation == "start":
        tokenizer = tokenizer_in(model)
        if not isinstance(tokenizer, PreTrainedTokenizerBase):
            raise ConfigError(
                "truncation: texts are cut at the start by a tokenizer of transformers, which this model does not "
                "have. Leave the key out."
            )
        tokenizer.truncation_side = "left"


def tokenizer_in(model: Any) -> Any:
    """The tokenizer of the first module of a model of sentence-transformers; None where it has none."""
    return getattr(model[0], "tokenizer", None)


def check_padding(tokenizer: Any, folder: Path) -> None:
    """Refuse a tokenizer that cannot bring the texts of a batch to one length."""
    if isinstance(tokenizer, PreTrainedTokenizerBase) and tokenizer.pad_token is None:
        raise DataError(
            f"{folder}: the tokenizer has no padding token, so no two texts can be embedded together. Write pad_token "
            "into tokenizer_config.json, as the authors of the model say it, or take kind: transformers."
        )


def check_positions(max_tokens: int, usable: int | None, own: int | None) -> None:
    """Refuse more tokens than a model has positions; `own` is its own limit."""
    if usable is not None and max_tokens > usable:
        raise ConfigError(
            f"max_tokens: {max_tokens} is more than the {usable} positions that the model has for a text. Write at "
            f"most {usable}, or leave the key out: the model's own limit is {own}."
        )


def _check_first_token(model: Any, folder: Path) -> None:
    """Refuse to take the first token for the text where the tokenizer puts another there than that for classes."""
    tokenizer = tokenizer_in(model)
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


def text_config_of(model: Any) -> dict[str, Any]:
    """What ``config.json`` says of the transformer that reads texts; empty where a model begins with another module."""
    config = getattr(model[0], "config", None)
    return config.get_text_config().to_dict() if isinstance(config, PreTrainedConfig) else {}


def _use_max_tokens(model: Any, max_tokens: int | None) -> None:
    text_config = text_config_of(model)
    usable = usable_tokens(text_config)
    if max_tokens is not None:
        check_positions(max_tokens, usable, model.max_seq_length)
        model.max_seq_length = max_tokens
    # The library takes the number of positions, which not all architectures can use
    elif usable is not None and has_table(text_config) and (model.max_seq_length or usable + 1) > usable:
        model.max_seq_length = usable


# --- pooling ------------------------------------------------------------------------------------------------


class LayerPooling(torch.nn.Module):
    """The mean of two hidden states (0 is the embedding layer), averaged over the tokens that are not padding."""

    def __init__(self, width: int, layers: tuple[int, int], *, include_prompt: bool) -> None:
        super().__init__()
        self._layers = layers
        self._mean = Pooling(width, "mean", include_prompt=include_prompt)
        self.include_prompt = include_prompt

    def get_embedding_dimension(self) -> int:
        """Width of the vectors, which sentence-transformers asks the last module for."""
        return int(self._mean.get_embedding_dimension())

    def forward(self, features: dict[str, Any]) -> dict[str, Any]:
        """Adds ``sentence_embedding``, (k, width), to features with ``all_layer_embeddings``."""
        first, second = (features["all_layer_embeddings"][layer] for layer in self._layers)
        pooled: dict[str, Any] = self._mean({**features, "token_embeddings": (first + second) / 2})
        return {**features, "sentence_embedding": pooled["sentence_embedding"]}


def _make_pooling(transformer: Transformer, pooling: str, *, include_prompt: bool) -> Any:
    """The module of a pooling by its name in a model entry; makes the transformer give what it reads."""
    width = transformer.get_embedding_dimension()
    if pooling in TOKEN_POOLINGS:
        return Pooling(width, TOKEN_POOLINGS[pooling], include_prompt=include_prompt)
    transformer.auto_model.config.output_hidden_states = True
    return LayerPooling(width, LAYER_POOLINGS[pooling], include_prompt=include_prompt)


def _replace_pooling(model: SentenceTransformer, pooling: str) -> None:
    """Put another pooling in the place of a model's own."""
    places = [name for name, module in model.named_children() if isinstance(module, Pooling)]
    if len(places) != 1 or not isinstance(model[0], Transformer):
        raise ConfigError(
            f"pooling: the model has {len(places)} poolings of the token vectors of a transformer, where one "
            "can be replaced. Leave the key out."
        )
    own = model.get_submodule(places[0])
    module = _make_pooling(model[0], pooling, include_prompt=own.include_prompt)
    width = module.get_embedding_dimension()
    wanting = [later for later in model.children() if getattr(later, "in_features", width) != width]
    if wanting:
        raise ConfigError(
            f"pooling: {pooling} makes vectors of {width} values, but the model's {type(wanting[0]).__name__} "
            f"reads {wanting[0].in_features}. Leave the key out."
        )
    model.add_module(places[0], module.to(model.device))


# --- that every tensor of a model comes from its files, and the other way round --------------------------------------

# What was trained on top of an encoder, as transformers names it in most models, DistilBERT, ALBERT, …, XLM
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

# What the libraries raise where files are damaged, tensors are missing or a class does not exist.
_LOADING_ERRORS = (
    *(AssertionError, AttributeError, ImportError, LookupError, OSError, OverflowError, RuntimeError),
    *(TypeError, ValueError, SafetensorError, StrictDataclassError),
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

    Allowed are heads and poolers that the encoder does not use, and computed buffers. `plain`: as of `load_model`.
    """
    places = [] if plain else [path for _, path in modules_of(folder)]
    modules = list(model.children())
    for module, place in zip(modules, places or [""] * len(modules), strict=True):
        for part, path in _parts(module, folder / place):
            if isinstance(part, Transformer):
                check_network(
                    _loading_report(part.model, path, arguments),
                    pooler_is_used=any(
                        output["method_output_name"] != _TOKEN_VECTORS
                        for output in part.modality_config.values()
                    ),
                    is_encoder=type(part.model).__name__.endswith("EncoderModel"),
                    folder=folder,
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
    """What is missing, unexpected and mismatched in a folder; sentence-transformers does not pass this report on."""
    told = {**arguments, "dtype": "auto", **OFFLINE}
    with torch.random.fork_rng(devices=[]):
        _, report = type(network).from_pretrained(
            folder, config=deepcopy(network.config), output_loading_info=True, **told
        )
    return report  # type: ignore[no-any-return]


def check_network(info: Mapping[str, Any], *, pooler_is_used: bool, is_encoder: bool, folder: Path) -> None:
    """Refuse a network by what transformers said when it was loaded, see `check_weights`.

    `info`: ``missing_keys``, ``unexpected_keys``, ``mismatched_keys``. `pooler_is_used`: else it may be missing.
    `is_encoder`: half of an encoder–decoder, whose other half may lie in the file.
    """
    missing = [name for name in info["missing_keys"] if pooler_is_used or not _POOLER.match(name)]
    unexpected = [
        name
        for name in info["unexpected_keys"]
        if not _UNUSED_TENSOR.match(name) and not (is_encoder and name.startswith("decoder."))
    ]
    mismatched = [
        f"{name} ({'×'.join(map(str, found))} instead of {'×'.join(map(str, expected))})"
        for name, found, expected in info["mismatched_keys"]
    ]
    problems = [
        f"{len(names)} {what}: {listed(sorted(names), 3)}"
        for what, names in (
            ("missing, so it would be random", missing),
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
