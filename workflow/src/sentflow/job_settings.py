"""How settings and names reach a rule: as text that Snakemake compares reliably."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any


def one_of(names: Iterable[str]) -> str:
    """Regular expression that matches exactly these names; nothing at all if there are none."""
    return "|".join(re.escape(name) for name in names) or "(?!)"


def expanded(pattern: str, key: str, names: Iterable[str], formats: Iterable[str]) -> list[str]:
    """Files of a pattern with the wildcards `key` and format, name after name."""
    formats = list(formats)
    return [pattern.format(**{key: name, "format": ending}) for name in names for ending in formats]


def pick(entry: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """These keys of an entry, which has them all."""
    return {key: entry[key] for key in keys}


def pick_known(entry: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Those of these keys that an entry has."""
    return {key: entry[key] for key in keys if key in entry}


def json_text(value: Any) -> str:
    """JSON with sorted keys, so that equal settings are equal text."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
