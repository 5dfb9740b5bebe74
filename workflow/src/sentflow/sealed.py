"""Files of scores that tell when somebody changed a number in them: JSON with a digest of everything else in it."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sentflow.errors import DataError
from sentflow.io import json_document, read_json, write_json

_KEY = "digest"


def write_sealed(path: Path | str, value: Mapping[str, Any]) -> None:
    """Write JSON as `sentflow.io.write_json` does, with the digest of `value` beside its keys."""
    write_json(path, {**value, _KEY: _digest(value)})


def read_sealed(path: Path | str) -> dict[str, Any]:
    """Read what `write_sealed` wrote, without the digest.

    Raises
    ------
    DataError
        The file is missing or damaged, has no digest, or something in it is not what was written.
    """
    found: dict[str, Any] = read_json(path)
    stated = found.pop(_KEY, None) if isinstance(found, dict) else None
    if stated is None:
        raise DataError(
            f"{path} has no digest: an earlier version of sentflow wrote it, or it was written by hand. Delete it and "
            "run snakemake again; folds stay, so that it takes seconds."
        )
    if stated != _digest(found):
        raise DataError(
            f"{path} was changed after it was written: what it says is not what its digest was made of. Delete it and "
            "run snakemake again; folds stay, so that it takes seconds."
        )
    return found


def _digest(value: Mapping[str, Any]) -> str:
    return hashlib.sha256(json_document(value).encode()).hexdigest()
