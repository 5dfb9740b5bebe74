"""The files of a sentence-transformers model: which are read, and what they say about its vectors.

Reads JSON and the header of safetensors only, so that no heavy library is loaded and no model code runs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from sentflow.encoders.fetch.model_arguments import check_arguments
from sentflow.encoders.fetch.model_size import check_module_size, check_transformer_size
from sentflow.errors import ConfigError, DataError
from sentflow.files.archives.limits import name_fault
from sentflow.files.io import parse_json
from sentflow.files.limits import MODEL_SETTINGS_BYTES, SAFETENSORS_HEADER_BYTES

PATTERNS = ("*.json", "*.txt", "*.model", "*.safetensors")
PICKLES = "pytorch_model*.bin"
# Other formats of the same weights, which are not read, and what download tools leave behind.
_IGNORED = ("onnx/*", "openvino/*", ".cache/*", "*/onnx/*", "*/openvino/*")

_POOLING_FLAGS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
_KEEP_DIMENSION = frozenset({"Normalize", "LayerNorm", "Dropout", "WordWeights", "WeightedLayerPooling"})
# What the libraries look for before a pickle; only a transformer is read in parts.
_SAFE_WEIGHTS = "model.safetensors"
_SAFE_PARTS = "model.safetensors.index.json"
_TRANSFORMERS = frozenset({"Transformer", "CLIPModel"})
_WITHOUT_WEIGHTS = frozenset({"MeanPooling", "Pooling", "Normalize", "Dropout", "BoW"})
_ROUTERS = frozenset({"Router", "Asym"})
_SETTINGS_OF = {
    "LSTM": "lstm_config.json",
    "CNN": "cnn_config.json",
    "WordEmbeddings": "wordembedding_config.json",
}
# Modules that take the tensors they know and leave others unread → sets of names that they know; the second of
# StaticEmbedding is how model2vec saves it.
_TENSORS = {
    "StaticEmbedding": ({"embedding.weight"}, {"embeddings", "mapping", "weights"}),
    "WordEmbeddings": ({"emb_layer.weight"},),
}
_UNLIMITED = 10**6  # tokenizers write "no limit" as a number of thirty digits


@dataclass(frozen=True)
class ModelDescription:
    """What the files of a model say.

    Attributes
    ----------
    dimension
        Width of the vectors; None where only the weights tell.
    pooling
        Modes joined by ``+``; None without a pooling module.
    max_tokens
        Tokens of a text that are read; None is no limit.
    """

    dimension: int | None
    pooling: str | None
    max_tokens: int | None


def is_model_file(name: str, *, allow_pickle: bool) -> bool:
    """Whether a file (path in the model's folder, with ``/``) is read when the model is loaded."""
    if any(fnmatch(name, pattern) for pattern in _IGNORED):
        return False
    patterns = (*PATTERNS, PICKLES) if allow_pickle else PATTERNS
    return any(fnmatch(name.rsplit("/", 1)[-1], pattern) for pattern in patterns)


def model_files(folder: Path, *, allow_pickle: bool) -> list[str]:
    """Names of the files of a model that are read, sorted."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return sorted(name for name in names if is_model_file(name, allow_pickle=allow_pickle))


def describe(folder: Path, *, allow_pickle: bool) -> ModelDescription:
    """Read the description of a model.

    Raises
    ------
    DataError
        Not the folder of a model, or a file is damaged.
    ConfigError
        The model needs code of its own, or pickled weights that were not allowed.
    """
    description = ModelDescription(dimension=None, pooling=None, max_tokens=None)
    for name, module_folder in _modules(folder):
        for inner, inner_folder in _with_routes(name, module_folder):
            _check_module(inner, inner_folder, allow_pickle=allow_pickle)
            if inner == "Transformer":
                check_transformer_size(inner_folder, map_of(inner_folder / "config.json"))
            else:
                path = inner_folder / _SETTINGS_OF.get(inner, "config.json")
                check_module_size(path, map_of(path))
        if name not in _KEEP_DIMENSION:
            description = _READERS.get(name, _unknown)(module_folder, description)
    return description


def describe_plain(folder: Path, *, allow_pickle: bool) -> ModelDescription:
    """Read the description of the transformer in a folder, whatever modules are named beside it.

    Raises
    ------
    DataError
        The folder itself holds no transformer, or a file is damaged.
    ConfigError
        The model needs code of its own, or pickled weights that were not allowed.
    """
    if not (folder / "config.json").is_file():
        raise DataError(
            f"{folder} holds no config.json. Write the folder of a model as transformers saves it; one with "
            "modules.json is a model of kind sentence-transformers."
        )
    config = _read(folder / "config.json")
    if "auto_map" in config and "model_type" not in config:
        raise ConfigError(
            f"{folder}: config.json names code that comes with the model, and such code is never run. Choose "
            "an architecture that transformers has."
        )
    _check_weights("Transformer", folder, allow_pickle=allow_pickle)
    _check_adapter(folder)
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
    _check_own([kind for kind, _ in modules], folder)
    return [(kind.rsplit(".", 1)[-1], folder / path) for kind, path in modules]


def _with_routes(name: str, folder: Path) -> list[tuple[str, Path]]:
    """A module, or in place of a router the modules that it holds."""
    if name not in _ROUTERS:
        return [(name, folder)]
    file = folder / "router_config.json"
    file = file if file.is_file() else folder / "config.json"
    types = _read(file).get("types")
    if not isinstance(types, dict) or not all(isinstance(name, str) for name in types.values()):
        raise DataError(_damaged(file, f"the {name} needs types, a map of folders to classes"))
    if outside := [path for path in types if path and name_fault(path)]:
        raise DataError(_damaged(file, f"the path {outside[0]!r} leads out of the folder of the model"))
    _check_own(list(types.values()), folder)
    return [
        inner
        for path, type_name in types.items()
        for inner in _with_routes(type_name.rsplit(".", 1)[-1], folder / path)
    ]


def _check_own(types: Sequence[str], folder: Path) -> None:
    if foreign := [name for name in types if not name.startswith("sentence_transformers.")]:
        raise ConfigError(
            f"{folder}: the modules {', '.join(foreign)} are code that comes with the model, and such code "
            "is never run. Choose a model made of the modules of sentence-transformers."
        )


def modules_of(folder: Path) -> list[tuple[str, str]]:
    """Class and folder of each module as ``modules.json`` names them; none where there is no such file.

    Raises
    ------
    DataError
        The file is damaged: no list of maps with type and path, or a path leads out of the model's folder.
    """
    file = folder / "modules.json"
    if not file.is_file():
        return []
    modules = _read(file, list)
    whole = [
        isinstance(module, dict)
        and isinstance(module.get("type"), str)
        and isinstance(module.get("path"), str)
        for module in modules
    ]
    if not modules or not all(whole):
        raise DataError(_damaged(file, 'it must be a list of maps, each with the texts "type" and "path"'))
    if outside := [module["path"] for module in modules if module["path"] and name_fault(module["path"])]:
        raise DataError(_damaged(file, f"the path {outside[0]!r} leads out of the folder of the model"))
    return [(module["type"], module["path"]) for module in modules]


def _check_module(name: str, folder: Path, *, allow_pickle: bool) -> None:
    _check_weights(name, folder, allow_pickle=allow_pickle)
    _check_adapter(folder)
    for path in sorted(folder.glob("sentence_*config.json")):
        check_arguments(str(path), _read(path))
    weights = folder / _SAFE_WEIGHTS
    if name in _TENSORS and weights.is_file():  # of a pickle, only loading tells the names
        tensors = safetensors_header(weights).keys()
        known = next((known for known in _TENSORS[name] if known & tensors), _TENSORS[name][0])
        check_tensor_names(weights, tensors, known=known)


def _check_weights(name: str, folder: Path, *, allow_pickle: bool) -> None:
    if allow_pickle or name in _WITHOUT_WEIGHTS or not folder.is_dir():
        return
    safe = (_SAFE_WEIGHTS, _SAFE_PARTS) if name in _TRANSFORMERS else (_SAFE_WEIGHTS,)
    if any(folder.glob(PICKLES)) and not any((folder / file).is_file() for file in safe):
        raise ConfigError(
            f"{folder}: the weights are there as a pickle only (pytorch_model.bin). Convert them with "
            "SentenceTransformer(folder).save(new_folder), which writes model.safetensors, or, if you trust "
            "where they come from, write allow_pickle: true in the model's entry."
        )


def _check_adapter(folder: Path) -> None:
    if (folder / "adapter_config.json").is_file():
        raise ConfigError(
            f"{folder}: adapter_config.json names another model that this one is laid over, of which nothing is "
            "checked. Write the merged model into a folder: model.merge_and_unload().save_pretrained(new_folder)."
        )


def check_tensor_names(path: Path, names: Iterable[str], *, known: Iterable[str]) -> None:
    """Refuse a file of weights with tensors that nobody reads.

    Raises
    ------
    DataError
        Names the first of them.
    """
    if unexpected := sorted({*names} - {*known}):
        more = f" and {len(unexpected) - 3} more" if len(unexpected) > 3 else ""
        raise DataError(
            f"{path} holds tensors that have no place in the model: {', '.join(unexpected[:3])}{more}. Known: "
            f"{', '.join(sorted(known))}. Take the weights as their authors published them."
        )


def _transformer(folder: Path, _: ModelDescription) -> ModelDescription:
    config = _read(folder / "config.json")
    text_config = config.get("text_config", config)
    if not isinstance(text_config, dict):
        raise DataError(_damaged(folder / "config.json", "text_config is no map"))
    dimension = next(
        (
            _whole(text_config, key, folder / "config.json")
            for key in ("hidden_size", "dim", "d_model")
            if key in text_config
        ),
        None,
    )
    return ModelDescription(dimension=dimension, pooling=None, max_tokens=_max_tokens(folder, text_config))


def _max_tokens(folder: Path, config: Mapping[str, Any]) -> int | None:
    for path in sorted(folder.glob("sentence_*config.json")):
        about = _read(path)
        limit = about.get("max_seq_length")
        if limit is not None:
            unlimited = isinstance(limit, int | float) and limit >= _UNLIMITED
            return None if unlimited else _whole(about, "max_seq_length", path)
    tokenizer = map_of(folder / "tokenizer_config.json")
    limits = [tokenizer.get("model_max_length"), config.get("max_position_embeddings")]
    if any(not isinstance(limit, int | float | None) for limit in limits):
        raise DataError(
            _damaged(
                folder, "model_max_length of tokenizer_config.json or max_position_embeddings is no number"
            )
        )
    finite = [int(limit) for limit in limits if limit is not None and 0 < limit < _UNLIMITED]
    return min(finite, default=None)


def _pooling(folder: Path, before: ModelDescription) -> ModelDescription:
    config = _read(folder / "config.json")
    widths = [key for key in ("embedding_dimension", "word_embedding_dimension") if key in config]
    width = _whole(config, widths[0], folder / "config.json") if widths else before.dimension
    stated = config.get("pooling_mode", [name for flag, name in _POOLING_FLAGS.items() if config.get(flag)])
    modes = [stated] if isinstance(stated, str) else stated or ["mean"]
    if not isinstance(modes, list) or not all(isinstance(mode, str) for mode in modes):
        raise DataError(
            _damaged(folder / "config.json", "pooling_mode is neither a text nor a list of texts")
        )
    dimension = None if width is None else width * len(modes)
    return ModelDescription(dimension=dimension, pooling="+".join(modes), max_tokens=before.max_tokens)


def _mean_pooling(_: Path, before: ModelDescription) -> ModelDescription:
    return ModelDescription(before.dimension, "mean", before.max_tokens)


def _dense(folder: Path, before: ModelDescription) -> ModelDescription:
    width = _whole(_read(folder / "config.json"), "out_features", folder / "config.json")
    return ModelDescription(width, before.pooling, before.max_tokens)


def _static_embedding(folder: Path, _: ModelDescription) -> ModelDescription:
    tensors = safetensors_header(folder / "model.safetensors")
    table = tensors.get("embedding.weight", tensors.get("embeddings"))
    if table is not None and len(table["shape"]) != 2:
        raise DataError(_damaged(folder / "model.safetensors", "its table of vectors has not two dimensions"))
    dimension = None if table is None else table["shape"][1]
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


def safetensors_header(path: Path) -> dict[str, dict[str, Any]]:
    """Name → ``dtype`` and ``shape`` of each tensor: eight bytes of length, then JSON.

    Raises
    ------
    DataError
        The file is missing, or its header is longer than the file, no JSON, or does not describe tensors.
    """
    try:
        with path.open("rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            if length > min(path.stat().st_size, SAFETENSORS_HEADER_BYTES):
                raise ValueError(f"it states a header of {length} bytes")
            header = parse_json(stream.read(length))
    except (OSError, ValueError) as error:
        raise DataError(_damaged(path, str(error))) from error
    if not isinstance(header, dict):
        raise DataError(_damaged(path, "its header is no map"))
    tensors = {name: tensor for name, tensor in header.items() if name != "__metadata__"}
    for name, tensor in tensors.items():
        if not _is_tensor(tensor):
            raise DataError(_damaged(path, f"its header does not describe the tensor {name[:50]!r}"))
    return tensors


def _is_tensor(about: Any) -> bool:
    if not isinstance(about, dict) or not isinstance(about.get("dtype"), str):
        return False
    shape = about.get("shape")
    return isinstance(shape, list) and all(type(size) is int and 0 <= size < 2**63 for size in shape)


def _whole(config: Mapping[str, Any], key: str, path: Path) -> int:
    """A number of dimensions or tokens."""
    value = config.get(key)
    if type(value) is not int or not 0 < value < _UNLIMITED:
        shown = f"{value:.6g}" if isinstance(value, float) else str(type(value).__name__)
        raise DataError(
            _damaged(path, f"{key} must be a whole number from 1 to {_UNLIMITED - 1}, not {shown}")
        )
    return value


def _read(path: Path, kind: type = dict) -> Any:
    if path.exists() and (not path.is_file() or path.stat().st_size > MODEL_SETTINGS_BYTES):
        raise DataError(
            f"{path} holds no settings: it is a pipe or a device, or larger than {MODEL_SETTINGS_BYTES} bytes."
        )
    try:
        value = parse_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(_damaged(path, str(error))) from error
    if not isinstance(value, kind):
        raise DataError(_damaged(path, f"it holds a {type(value).__name__}, where a {kind.__name__} belongs"))
    return value


def map_of(path: Path) -> dict[str, Any]:
    """The map in a JSON file of a model; an empty one where there is no such file.

    Raises
    ------
    DataError
        The file is damaged, or holds something else.
    """
    return dict(_read(path)) if path.exists() else {}


def _damaged(path: Path, reason: str) -> str:
    return (
        f"{path} is missing or damaged: {reason}. Fetch the model again, or take it from where it is whole."
    )
