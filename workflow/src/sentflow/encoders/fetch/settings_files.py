"""The JSON files of a model: settings of its modules, read with every care, for they may come from a stranger."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sentflow.errors import DataError
from sentflow.files.archives.limits import name_fault
from sentflow.files.io import parse_json
from sentflow.files.limits import MODEL_SETTINGS_BYTES

UNLIMITED = 10**6  # tokenizers write "no limit" as a number of thirty digits


def modules_of(folder: Path) -> list[tuple[str, str]]:
    """Class and folder of each module as ``modules.json`` names them; none where there is no such file."""
    file = folder / "modules.json"
    if not file.is_file():
        return []
    modules = read_settings(file, list)
    whole = [
        isinstance(module, dict)
        and isinstance(module.get("type"), str)
        and isinstance(module.get("path"), str)
        for module in modules
    ]
    if not modules or not all(whole):
        raise DataError(damaged(file, 'it must be a list of maps, each with the texts "type" and "path"'))
    if outside := [module["path"] for module in modules if module["path"] and name_fault(module["path"])]:
        raise DataError(damaged(file, f"the path {outside[0]!r} leads out of the folder of the model"))
    return [(module["type"], module["path"]) for module in modules]


def map_of(path: Path) -> dict[str, Any]:
    """The map in a JSON file of a model; an empty one where there is no such file."""
    return dict(read_settings(path)) if path.exists() else {}


def read_settings(path: Path, kind: type = dict) -> Any:
    """What a JSON file of a model holds."""
    if path.exists() and (not path.is_file() or path.stat().st_size > MODEL_SETTINGS_BYTES):
        raise DataError(
            f"{path} holds no settings: it is a pipe or a device, or larger than {MODEL_SETTINGS_BYTES} bytes."
        )
    try:
        value = parse_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(damaged(path, str(error))) from error
    if not isinstance(value, kind):
        raise DataError(damaged(path, f"it holds a {type(value).__name__}, where a {kind.__name__} belongs"))
    return value


def whole_number(config: Mapping[str, Any], key: str, path: Path) -> int:
    """A number of dimensions or tokens."""
    value = config.get(key)
    if type(value) is not int or not 0 < value < UNLIMITED:
        shown = f"{value:.6g}" if isinstance(value, float) else str(type(value).__name__)
        raise DataError(damaged(path, f"{key} must be a whole number from 1 to {UNLIMITED - 1}, not {shown}"))
    return value


def damaged(path: Path, reason: str) -> str:
    """What is said of a file that cannot be read."""
    return (
        f"{path} is missing or damaged: {reason}. Fetch the model again, or take it from where it is whole."
    )
