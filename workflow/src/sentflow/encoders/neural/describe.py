"""What the files of neural models say of their vectors; neither torch nor a tensor is read."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sentflow.encoders.manifest import Description
from sentflow.encoders.safety import (
    check_module,
    check_own_modules,
    damaged,
    describe_modules,
    describe_plain,
    map_of,
    modules_of,
    read_settings,
    tensor_headers,
    whole_number,
)
from sentflow.errors import ConfigError, DataError
from sentflow.sparse.folder_description import TENSORS, FolderDescription


def describe_vectors(entry: Mapping[str, Any], folder: Path) -> Description:
    """A model that gives a text one vector, with all of its modules or as a plain transformer."""
    return (describe_plain if entry["kind"] == "transformers" else describe_modules)(entry, folder)


_CLASSIFIER = "ForSequenceClassification"


def describe_pairs(entry: Mapping[str, Any], folder: Path) -> Description:
    """A model that gives a single number for two texts; it has no width and no pooling."""
    description = describe_plain(entry, folder)
    config = map_of(folder / "config.json")
    names = config.get("architectures") or ["nothing"]
    if not str(names[0]).endswith(_CLASSIFIER):
        raise ConfigError(
            f"{folder}: config.json names {names[0]}, and a cross-encoder is a …{_CLASSIFIER}. Choose a model "
            "that sentence-transformers has as CrossEncoder; an encoder of single texts is of another kind."
        )
    labels = config.get("id2label")
    n_labels = len(labels) if isinstance(labels, dict) else config.get("num_labels", 2)
    if n_labels != 1:
        raise ConfigError(
            f"{folder}: the model gives {n_labels} numbers for two texts. Choose one with a single number, by which "
            "documents can be ordered."
        )
    return replace(description, dimension=None)


# Classes of sentence-transformers that give scores of words; the second is the older name of the first
_OF_WORDS = ("Transformer", "MLMTransformer")
_SPLADE_POOLING = "SpladePooling"
# Endings of the classes of transformers whose weights have a layer that predicts words
_PREDICTS = ("ForMaskedLM", "ForPreTraining")
_POOLINGS = ("max", "sum")
_ACTIVATIONS = ("relu", "log1p_relu")


def describe_terms(entry: Mapping[str, Any], folder: Path) -> Description:
    """Read the description of a masked-language model, or of a SparseEncoder of sentence-transformers.

    ``dimension`` is the number of terms; ``pooling`` is ``max`` or ``sum``, None where the files do not say. Raises
    ConfigError: it predicts no words, has other modules, or is not safe to load.
    """
    place, pooling = folder, None
    if modules := modules_of(folder):
        check_own_modules([kind for kind, _ in modules], folder)
        names = [kind.rsplit(".", 1)[-1] for kind, _ in modules]
        if names not in ([first, _SPLADE_POOLING] for first in _OF_WORDS):
            raise ConfigError(
                f"{folder}: its modules are {', '.join(names)}, and a model of kind splade has {_OF_WORDS[0]} and "
                f"{_SPLADE_POOLING}. Choose a SparseEncoder of this form, or a masked-language model as transformers "
                "saves it; a model of dense vectors is of kind sentence-transformers."
            )
        place = folder / modules[0][1]
        check_module("Transformer", place, allow_pickle=bool(entry.get("allow_pickle")))
        pooling = _pooling_in(folder / modules[1][1] / "config.json")
    description = describe_plain(entry, place)
    config = map_of(place / "config.json")
    names = config.get("architectures") or ["nothing"]
    if not str(names[0]).endswith(_PREDICTS):
        raise ConfigError(
            f"{place}: config.json names {names[0]}, which predicts no words: SPLADE reads the scores that a "
            f"masked-language model gives every word of its vocabulary. Choose a …{_PREDICTS[0]}."
        )
    vocabulary = whole_number(config, "vocab_size", place / "config.json")
    return replace(description, dimension=vocabulary, pooling=pooling)


def _pooling_in(path: Path) -> str:
    config = read_settings(path)
    pooling, activation = config.get("pooling_strategy", "max"), config.get("activation_function", "relu")
    if pooling not in _POOLINGS or activation not in _ACTIVATIONS:
        raise DataError(
            damaged(
                path,
                f"pooling_strategy must be one of {', '.join(_POOLINGS)}, activation_function one of "
                f"{', '.join(_ACTIVATIONS)}",
            )
        )
    return str(pooling)


_PROJECTION = "projections.document.weight"


def describe_term_vectors(entry: Mapping[str, Any], folder: Path) -> Description:
    """A folder of `sentflow.sparse.folder`; ``dimension`` is the number of terms. ConfigError: none, or not safe."""
    said = FolderDescription.read(folder)
    described = describe_terms({**entry, "allow_pickle": False}, folder)
    projection = tensor_headers(folder / TENSORS).get(_PROJECTION)
    if projection is None or projection[0][:1] != (said.embedding_size,):
        raise DataError(
            damaged(folder / TENSORS, f"it holds no {_PROJECTION} to vectors of {said.embedding_size} values")
        )
    return replace(described, pooling=None, max_tokens=said.max_tokens)
