"""What the files of a model, which may come from a stranger, say; and whether they can be read without harm.

Weights are safetensors unless `allow_pickle`; no code, no adapter and no path comes with a model; settings fit the
weights beside them, because a model is built from its ``config.json`` first. Only JSON and the headers of safetensors
are read here. `sentflow.encoders.neural.load` compares the tensors of a loaded model.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from sentflow.encoders.manifest import Description
from sentflow.errors import ConfigError, DataError, SentflowError, listed
from sentflow.files.archives.limits import name_fault
from sentflow.files.io import parse_json
from sentflow.files.limits import (
    MODEL_FROM_BYTES,
    MODEL_PARTS,
    MODEL_PARTS_TOGETHER,
    MODEL_RATIO,
    MODEL_SETTINGS_BYTES,
)

PATTERNS = ("*.json", "*.txt", "*.model", "*.codes", "*.safetensors")
PICKLES = "pytorch_model*.bin"
# Other formats of the same weights, which are not read, and what download tools leave behind.
_IGNORED = ("onnx/*", "openvino/*", ".cache/*", "*/onnx/*", "*/openvino/*")


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


# --- settings in JSON ----------------------------------------------------------------------------------------

UNLIMITED = 10**6  # tokenizers write "no limit" as a number of thirty digits


def modules_of(folder: Path) -> list[tuple[str, str]]:
    """Class and folder of each module in ``modules.json``; none where there is no such file."""
    file = folder / "modules.json"
    if not file.is_file():
        return []
    modules = read_settings(file, list)
    whole = [
        isinstance(module, dict)
        and isinstance(module.get("type"), str)
        and isinstance(module.get("path"), str)
        for module in modules
    ]
    if not modules or not all(whole):
        raise DataError(damaged(file, 'it must be a list of maps, each with the texts "type" and "path"'))
    _check_inside(file, (module["path"] for module in modules))
    return [(module["type"], module["path"]) for module in modules]


def _check_inside(file: Path, paths: Iterable[str]) -> None:
    if outside := [path for path in paths if path and name_fault(path)]:
        raise DataError(damaged(file, f"the path {outside[0]!r} leads out of the folder of the model"))


def map_of(path: Path) -> dict[str, Any]:
    """The map in a JSON file of a model; an empty one where there is no such file."""
    return dict(read_settings(path)) if path.exists() else {}


def read_settings(path: Path, kind: type = dict) -> Any:
    """What a JSON file of a model holds."""
    if path.exists() and (not path.is_file() or path.stat().st_size > MODEL_SETTINGS_BYTES):
        raise DataError(
            f"{path} holds no settings: it is a pipe or a device, or larger than {MODEL_SETTINGS_BYTES} bytes."
        )
    try:
        value = parse_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(damaged(path, str(error))) from error
    if not isinstance(value, kind):
        raise DataError(damaged(path, f"it holds a {type(value).__name__}, where a {kind.__name__} belongs"))
    return value


def whole_number(config: Mapping[str, Any], key: str, path: Path) -> int:
    """A number of dimensions or tokens."""
    value = config.get(key)
    if type(value) is not int or not 0 < value < UNLIMITED:
        shown = f"{value:.6g}" if isinstance(value, float) else str(type(value).__name__)
        raise DataError(damaged(path, f"{key} must be a whole number from 1 to {UNLIMITED - 1}, not {shown}"))
    return value


def damaged(path: Path, reason: str) -> str:
    """What is said of a file that cannot be read."""
    return f"{path} is missing or damaged: {reason}. Fetch the model again, or restore the file."


_POINTER, _POINTER_BYTES = b"version https://git-lfs", 1024

# --- headers of weights --------------------------------------------------------------------------------------


def tensor_headers(path: Path) -> dict[str, tuple[tuple[int, ...], str]]:
    """Name → shape and type of each tensor of a file, the type as safetensors names it, e.g. ``"BF16"``."""
    try:
        with safe_open(path, framework="np") as file:
            slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118 - it is no map
            return {name: (tuple(one.get_shape()), one.get_dtype()) for name, one in slices.items()}
    except (OSError, ValueError, SafetensorError) as error:
        if path.is_file() and path.stat().st_size < _POINTER_BYTES and path.read_bytes().startswith(_POINTER):
            raise DataError(f"{path} only points to the weights. Fetch them with git lfs pull.") from None
        raise DataError(damaged(path, str(error))) from error


def check_tensor_names(path: Path, names: Iterable[str], *, known: Iterable[str]) -> None:
    """Refuse a file of weights with tensors that nobody reads. Raises DataError: names the first of them."""
    if unexpected := sorted({*names} - {*known}):
        raise DataError(
            f"{path} holds tensors that have no place in the model: {listed(unexpected, 3)}. Known: "
            f"{', '.join(sorted(known))}. Take the weights as their authors published them."
        )


# --- modules, and what they bring along ----------------------------------------------------------------------

# What the libraries look for before a pickle; only a transformer is read in parts.
_SAFE_WEIGHTS = "model.safetensors"
_SAFE_PARTS = "model.safetensors.index.json"
_MOST, _LONGEST = 5, 80  # names in a message, and letters of each: they are foreign
_TRANSFORMERS = frozenset({"Transformer", "CLIPModel"})
_WITHOUT_WEIGHTS = frozenset({"MeanPooling", "Pooling", "Normalize", "Dropout", "BoW"})
_ROUTERS = frozenset({"Router", "Asym"})
_COMPUTED = _WITHOUT_WEIGHTS | {
    *("Transformer", "Dense", "LayerNorm", "LSTM", "CNN", "WeightedLayerPooling"),
    *("StaticEmbedding", "WordEmbeddings", "WordWeights"),
}
# Classes of sentence-transformers, in whichever of its modules a version has them. Anything else below its name may be
# what one of these imports: the last part of sentence_transformers.base.model.pickle is Python's own.
_OTHERS = ("CLIPModel", "LogitScore", "MLMTransformer", "MultiVectorMask", "SparseAutoEncoder")
_CLASSES = _COMPUTED | _ROUTERS | {*_OTHERS, "SparseStaticEmbedding", "SpladePooling"}
_ONE_VECTOR, _LIBRARY = "SentenceTransformer", "sentence_transformers."
# What folders of other models of sentence-transformers name → the kind that computes them; none is of many vectors
_KIND_OF = {
    **{"SparseEncoder": "splade", "SpladePooling": "splade"},
    **{"CrossEncoder": "cross-encoder", "LogitScore": "cross-encoder"},
}
# Modules that leave tensors unread → sets of names that they know; model2vec saves the second
_TENSORS = {
    "StaticEmbedding": ({"embedding.weight"}, {"embeddings", "mapping", "weights"}),
    "WordEmbeddings": ({"emb_layer.weight"},),
}


def _with_routes(name: str, folder: Path) -> list[tuple[str, Path]]:
    """A module, or in place of a router the modules that it holds."""
    if name not in _ROUTERS:
        return [(name, folder)]
    file = folder / "router_config.json"
    file = file if file.is_file() else folder / "config.json"
    types = read_settings(file).get("types")
    if not isinstance(types, dict) or not all(isinstance(name, str) for name in types.values()):
        raise DataError(damaged(file, f"the {name} needs types, a map of folders to classes"))
    _check_inside(file, types)
    check_own_modules(list(types.values()), folder)
    return [
        inner
        for path, type_name in types.items()
        for inner in _with_routes(type_name.rsplit(".", 1)[-1], folder / path)
    ]


def _check_one_vector(folder: Path, names: Sequence[str]) -> None:
    """Refuse a model that gives no single dense vector of a text: it would be read without what it was made of."""
    about = map_of(folder / "config_sentence_transformers.json")
    made_for = str(about.get("model_type") or _ONE_VECTOR)
    others = [name for name in names if name not in _COMPUTED]
    if made_for == _ONE_VECTOR and not others:
        return
    is_a = f"is a {made_for}" if made_for != _ONE_VECTOR else f"has the modules {', '.join(names)}"
    kind = next((_KIND_OF[name] for name in (made_for, *others) if name in _KIND_OF), None)
    raise ConfigError(
        f"{folder}: the model {is_a}, and kind sentence-transformers does not compute {', '.join(others) or 'it'}. "
        + (f"Write kind: {kind}." if kind else "No kind does. Choose a model that gives one vector per text.")
    )


def check_own_modules(types: Sequence[str], folder: Path) -> None:
    """Refuse classes that sentence-transformers does not have. Raises ConfigError: names them."""
    known = {name for name in types if name.rsplit(".", 1)[-1] in _CLASSES}
    if foreign := [name for name in types if name not in known or not name.startswith(_LIBRARY)]:
        named = ", ".join(name[:_LONGEST] for name in foreign[:_MOST])
        raise ConfigError(
            f"{folder}: the modules {named} are none of sentence-transformers, and no other code is run "
            f"for a model. Choose a model made of these: {', '.join(sorted(_CLASSES))}."
        )


def check_module(name: str, folder: Path, *, allow_pickle: bool, plain: bool = False) -> None:
    """Refuse what a module must not bring along, before anything of it is loaded.

    `plain`: a transformer alone, without what sentence-transformers reads beside it. Raises ConfigError: pickles that
    were not allowed, an adapter, or settings that decide how the model is loaded. Raises DataError: damage.
    """
    _check_weights_files(name, folder, allow_pickle=allow_pickle)
    if (folder / "adapter_config.json").is_file():
        raise ConfigError(
            f"{folder}: adapter_config.json names another model that this one adapts, and that model is not "
            "checked. Write the merged model into a folder: "
            "model.merge_and_unload().save_pretrained(new_folder)."
        )
    for path in [] if plain else sorted(folder.glob("sentence_*config.json")):
        _check_arguments(path)
    weights = folder / _SAFE_WEIGHTS
    if name in _TENSORS and weights.is_file():  # of a pickle, only loading tells the names
        tensors = tensor_headers(weights).keys()
        known = next((known for known in _TENSORS[name] if known & tensors), _TENSORS[name][0])
        check_tensor_names(weights, tensors, known=known)
    if name == "Transformer":
        _check_transformer_size(folder / "config.json")
    else:
        _check_module_size(folder / _SETTINGS_OF.get(name, "config.json"))


def _check_weights_files(name: str, folder: Path, *, allow_pickle: bool) -> None:
    """Refuse weights that are missing or damaged, or there as a pickle only, unless that is allowed."""
    if name in _WITHOUT_WEIGHTS or not folder.is_dir():
        return
    for path in folder.glob("*.safetensors"):
        tensor_headers(path)
    safe = (_SAFE_WEIGHTS, _SAFE_PARTS) if name in _TRANSFORMERS else (_SAFE_WEIGHTS,)
    if any((folder / file).is_file() for file in safe):
        return
    has_pickles = any(folder.glob(PICKLES))
    if name in _TRANSFORMERS and not has_pickles:
        raise DataError(
            f"{folder} has no {_SAFE_WEIGHTS}. Copy that file into it; or, if the model has its weights as a pickle "
            "only (pytorch_model.bin) and you trust it, write allow_pickle: true in the model's entry."
        )
    if has_pickles and not allow_pickle:
        raise ConfigError(
            f"{folder}: the weights are there as a pickle only (pytorch_model.bin). Convert them with "
            "SentenceTransformer(folder).save(new_folder), which writes model.safetensors, or, if you trust "
            "where they come from, write allow_pickle: true in the model's entry."
        )


# --- what settings ask of the libraries that load a model ----------------------------------------------------

# `dtype` is a setting of the entry and `trust_remote_code` is off, whatever stands here.
_ARGUMENTS = """
add_bos_token add_eos_token add_pooling_layer attn_implementation do_lower_case dtype fix_mistral_regex is_causal legacy
low_cpu_mem_usage model_max_length padding_side torch_dtype truncation_side trust_remote_code
use_bidirectional_attention use_cache use_fast
"""
_MAPS = ("model_args", "model_kwargs", "tokenizer_args", "processor_kwargs", "config_args", "config_kwargs")
_KEYS = """
max_seq_length do_lower_case transformer_task modality_config module_output_name processing_kwargs unpad_inputs
query_length document_length query_expansion
"""


def _check_arguments(path: Path) -> None:
    """Check the settings of a transformer module, ``sentence_bert_config.json``."""
    settings = read_settings(path)
    refused = [key for key in settings if key not in (*_KEYS.split(), *_MAPS)]
    for name in _MAPS:
        values = settings.get(name) or {}
        if not isinstance(values, Mapping):
            refused.append(name)
            continue
        refused += [
            f"{name}.{key}"
            for key, value in values.items()
            if key not in _ARGUMENTS.split() or not isinstance(value, bool | int | str | None)
        ]
    if refused:
        raise ConfigError(
            f"{path}: {', '.join(refused)} would change how or from where the model is loaded, and a model does not "
            "decide that here. Remove it from a copy of the model in a folder of your own, or choose another model."
        )


# --- how large a model its settings describe -----------------------------------------------------------------

_VALUE_BYTES = 4  # models are built in single precision
_PARTS = r"(^|_)(layers?|experts?|groups?|blocks|block_sizes|depths?|stages)$"
_EXPERTS = r"(^|_)experts$"
# Whole numbers that no array has as its length
_NO_SIZE = r"theta|token|seed|_id(s|_.*)?$|label"
_USUAL_WIDTH = 1024
_STATIC = "model2vec"  # nothing is built from its settings, which name a length of 1,000,000
_REMEDY = (
    "The file is damaged, or made to fill the memory. Fetch the model again from a source that you trust."
)
_SHOWN = 10**15  # larger numbers are not written out


def _check_transformer_size(path: Path) -> None:
    """Refuse more layers (experts, groups) than any model has, or far more memory than the weights take."""
    config = map_of(path)
    if config.get("model_type") == _STATIC:
        return
    for part in _maps(config):
        numbers = _numbers(part)
        width = _largest(numbers, r"^(hidden_size|dim|d_model|n_embd|embedding_size)$") or _USUAL_WIDTH
        inner = _largest(
            numbers, r"^(intermediate_size|hidden_dim|(encoder_|decoder_)?ffn_dim|d_ff|n_inner)$"
        )
        inner = inner or 4 * width
        of_experts = _largest(numbers, _EXPERTS) * (numbers.get("moe_intermediate_size", 0) or inner)
        layer = width * (4 * width + 3 * max(inner, of_experts))
        # Layers of ALBERT share their weights within a group
        layers = _largest(numbers, "^num_hidden_groups$" if part.get("model_type") == "albert" else _PARTS)
        lengths = sum(number for key, number in numbers.items() if not re.search(_NO_SIZE, key))
        _check_numbers(path, numbers, layers * layer + lengths * width)


def _check_module_size(path: Path) -> None:
    """The same of another module, e.g. a dense layer: its largest array is as large as its two largest numbers."""
    for part in _maps(map_of(path)):
        numbers = _numbers(part)
        hidden, before = numbers.get("hidden_dim", 0), numbers.get("embedding_dimension", 0)
        # An LSTM has four gates, both directions, from above
        lstm = 8 * numbers.get("num_layers", 1) * hidden * (3 * hidden + before)
        _check_numbers(path, numbers, max(math.prod(sorted(numbers.values())[-2:]), lstm))


def _check_numbers(path: Path, numbers: Mapping[str, int], n_values: int) -> None:
    counts = {key: number for key, number in numbers.items() if re.search(_PARTS, key)}
    experts = _largest(counts, _EXPERTS) or 1
    others = max((number for key, number in counts.items() if not re.search(_EXPERTS, key)), default=1)
    for key, number in counts.items():
        if number > MODEL_PARTS or experts * others > MODEL_PARTS_TOGETHER:
            raise DataError(f"{path}: {key} is {min(number, _SHOWN)}, more than any model has. {_REMEDY}")
    files = (file for pattern in ("*.safetensors", "*.bin") for file in path.parent.glob(pattern))
    needed, weights = _VALUE_BYTES * n_values, sum(file.stat().st_size for file in files)
    if needed > max(MODEL_FROM_BYTES, MODEL_RATIO * weights):
        raise DataError(
            f"{path} describes a model of about {min(needed, _SHOWN) // 10**6} MB, but the weights "
            f"beside it have {weights // 10**6} MB. {_REMEDY}"
        )


def _maps(config: Any) -> Iterator[Mapping[str, Any]]:
    """A map and those inside it, e.g. ``text_config``."""
    if isinstance(config, Mapping):
        yield config
        for value in config.values():
            yield from _maps(value)


def _numbers(config: Mapping[str, Any]) -> dict[str, int]:
    """Whole numbers of a map above 0; of a list of numbers its sum."""
    lists = ((key, value if isinstance(value, list) else [value]) for key, value in config.items())
    totals = (
        (key, sum(one for one in values if isinstance(one, int) and not isinstance(one, bool)))
        for key, values in lists
    )
    return {key: total for key, total in totals if total > 0}


def _largest(numbers: Mapping[str, int], keys: str) -> int:
    return max((number for key, number in numbers.items() if re.search(keys, key)), default=0)


# --- what a model's files say of its vectors -----------------------------------------------------------------

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

    Raises ConfigError: it is not safe to load, or gives no single vector of a text.
    """
    description = Description(None)
    modules = [(name, place, _with_routes(name, place)) for name, place in _modules(folder)]
    _check_one_vector(folder, [inner for _, _, routes in modules for inner, _ in routes])
    for name, module_folder, routes in modules:
        for inner, inner_folder in routes:
            check_module(inner, inner_folder, allow_pickle=bool(entry.get("allow_pickle")))
        if name not in _KEEP_DIMENSION:
            read = _READERS.get(name)
            description = read(module_folder, description) if read else replace(description, dimension=None)
    return _of_entry(entry, description)


def _of_entry(entry: Mapping[str, Any], description: Description) -> Description:
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
    check_module("Transformer", folder, allow_pickle=bool(entry.get("allow_pickle")), plain=True)
    # How the token vectors become one is a setting of the entry, not of the files
    return _of_entry(entry, _transformer(folder, Description(None)))


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
    if table is not None and len(table[0]) != 2:
        raise DataError(damaged(folder / "model.safetensors", "its table of vectors has not two dimensions"))
    return Description(None if table is None else table[0][1], "mean")


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
    """Tokens that the positions of a ``config.json`` of a text transformer hold; None where it states none."""
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


# --- how large a model is ------------------------------------------------------------------------------------

# Nothing in them was trained before they see the texts of a fold
_WITHOUT_WEIGHTS_KINDS = frozenset({"bag-of-words", "random", "scikit-learn", "tfidf"})


def count_parameters(kind: str, folder: Path, names: Iterable[str]) -> float | None:
    """Values in the tensors of a model's safetensors files; 0 for an encoder without weights.

    None where nobody can tell without loading it: other formats, services, a user's own class.
    """
    if kind in _WITHOUT_WEIGHTS_KINDS:
        return 0.0
    read = [folder / name for name in names if name.endswith(".safetensors")]
    try:
        tensors = [one for path in read for one in tensor_headers(path).values()]
    except (OSError, ValueError, SentflowError):
        return None
    # positions and the like are stored beside the weights, as whole numbers that nobody trained
    return float(sum(math.prod(shape) for shape, dtype in tensors if "F" in dtype)) if read else None
