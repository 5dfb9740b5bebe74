"""Files of scores in which a changed number is noticed: JSON with a digest of everything else in it."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sentflow.errors import DataError
from sentflow.files.io import json_document, read_json, write_json

DIGEST = "digest"  # its key


def write_sealed(path: Path | str, value: Mapping[str, Any]) -> None:
    """Write JSON as `sentflow.files.io.write_json` does, with the digest of `value` beside its keys."""
    write_json(path, {**value, DIGEST: digest_of(value)})


def read_sealed(path: Path | str) -> dict[str, Any]:
    """Read what `write_sealed` wrote, without the digest.

    Raises
    ------
    DataError
        The file is missing or damaged, has no digest, or something in it is not what was written.
    """
    found: dict[str, Any] = read_json(path)
    stated = found.pop(DIGEST, None) if isinstance(found, dict) else None
    if stated is None:
        raise DataError(
            f"{path} has no digest: an earlier version of sentflow wrote it, or it was written "
            "manually. Delete it and "
            "run snakemake again; folds are kept, so this takes seconds."
        )
    if stated != digest_of(found):
        raise DataError(
            f"{path} was changed after it was written: its contents do not match its digest. Delete it "
            "and run "
            "snakemake again; folds are kept, so this takes seconds."
        )
    return found


def digest_of(value: Mapping[str, Any]) -> str:
    """SHA-256 of what a file says, its own digest apart."""
    value = {key: item for key, item in value.items() if key != DIGEST}
    return hashlib.sha256(json_document(value).encode("utf-8", "surrogatepass")).hexdigest()
