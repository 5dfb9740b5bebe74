"""Whether the numbers in a model's settings fit its weights.

A model is built from its ``config.json`` before any weight is read: ten million layers there would fill the memory,
whatever the files hold. The memory that the numbers ask for is estimated from above, and compared with the weights.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sentflow.errors import DataError
from sentflow.files.limits import MODEL_FROM_BYTES, MODEL_PARTS, MODEL_PARTS_TOGETHER, MODEL_RATIO

_VALUE_BYTES = 4  # models are built in single precision
_WEIGHTS = ("*.safetensors", "*.bin")
_PARTS = re.compile(r"(^|_)(layers?|experts?|groups?|blocks|block_sizes|depths?|stages)$")
_EXPERTS = re.compile(r"(^|_)experts$")
_WIDTH = re.compile(r"^(hidden_size|dim|d_model|n_embd|embedding_size)$")
_INNER = re.compile(r"^(intermediate_size|hidden_dim|(encoder_|decoder_)?ffn_dim|d_ff|n_inner)$")
_INNER_OF_EXPERTS = re.compile(r"^moe_intermediate_size$")
_SHARED = re.compile(r"^num_hidden_groups$")
# Whole numbers that no array has as its length
_NO_SIZE = re.compile(r"theta|token|seed|_id(s|_.*)?$|label")
_USUAL_WIDTH = 1024
_STATIC = (
    "model2vec"  # a table of vectors: nothing is built from its settings, which name a length of 1,000,000
)
_REMEDY = (
    "The file is damaged, or made to fill the memory. Fetch the model again from a source that you trust."
)
_SHOWN = 10**15  # larger numbers are not written out


def check_transformer_size(folder: Path, config: Any) -> None:
    """Refuse the settings of a transformer that is far larger than the weights beside them.

    Raises DataError: more layers (experts, groups) than any model has, or numbers that ask for far more memory than
    the weights.
    """
    if isinstance(config, Mapping) and config.get("model_type") == _STATIC:
        return
    for part in _maps(config):
        _check_parts(folder / "config.json", part)
        _check_bytes(folder / "config.json", _transformer_bytes(part))


def check_module_size(path: Path, config: Any) -> None:
    """The same of another module, e.g. a dense layer: its largest array is as large as its two largest numbers."""
    for part in _maps(config):
        _check_parts(path, part)
        largest = sorted((number for _, number in _numbers(part)), reverse=True)[:2]
        _check_bytes(path, _VALUE_BYTES * max(_product(largest), _lstm_values(dict(_numbers(part)))))


def _lstm_values(numbers: Mapping[str, int]) -> int:
    """Weights of an LSTM: four gates, both directions, from above."""
    hidden, before = numbers.get("hidden_dim", 0), numbers.get("embedding_dimension", 0)
    return 8 * numbers.get("num_layers", 1) * hidden * (3 * hidden + before)


def _transformer_bytes(config: Mapping[str, Any]) -> int:
    width = _largest(config, _WIDTH) or _USUAL_WIDTH
    experts = _largest(config, _EXPERTS)
    inner = _largest(config, _INNER) or 4 * width
    of_experts = experts * (_largest(config, _INNER_OF_EXPERTS) or inner)
    layer = width * (4 * width + 3 * max(inner, of_experts))
    # Layers of ALBERT share their weights within a group
    shared = config.get("model_type") == "albert"
    layers = _largest(config, _SHARED if shared else _PARTS)
    lengths = sum(number for key, number in _numbers(config) if not _NO_SIZE.search(key))
    return _VALUE_BYTES * (layers * layer + lengths * width)


def _check_parts(path: Path, config: Mapping[str, Any]) -> None:
    counts = {key: number for key, number in _numbers(config) if _PARTS.search(key)}
    experts = max((number for key, number in counts.items() if _EXPERTS.search(key)), default=1)
    others = max((number for key, number in counts.items() if not _EXPERTS.search(key)), default=1)
    for key, number in counts.items():
        if number > MODEL_PARTS or experts * others > MODEL_PARTS_TOGETHER:
            raise DataError(f"{path}: {key} is {min(number, _SHOWN)}, more than any model has. {_REMEDY}")


def _check_bytes(path: Path, needed: int) -> None:
    weights = sum(file.stat().st_size for pattern in _WEIGHTS for file in path.parent.glob(pattern))
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


def _numbers(config: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Whole numbers of a map above 0, with their keys; of a list of numbers its sum."""
    for key, value in config.items():
        values = value if isinstance(value, list) else [value]
        total = sum(item for item in values if isinstance(item, int) and not isinstance(item, bool))
        if total > 0:
            yield key, total


def _largest(config: Mapping[str, Any], keys: re.Pattern[str]) -> int:
    return max((number for key, number in _numbers(config) if keys.search(key)), default=0)


def _product(numbers: list[int]) -> int:
    product = 1
    for number in numbers:
        product *= number
    return product
