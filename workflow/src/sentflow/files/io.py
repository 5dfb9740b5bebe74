"""JSON and text as results hold them, checksums of files, and JSON in which a changed number is noticed."""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sentflow.errors import DataError
from sentflow.files.atomic import atomic as atomic
from sentflow.files.atomic import not_a_file

# Beginning of a surrogate, as JSON writes it; two of them may be one character
_MAYBE_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_HALF = re.compile("[\ud800-\udfff]")  # a surrogate alone, which JSON can write and no encoding can


def write_digest(path: Path) -> None:
    """Write the size and SHA-256 of a file beside it, as JSON.

    Rules name the digest as an input and take the file itself as ancient: Snakemake reads every input that it
    compares by content once more for each output, and with a hundred outputs that takes longer than many a job.
    """
    write_json(path.with_suffix(".json"), digest_of(path))


def digest_of(path: Path) -> dict[str, Any]:
    """Name, size and SHA-256 of a file, as its digest holds them."""
    return {"bytes": path.stat().st_size, "file": path.name, "sha256": file_sha256(path)}


def refuse_changed(path: Path) -> bool:
    """Compare a file with the digest beside it, see `write_digest`; False where there is none.

    Raises OSError: one of the two cannot be read.
    """
    digest = path.with_suffix(".json")
    if not digest.exists():
        return False
    known = read_json(digest)
    if not isinstance(known, dict) or "sha256" not in known or known.get("file", path.name) != path.name:
        raise DataError(f"{digest} is not the digest of {path.name}. Delete both and run snakemake again.")
    if file_sha256(path) != known["sha256"]:
        raise DataError(
            f"{path} is not the file that {digest} describes: its SHA-256 differs. Delete both and run "
            "snakemake again."
        )
    return True


def file_sha256(path: Path | str) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_json(path: Path | str, value: Any) -> None:
    """Write a `json_document`."""
    write_text(path, json_document(value))


def json_document(value: Any) -> str:
    """JSON with sorted keys; NaN and infinities become null, which JSON can hold. Equal values are equal text."""
    return json.dumps(_finite(value), indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def read_json(path: Path | str) -> Any:
    """Read a JSON file. Raises DataError: it is missing, a folder, or no JSON."""
    try:
        return parse_json(Path(path).read_text(encoding="utf-8"))
    except IsADirectoryError as error:
        raise DataError(not_a_file(Path(path))) from error
    except (OSError, ValueError) as error:
        raise DataError(
            f"{path} is missing or damaged ({error}). Delete it and run snakemake again."
        ) from error


def parse_json(text: str | bytes) -> Any:
    """The value that a JSON text holds.

    Raises ValueError: it is no JSON, nested too deep to be read, holds a number of too many digits, or half of a
    character.
    """
    text = text.decode("utf-8") if isinstance(text, bytes) else text
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    if _MAYBE_HALF.search(text) and has_half(json.dumps(value, ensure_ascii=False)):
        raise ValueError(
            "a text in it has half of a surrogate pair (\\ud800 to \\udfff), which cannot be stored"
        )
    return value


def has_half(text: str) -> bool:
    """Whether a text holds half of a character, so that it cannot be written to any file."""
    return _HALF.search(text) is not None


def write_text(path: Path | str, text: str) -> None:
    """Write UTF-8 text with Unix line ends."""
    if has_half(text):
        raise DataError(
            f"{path} cannot be written: a text for it has half of a surrogate pair, which cannot be stored."
        )
    with atomic(path) as part:
        part.write_bytes(text.encode("utf-8"))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


DIGEST = "digest"  # its key


def write_sealed(path: Path | str, value: Mapping[str, Any]) -> None:
    """Write JSON as `sentflow.files.io.write_json` does, with the digest of `value` beside its keys."""
    write_json(path, {**value, DIGEST: digest_of_values(value)})


def read_sealed(path: Path | str) -> dict[str, Any]:
    """Read what `write_sealed` wrote, without the digest."""
    found: dict[str, Any] = read_json(path)
    stated = found.pop(DIGEST, None) if isinstance(found, dict) else None
    if stated is None or stated != digest_of_values(found):
        raise unsealed(path, stated)
    return found


def refuse_edited(path: Path | str, value: Mapping[str, Any]) -> None:
    """Raise DataError where a value of a file states a digest that is not its own; earlier versions stated none."""
    if (stated := value.get(DIGEST)) and stated != digest_of_values(value):
        raise unsealed(path, stated)


def unsealed(path: Path | str, stated: object) -> DataError:
    """What is said of a file that has no digest, or another one than is stated in it."""
    why = (
        "was changed after it was written: its contents do not match its digest"
        if stated
        else "has no digest: it is cut, or an earlier version of sentflow or another program wrote it"
    )
    return DataError(f"{path} {why}. Delete it and run snakemake again, which makes it anew.")


def digest_of_values(value: Mapping[str, Any]) -> str:
    """SHA-256 of what a file says, its own digest apart."""
    value = {key: item for key, item in value.items() if key != DIGEST}
    return hashlib.sha256(json_document(value).encode("utf-8", "surrogatepass")).hexdigest()
