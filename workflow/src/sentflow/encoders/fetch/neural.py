"""Fetches the kinds ``sentence-transformers`` and ``transformers``."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.encoders.fetch.described import fetch_described
from sentflow.encoders.fetch.descriptions import describe, describe_plain
from sentflow.encoders.manifest import Manifest


def fetch(entry: Mapping[str, Any], folder: Path, mirrors: Sequence[str]) -> Manifest:
    read = describe_plain if entry["kind"] == "transformers" else describe
    return fetch_described(entry, folder, mirrors, check=read, read=read)
