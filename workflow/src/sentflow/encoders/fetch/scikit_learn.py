"""Fetches the kind ``scikit-learn``: what cannot be built is reported before any fold."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.encoders.fetch import plain
from sentflow.encoders.kinds.scikit_learn import ScikitLearnEncoder
from sentflow.encoders.manifest import Manifest


def fetch(entry: Mapping[str, Any], folder: Path, mirrors: Sequence[str]) -> Manifest:
    manifest = plain.fetch(entry, folder, mirrors)
    ScikitLearnEncoder.from_settings(manifest.settings)
    return manifest
