"""Files of measurements in which a changed number is noticed: JSON with a digest of everything else in it."""

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
    """Read what `write_sealed` wrote, without the digest."""
    found: dict[str, Any] = read_json(path)
    stated = found.pop(DIGEST, None) if isinstance(found, dict) else None
    if stated is None or stated != digest_of(found):
        raise unsealed(path, stated)
    return found


def refuse_edited(path: Path | str, value: Mapping[str, Any]) -> None:
    """Raise DataError where a value of a file states a digest that is not its own; earlier versions stated none."""
    if (stated := value.get(DIGEST)) and stated != digest_of(value):
        raise unsealed(path, stated)


def unsealed(path: Path | str, stated: object) -> DataError:
    """What is said of a file that has no digest, or another one than is stated in it."""
    why = (
        "was changed after it was written: its contents do not match its digest"
        if stated
        else "has no digest: it is cut, or an earlier version of sentflow or another program wrote it"
    )
    return DataError(f"{path} {why}. Delete it and run snakemake again, which makes it anew.")


def digest_of(value: Mapping[str, Any]) -> str:
    """SHA-256 of what a file says, its own digest apart."""
    value = {key: item for key, item in value.items() if key != DIGEST}
    return hashlib.sha256(json_document(value).encode("utf-8", "surrogatepass")).hexdigest()
