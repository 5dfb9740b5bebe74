"""Fetches the kind ``cross-encoder``."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from sentflow.encoders.fetch.descriptions import describe_plain
from sentflow.encoders.fetch.settings_files import map_of
from sentflow.encoders.fetch.weights import obtain
from sentflow.encoders.manifest import Manifest
from sentflow.errors import ConfigError

_CLASSIFIER = "ForSequenceClassification"


def fetch(entry: Mapping[str, Any], folder: Path, mirrors: Sequence[str]) -> Manifest:
    """See `FetchModule.fetch`."""
    allow_pickle = bool(entry.get("allow_pickle", False))
    check = partial(_max_tokens, allow_pickle=allow_pickle)
    weights, files = obtain(entry["source"], folder, mirrors, allow_pickle=allow_pickle, check=check)
    return Manifest(
        kind=entry["kind"],
        dimension=None,
        source=entry["source"],
        revision=entry["source"].get("revision"),
        files=files,
        max_tokens=_max_tokens(weights, allow_pickle=allow_pickle),
        settings={"allow_pickle": allow_pickle},
    )


def _max_tokens(folder: Path, *, allow_pickle: bool) -> int | None:
    """Tokens of a pair that are read.

    Raises
    ------
    ConfigError
        The model gives no single number for two texts.
    """
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
    return description.max_tokens
