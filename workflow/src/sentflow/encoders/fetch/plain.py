"""Fetches kinds without files: their manifest is their entry."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.encoders.manifest import Manifest


def fetch(entry: Mapping[str, Any], _folder: Path, _mirrors: Sequence[str]) -> Manifest:
    settings = {key: value for key, value in entry.items() if key != "kind"}
    # TF-IDF says how many values there are at most
    dimension = settings.get("dimension", settings.get("max_features"))
    return Manifest(kind=entry["kind"], dimension=dimension, settings=settings)
