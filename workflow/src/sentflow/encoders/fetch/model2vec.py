"""Fetches the kind ``model2vec``."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from sentflow.encoders.fetch.descriptions import describe
from sentflow.encoders.fetch.weights import obtain
from sentflow.encoders.kinds.model2vec import Model2vecEncoder, Settings
from sentflow.encoders.manifest import Manifest


def fetch(entry: Mapping[str, Any], folder: Path, mirrors: Sequence[str]) -> Manifest:
    """Loads the model whole, for such models are small."""
    check = partial(describe, allow_pickle=False)
    weights, files = obtain(entry["source"], folder, mirrors, allow_pickle=False, check=check)
    return Manifest(
        kind=entry["kind"],
        dimension=Model2vecEncoder.load(weights, Settings()).dimension,
        source=entry["source"],
        revision=entry["source"].get("revision"),
        files=files,
        pooling="mean",
    )
