"""Dataclasses out of JSON files, with errors that say what must be there."""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar, cast

from sentflow.errors import DataError
from sentflow.files.io import parse_json

_Built = TypeVar("_Built")


def built(kind: type[_Built], found: Mapping[str, Any], what: str) -> _Built:
    """A dataclass of a map; DataError where keys are missing or unknown, which says what must be there."""
    names = [field.name for field in fields(cast("Any", kind))]
    unknown = sorted(set(found) - set(names))
    try:
        if not unknown:
            return kind(**found)
        problem = f"{', '.join(unknown)} in it is unknown"
    except TypeError as error:
        problem = str(error)
    raise DataError(f"{what} cannot be read: {problem}. It must hold: {', '.join(names)}. Train again.")


def map_of(text: str | bytes, what: str) -> dict[str, Any]:
    """The map that a JSON text holds; DataError where it holds none."""
    try:
        found = parse_json(text)
    except ValueError as error:
        raise DataError(f"{what} cannot be read: {error}. Train again.") from error
    if not isinstance(found, dict):
        raise DataError(f"{what} cannot be read: it is no map. Train again.")
    return found


def text_of(path: Path) -> bytes:
    """What is in a file; DataError where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(
            f"{path} is missing or unreadable ({error}). Delete it and run snakemake again."
        ) from error
