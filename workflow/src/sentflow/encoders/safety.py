"""Whether the files of a model, which may come from a stranger, can be read without harm, and all of them are read.

Weights are safetensors unless `allow_pickle`; no code, no adapter and no path comes with a model; settings fit the
weights beside them, because a model is built from its ``config.json`` before any weight is read. Only JSON and the
headers of safetensors are read here. `sentflow.encoders.neural.load` compares the tensors of a loaded model.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

from safetensors import SafetensorError, safe_open

from sentflow.encoders.manifest import Manifest, model_folder
from sentflow.errors import ConfigError, DataError, SentflowError
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
    """Class and folder of each module as ``modules.json`` names them; none where there is no such file."""
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


_POINTER = b"version https://git-lfs"

# --- headers of weights --------------------------------------------------------------------------------------


class TensorHeader(NamedTuple):
    """Shape and type of a tensor, the type as safetensors names it, e.g. ``"BF16"``."""

    shape: tuple[int, ...]
    dtype: str


def _is_pointer(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(_POINTER)) == _POINTER


def tensor_headers(path: Path) -> dict[str, TensorHeader]:
    """Name → header of each tensor of a file."""
    try:
        with safe_open(path, framework="np") as file:
            slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118 - it is no map
            return {
                name: TensorHeader(tuple(found.get_shape()), found.get_dtype())
                for name, found in slices.items()
            }
    except (OSError, ValueError, SafetensorError) as error:
        if path.is_file() and _is_pointer(path):
            raise DataError(f"{path} only points to the weights. Fetch them with git lfs pull.") from None
        raise DataError(damaged(path, str(error))) from error


def check_tensor_names(path: Path, names: Iterable[str], *, known: Iterable[str]) -> None:
    """Refuse a file of weights with tensors that nobody reads. Raises DataError: names the first of them."""
    if unexpected := sorted({*names} - {*known}):
        more = f" and {len(unexpected) - 3} more" if len(unexpected) > 3 else ""
        raise DataError(
            f"{path} holds tensors that have no place in the model: {', '.join(unexpected[:3])}{more}. Known: "
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
# Modules that take the tensors they know and leave others unread → sets of names that they know; the second of
# StaticEmbedding is how model2vec saves it.
_TENSORS = {
    "StaticEmbedding": ({"embedding.weight"}, {"embeddings", "mapping", "weights"}),
    "WordEmbeddings": ({"emb_layer.weight"},),
}


def with_routes(name: str, folder: Path) -> list[tuple[str, Path]]:
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
        for inner in with_routes(type_name.rsplit(".", 1)[-1], folder / path)
    ]


def check_one_vector(folder: Path, names: Sequence[str]) -> None:
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


def check_module(name: str, folder: Path, *, allow_pickle: bool) -> None:
    """Refuse what a module must not bring along, before anything of it is loaded.

    Raises ConfigError: pickled weights that were not allowed, an adapter, or settings that decide how the model is
    loaded.
    """
    check_weights_files(name, folder, allow_pickle=allow_pickle)
    check_adapter(folder)
    for path in sorted(folder.glob("sentence_*config.json")):
        _check_arguments(path)
    weights = folder / _SAFE_WEIGHTS
    if name in _TENSORS and weights.is_file():  # of a pickle, only loading tells the names
        tensors = tensor_headers(weights).keys()
        known = next((known for known in _TENSORS[name] if known & tensors), _TENSORS[name][0])
        check_tensor_names(weights, tensors, known=known)


def check_weights_files(name: str, folder: Path, *, allow_pickle: bool) -> None:
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


def check_adapter(folder: Path) -> None:
    """Refuse a model that adapts another one."""
    if (folder / "adapter_config.json").is_file():
        raise ConfigError(
            f"{folder}: adapter_config.json names another model that this one adapts, and that model is not "
            "checked. Write the merged model into a folder: "
            "model.merge_and_unload().save_pretrained(new_folder)."
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


def check_transformer_size(folder: Path, config: Mapping[str, Any]) -> None:
    """Refuse the settings of a transformer that is far larger than the weights beside them.

    Raises DataError: more layers (experts, groups) than any model has, or numbers that ask for far more memory than
    the weights.
    """
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
        _check_numbers(folder / "config.json", numbers, layers * layer + lengths * width)


def check_module_size(path: Path, config: Mapping[str, Any]) -> None:
    """The same of another module, e.g. a dense layer: its largest array is as large as its two largest numbers."""
    for part in _maps(config):
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


# --- how large a model is ------------------------------------------------------------------------------------

# Nothing in them was trained before they see the texts of a fold
_WITHOUT_WEIGHTS_KINDS = frozenset({"bag-of-words", "random", "scikit-learn", "tfidf"})


def count_parameters(manifest: Manifest, manifest_folder: Path) -> float:
    """Values in the tensors of a model's safetensors files; 0 for an encoder without weights.

    NaN where nobody can tell without loading the model: weights in another format, a service, a class of the
    user's own, or files that are not on this machine any more.
    """
    if manifest.kind in _WITHOUT_WEIGHTS_KINDS:
        return 0.0
    names = [name for name in manifest.files if name.endswith(".safetensors")]
    if manifest.source is None or not names:
        return math.nan
    try:
        folder = model_folder(manifest.source, manifest_folder)
        tensors = [one for name in names for one in tensor_headers(folder / name).values()]
        # positions and the like are stored beside the weights, as whole numbers that nobody trained
        return float(sum(math.prod(one.shape) for one in tensors if "F" in one.dtype))
    except (OSError, ValueError, SentflowError):
        return math.nan
