"""What the files of a neural model say about its vectors; see `sentflow.encoders.safety` for what is refused."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sentflow.encoders.manifest import Description
from sentflow.encoders.safety import (
    UNLIMITED,
    check_adapter,
    check_module,
    check_module_size,
    check_one_vector,
    check_own_modules,
    check_transformer_size,
    check_weights_files,
    damaged,
    map_of,
    modules_of,
    read_settings,
    tensor_headers,
    whole_number,
    with_routes,
)
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


def describe_modules(entry: Mapping[str, Any], folder: Path) -> Description:
    """Read the description of a model; the entry, or the settings of a manifest, may have ``allow_pickle``.

    Raises ConfigError: the model needs code of its own, or pickled weights that were not allowed, or gives no single
    vector of a text.
    """
    description = Description(None)
    modules = [(name, place, with_routes(name, place)) for name, place in _modules(folder)]
    check_one_vector(folder, [inner for _, _, routes in modules for inner, _ in routes])
    for name, module_folder, routes in modules:
        for inner, inner_folder in routes:
            check_module(inner, inner_folder, allow_pickle=bool(entry.get("allow_pickle")))
            if inner == "Transformer":
                check_transformer_size(inner_folder, map_of(inner_folder / "config.json"))
            else:
                path = inner_folder / _SETTINGS_OF.get(inner, "config.json")
                check_module_size(path, map_of(path))
        if name not in _KEEP_DIMENSION:
            read = _READERS.get(name)
            description = read(module_folder, description) if read else replace(description, dimension=None)
    return of_entry(entry, description)


def of_entry(entry: Mapping[str, Any], description: Description) -> Description:
    """A description with those keys of its entry that a manifest repeats."""
    own = {"tokenizer_class": entry["tokenizer_class"]} if "tokenizer_class" in entry else {}
    return replace(description, settings={"allow_pickle": bool(entry.get("allow_pickle")), **own})


def describe_plain(entry: Mapping[str, Any], folder: Path) -> Description:
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
    check_weights_files("Transformer", folder, allow_pickle=bool(entry.get("allow_pickle")))
    check_adapter(folder)
    check_transformer_size(folder, config)
    description = _transformer(folder, Description(None))
    # How the token vectors become one is a setting of the entry, not of the files
    return of_entry(entry, replace(description, pooling=None))


def _modules(folder: Path) -> list[tuple[str, Path]]:
    """Class name and folder of each module."""
    if not (folder / "modules.json").is_file():
        if not (folder / "config.json").is_file():
            raise DataError(
                f"{folder} is not a model folder: it has no modules.json and no config.json. Write a "
                "folder saved by sentence-transformers or transformers."
            )
        # What sentence-transformers makes of a plain transformer: mean of the token vectors
        return [("Transformer", folder), ("MeanPooling", folder)]
    modules = modules_of(folder)
    check_own_modules([kind for kind, _ in modules], folder)
    return [(kind.rsplit(".", 1)[-1], folder / path) for kind, path in modules]


def _transformer(folder: Path, _: Description) -> Description:
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
    return Description(dimension=dimension, pooling=None, max_tokens=_max_tokens(folder, text_config))


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


def _pooling(folder: Path, before: Description) -> Description:
    config = read_settings(folder / "config.json")
    widths = [key for key in ("embedding_dimension", "word_embedding_dimension") if key in config]
    width = whole_number(config, widths[0], folder / "config.json") if widths else before.dimension
    stated = config.get("pooling_mode", [name for flag, name in _POOLING_FLAGS.items() if config.get(flag)])
    modes = [stated] if isinstance(stated, str) else stated or ["mean"]
    if not isinstance(modes, list) or not all(isinstance(mode, str) for mode in modes):
        raise DataError(damaged(folder / "config.json", "pooling_mode is neither a text nor a list of texts"))
    dimension = None if width is None else width * len(modes)
    return replace(before, dimension=dimension, pooling="+".join(modes))


def _dense(folder: Path, before: Description) -> Description:
    path = folder / "config.json"
    return replace(before, dimension=whole_number(read_settings(path), "out_features", path))


def _static_embedding(folder: Path, _: Description) -> Description:
    tensors = tensor_headers(folder / "model.safetensors")
    table = tensors.get("embedding.weight", tensors.get("embeddings"))
    if table is not None and len(table.shape) != 2:
        raise DataError(damaged(folder / "model.safetensors", "its table of vectors has not two dimensions"))
    return Description(None if table is None else table.shape[1], "mean")


_READERS: dict[str, Callable[[Path, Description], Description]] = {
    "Transformer": _transformer,
    "Pooling": _pooling,
    "MeanPooling": lambda _, before: replace(before, pooling="mean"),
    "Dense": _dense,
    "StaticEmbedding": _static_embedding,
}


# --- positions --------------------------------------------------------------------------------------------

# Count positions from behind the id of the padding, so that 514 of them hold 512 tokens
_BEHIND_PADDING = """
camembert data2vec-text ibert layoutlmv3 lilt longformer luke markuplm mpnet roberta roberta-prelayernorm xlm-roberta
xlm-roberta-xl xmod
"""
_FROM_ZERO = """
albert bert bert-generation big_bird convbert distilbert electra ernie fnet gpt2 layoutlm megatron-bert mobilebert
rembert roc_bert squeezebert xlm
"""
_BIASED = frozenset({"deberta", "deberta-v2"})
_MPNET = "mpnet"  # whose code has the id of the padding, whatever its configuration says
_USUAL_PADDING = 1


def usable_tokens(config: Mapping[str, Any]) -> int | None:
    """Tokens of a text that its positions hold; None where the configuration states none.

    `config`: of the transformer that reads text, as ``config.json`` holds it.
    """
    positions = config.get("max_position_embeddings")
    if not isinstance(positions, int | float) or positions <= 0:
        return None
    kind, padding = config.get("model_type"), config.get("pad_token_id")
    if kind not in _BEHIND_PADDING.split():
        return int(positions)
    return int(positions) - 1 - (padding if isinstance(padding, int) and kind != _MPNET else _USUAL_PADDING)


def has_table(config: Mapping[str, Any]) -> bool:
    """Whether a longer text is an error, for each position has a learnt vector; others compute their positions."""
    kind = config.get("model_type")
    return kind in f"{_BEHIND_PADDING}{_FROM_ZERO}".split() or (
        kind in _BIASED and config.get("position_biased_input", True) is True
    )
