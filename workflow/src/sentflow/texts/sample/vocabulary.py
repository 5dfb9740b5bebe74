"""The words of sample texts, read from the data files in the folder ``vocabulary``."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

try:
    from yaml import CSafeLoader as SafeLoader  # ten times faster
except ImportError:
    from yaml import SafeLoader  # type: ignore[assignment]

_FOLDER = Path(__file__).with_name("vocabulary")


@cache
def vocabulary(name: str) -> dict[str, Any]:
    """What a data file holds: word lists and templates by name; lists as tuples, since all texts share them."""
    text = _FOLDER.joinpath(f"{name}.yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = _frozen(yaml.load(text, Loader=SafeLoader))
    return found


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
