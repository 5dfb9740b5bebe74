"""Fetches the kind ``splade``."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.encoders.fetch.described import fetch_described
from sentflow.encoders.fetch.splade_descriptions import describe_splade
from sentflow.encoders.manifest import Manifest


def fetch(entry: Mapping[str, Any], folder: Path, mirrors: Sequence[str]) -> Manifest:
    return fetch_described(entry, folder, mirrors, check=describe_splade, read=describe_splade)
