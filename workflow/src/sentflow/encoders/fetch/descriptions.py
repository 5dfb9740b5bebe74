"""What the files of a sentence-transformers model say about its vectors.

Reads JSON and the header of safetensors only, so that no heavy library is loaded and no model code runs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentflow.encoders.fetch.model_size import check_module_size, check_transformer_size
from sentflow.encoders.fetch.module_checks import (
    check_adapter,
    check_module,
    check_one_vector,
    check_own_modules,
    check_pickles,
    with_routes,
)
from sentflow.encoders.fetch.positions import has_table, usable_tokens
from sentflow.encoders.fetch.settings_files import (
    UNLIMITED,
    damaged,
    map_of,
    modules_of,
    read_settings,
    whole_number,
)
from sentflow.encoders.fetch.tensors import tensor_headers
from sentflow.errors import ConfigError, DataError

_POOLING_FLAGS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
_KEEP_DIMENSION = frozenset({"Normalize", "LayerNorm", "Dropout", "WordWeights", "WeightedLayerPooling"})
_SETTINGS_OF = {
    "LSTM": "lstm_config.json",
    "CNN": "cnn_config.json",
    "WordEmbeddings": "wordembedding_config.json",
}


@dataclass(frozen=True)
class ModelDescription:
    """What the files of a model say."""

    dimension: int | None  # width of the vectors; None where only the weights tell
    pooling: str | None  # modes joined by ``+``; None without a pooling module
    max_tokens: int | None  # tokens of a text that are read; None is no limit


def describe(folder: Path, *, allow_pickle: bool) -> ModelDescription:
    """Read the description of a model.

    Raises ConfigError: the model needs code of its own, or pickled weights that were not allowed, or gives no single
    vector of a text.
    """
    description = ModelDescription(dimension=None, pooling=None, max_tokens=None)
    modules = [(name, place, with_routes(name, place)) for name, place in _modules(folder)]
    check_one_vector(folder, [inner for _, _, routes in modules for inner, _ in routes])
    for name, module_folder, routes in modules:
        for inner, inner_folder in routes:
            check_module(inner, inner_folder, allow_pickle=allow_pickle)
            if inner == "Transformer":
                check_transformer_size(inner_folder, map_of(inner_folder / "config.json"))
            else:
                path = inner_folder / _SETTINGS_OF.get(inner, "config.json")
                check_module_size(path, map_of(path))
        if name not in _KEEP_DIMENSION:
            description = _READERS.get(name, _unknown)(module_folder, description)
    return description


def describe_plain(folder: Path, *, allow_pickle: bool) -> ModelDescription:
    """Read the description of the transformer in a folder, whatever modules are named beside it."""
    if not (folder / "config.json").is_file():
        raise DataError(
            f"{folder} holds no config.json. Write the folder of a model as transformers saves it; one with "
            "modules.json is a model of kind sentence-transformers."
        )
    config = read_settings(folder / "config.json")
    if "auto_map" in config and "model_type" not in config:
        raise ConfigError(
            f"{folder}: config.json names code that comes with the model, and such code is never run. Choose "
            "an architecture that transformers has."
        )
    check_pickles("Transformer", folder, allow_pickle=allow_pickle)
    check_adapter(folder)
    check_transformer_size(folder, config)
    description = _transformer(folder, ModelDescription(None, None, None))
    # How the token vectors become one is a setting of the entry, not of the files
    return ModelDescription(description.dimension, None, description.max_tokens)


def _modules(folder: Path) -> list[tuple[str, Path]]:
    """Class name and folder of each module."""
    if not (folder / "modules.json").is_file():
        if not (folder / "config.json").is_file():
            raise DataError(
                f"{folder} holds neither modules.json nor config.json. Write the folder of a model as "
                "sentence-transformers or transformers saves it."
            )
        # What sentence-transformers makes of a plain transformer: mean of the token vectors
        return [("Transformer", folder), ("MeanPooling", folder)]
    modules = modules_of(folder)
    check_own_modules([kind for kind, _ in modules], folder)
    return [(kind.rsplit(".", 1)[-1], folder / path) for kind, path in modules]


def _transformer(folder: Path, _: ModelDescription) -> ModelDescription:
    config = read_settings(folder / "config.json")
    text_config = config.get("text_config", config)
    if not isinstance(text_config, dict):
        raise DataError(damaged(folder / "config.json", "text_config is no map"))
    dimension = next(
        (
            whole_number(text_config, key, folder / "config.json")
            for key in ("hidden_size", "dim", "d_model")
            if key in text_config
        ),
        None,
    )
    return ModelDescription(dimension=dimension, pooling=None, max_tokens=_max_tokens(folder, text_config))


def _max_tokens(folder: Path, config: Mapping[str, Any]) -> int | None:
    usable = usable_tokens(config)
    for path in sorted(folder.glob("sentence_*config.json")):
        about = read_settings(path)
        limit = about.get("max_seq_length")
        if limit is None:
            continue
        unlimited = isinstance(limit, int | float) and limit >= UNLIMITED
        stated = None if unlimited else whole_number(about, "max_seq_length", path)
        if usable is not None and has_table(config) and (stated is None or stated > usable):
            raise ConfigError(
                f"{path}: max_seq_length is {limit}, but the model has positions for {usable} tokens. Write {usable} "
                "there, in a copy of the model in a folder of your own."
            )
        return stated
    tokenizer = map_of(folder / "tokenizer_config.json")
    limits = [tokenizer.get("model_max_length"), config.get("max_position_embeddings")]
    if any(not isinstance(limit, int | float | None) for limit in limits):
        raise DataError(
            damaged(
                folder, "model_max_length of tokenizer_config.json or max_position_embeddings is no number"
            )
        )
    finite = [int(limit) for limit in (limits[0], usable) if limit is not None and 0 < limit < UNLIMITED]
    return min(finite, default=None)


def _pooling(folder: Path, before: ModelDescription) -> ModelDescription:
    config = read_settings(folder / "config.json")
    widths = [key for key in ("embedding_dimension", "word_embedding_dimension") if key in config]
    width = whole_number(config, widths[0], folder / "config.json") if widths else before.dimension
    stated = config.get("pooling_mode", [name for flag, name in _POOLING_FLAGS.items() if config.get(flag)])
    modes = [stated] if isinstance(stated, str) else stated or ["mean"]
    if not isinstance(modes, list) or not all(isinstance(mode, str) for mode in modes):
        raise DataError(damaged(folder / "config.json", "pooling_mode is neither a text nor a list of texts"))
    dimension = None if width is None else width * len(modes)
    return ModelDescription(dimension=dimension, pooling="+".join(modes), max_tokens=before.max_tokens)


def _mean_pooling(_: Path, before: ModelDescription) -> ModelDescription:
    return ModelDescription(before.dimension, "mean", before.max_tokens)


def _dense(folder: Path, before: ModelDescription) -> ModelDescription:
    width = whole_number(read_settings(folder / "config.json"), "out_features", folder / "config.json")
    return ModelDescription(width, before.pooling, before.max_tokens)


def _static_embedding(folder: Path, _: ModelDescription) -> ModelDescription:
    tensors = tensor_headers(folder / "model.safetensors")
    table = tensors.get("embedding.weight", tensors.get("embeddings"))
    if table is not None and len(table.shape) != 2:
        raise DataError(damaged(folder / "model.safetensors", "its table of vectors has not two dimensions"))
    dimension = None if table is None else table.shape[1]
    return ModelDescription(dimension=dimension, pooling="mean", max_tokens=None)


def _unknown(_: Path, before: ModelDescription) -> ModelDescription:
    return ModelDescription(None, before.pooling, before.max_tokens)


_READERS: dict[str, Callable[[Path, ModelDescription], ModelDescription]] = {
    "Transformer": _transformer,
    "Pooling": _pooling,
    "MeanPooling": _mean_pooling,
    "Dense": _dense,
    "StaticEmbedding": _static_embedding,
}
