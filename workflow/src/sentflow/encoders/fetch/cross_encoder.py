"""Fetches the kind ``cross-encoder``."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.encoders.fetch.cross_encoder_descriptions import describe_cross_encoder
from sentflow.encoders.fetch.described import fetch_described
from sentflow.encoders.manifest import Manifest


def fetch(entry: Mapping[str, Any], folder: Path, mirrors: Sequence[str]) -> Manifest:
    return fetch_described(entry, folder, mirrors, check=describe_cross_encoder, read=describe_cross_encoder)
