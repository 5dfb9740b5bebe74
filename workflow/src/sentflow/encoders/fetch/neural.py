"""Fetches the kinds ``sentence-transformers`` and ``transformers``."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from sentflow.encoders.fetch.descriptions import describe, describe_plain
from sentflow.encoders.fetch.weights import obtain
from sentflow.encoders.manifest import Manifest


def fetch(entry: Mapping[str, Any], folder: Path, mirrors: Sequence[str]) -> Manifest:
    """See `FetchModule.fetch`."""
    allow_pickle = bool(entry.get("allow_pickle", False))
    check = partial(describe, allow_pickle=allow_pickle)
    weights, files = obtain(entry["source"], folder, mirrors, allow_pickle=allow_pickle, check=check)
    read = describe_plain if entry["kind"] == "transformers" else describe
    description = read(weights, allow_pickle=allow_pickle)
    return Manifest(
        kind=entry["kind"],
        dimension=description.dimension,
        source=entry["source"],
        revision=entry["source"].get("revision"),
        files=files,
        pooling=description.pooling,
        max_tokens=description.max_tokens,
        settings={"allow_pickle": allow_pickle},
    )
