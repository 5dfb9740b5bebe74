"""What the files of a model that weighs terms say; JSON alone is read, and no model code runs."""

from pathlib import Path

from sentflow.encoders.fetch.descriptions import ModelDescription, describe_plain
from sentflow.encoders.fetch.module_checks import check_module, check_own_modules
from sentflow.encoders.fetch.settings_files import damaged, map_of, modules_of, read_settings, whole_number
from sentflow.errors import ConfigError, DataError

# Classes of sentence-transformers that give scores of words; the second is the older name of the first
_OF_WORDS = ("Transformer", "MLMTransformer")
_POOLING = "SpladePooling"
# Endings of the classes of transformers whose weights have a layer that predicts words
_PREDICTS = ("ForMaskedLM", "ForPreTraining")
_POOLINGS = ("max", "sum")
_ACTIVATIONS = ("relu", "log1p_relu")


def describe_splade(folder: Path, *, allow_pickle: bool) -> ModelDescription:
    """Read the description of a masked-language model, or of a SparseEncoder of sentence-transformers.

    ``dimension`` is the number of terms; ``pooling`` is ``max`` or ``sum``, None where the files do not say.
    Raises ConfigError: the model predicts no words, or it has other modules than a transformer and a SpladePooling; it
    needs code of its own, or pickled weights that were not allowed.
    """
    place, pooling = transformer_folder(folder), None
    if place != folder or modules_of(folder):
        check_module("Transformer", place, allow_pickle=allow_pickle)
        pooling = _pooling(folder)
    description = describe_plain(place, allow_pickle=allow_pickle)
    config = map_of(place / "config.json")
    names = config.get("architectures") or ["nothing"]
    if not str(names[0]).endswith(_PREDICTS):
        raise ConfigError(
            f"{place}: config.json names {names[0]}, which predicts no words: SPLADE reads the scores that a "
            f"masked-language model gives every word of its vocabulary. Choose a …{_PREDICTS[0]}."
        )
    vocabulary = whole_number(config, "vocab_size", place / "config.json")
    return ModelDescription(vocabulary, pooling, description.max_tokens)


def transformer_folder(folder: Path) -> Path:
    """The folder of the transformer: that of the first module where modules are named, else the folder itself."""
    modules = modules_of(folder)
    if not modules:
        return folder
    check_own_modules([kind for kind, _ in modules], folder)
    names = [kind.rsplit(".", 1)[-1] for kind, _ in modules]
    if names not in ([first, _POOLING] for first in _OF_WORDS):
        raise ConfigError(
            f"{folder}: its modules are {', '.join(names)}, and a model of kind splade has {_OF_WORDS[0]} and "
            f"{_POOLING}. Choose a SparseEncoder of this form, or a masked-language model as transformers saves it; a "
            "model of dense vectors is of kind sentence-transformers."
        )
    return folder / modules[0][1]


def _pooling(folder: Path) -> str:
    path = folder / modules_of(folder)[1][1] / "config.json"
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
