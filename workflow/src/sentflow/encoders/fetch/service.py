"""Fetches the kind ``api``: nothing but what the entry says of the service."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.encoders.manifest import Manifest


def fetch(entry: Mapping[str, Any], _folder: Path, _mirrors: Sequence[str]) -> Manifest:
    settings = {"request_dimension": False, **entry}
    del settings["kind"]
    return Manifest(kind=entry["kind"], dimension=entry["dimension"], settings=settings)
