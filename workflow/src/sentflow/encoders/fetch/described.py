"""From the files of a model, and a function that describes them, to its manifest."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from sentflow.encoders.fetch.descriptions import ModelDescription
from sentflow.encoders.fetch.weights import obtain
from sentflow.encoders.manifest import Manifest


class Describe(Protocol):
    """Reads what files say of a model; raises ConfigError or DataError where they cannot be used."""

    def __call__(self, folder: Path, *, allow_pickle: bool) -> ModelDescription: ...


def fetch_described(
    entry: Mapping[str, Any], folder: Path, mirrors: Sequence[str], *, check: Describe, read: Describe
) -> Manifest:
    """The manifest of an entry. `check`: files that it refuses are not kept."""
    allow_pickle = bool(entry.get("allow_pickle", False))
    checked = partial(check, allow_pickle=allow_pickle)
    weights, files = obtain(entry["source"], folder, mirrors, allow_pickle=allow_pickle, check=checked)
    description = read(weights, allow_pickle=allow_pickle)
    return Manifest(
        kind=entry["kind"],
        dimension=description.dimension,
        source=entry["source"],
        revision=entry["source"].get("revision"),
        files=files,
        pooling=description.pooling,
        max_tokens=description.max_tokens,
        settings={
            "allow_pickle": allow_pickle,
            **{key: entry[key] for key in ("tokenizer_class",) if key in entry},
        },
    )
