"""What the files of a cross-encoder say; JSON alone is read, and no model code runs."""

from pathlib import Path

from sentflow.encoders.fetch.descriptions import ModelDescription, describe_plain
from sentflow.encoders.fetch.settings_files import map_of
from sentflow.errors import ConfigError

_CLASSIFIER = "ForSequenceClassification"


def describe_cross_encoder(folder: Path, *, allow_pickle: bool) -> ModelDescription:
    """Read the description of a model that gives a single number for two texts; it has no width and no pooling."""
    description = describe_plain(folder, allow_pickle=allow_pickle)
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
    return ModelDescription(None, None, description.max_tokens)
