"""Fetches the kind ``custom``: the class is read, not run, for that is left to jobs with the memory and time for it."""

from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from sentflow.encoders.kinds.custom_class import own_files, read_class
from sentflow.encoders.manifest import Manifest
from sentflow.errors import ConfigError
from sentflow.files.io import file_sha256


def fetch(entry: Mapping[str, Any], _folder: Path = Path(), _mirrors: Sequence[str] = ()) -> Manifest:
    try:
        found = read_class(entry["custom"])
    except ConfigError as error:
        raise ConfigError(f"custom: {error}") from error
    return Manifest(
        kind=entry["kind"],
        dimension=None,
        source={"custom": entry["custom"]},
        files={file: file_sha256(file) for file in own_files(entry)},
        settings={
            "class": found.name,
            "level": found.level,
            "lazy": found.lazy,
            "arguments": dict(entry.get("arguments", {})),
            "libraries": _versions(entry.get("libraries", [])),
        },
    )


def _versions(libraries: Sequence[str]) -> dict[str, str]:
    found, absent = {}, []
    for library in libraries:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            absent.append(library)
    if absent:
        raise ConfigError(
            f"libraries: {', '.join(absent)} is not installed in this environment. Write names as pip has them "
            "(scikit-learn, not sklearn), or install what is missing."
        )
    return found
