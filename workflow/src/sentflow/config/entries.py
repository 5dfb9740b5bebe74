"""Entries of the catalog and of configurations: reading, merging, and what they take from others by ``like``.

The Snakefile reads this in every job: standard library and PyYAML only.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

try:
    from yaml import CSafeLoader as SafeLoader  # ten times faster
except ImportError:
    from yaml import SafeLoader  # type: ignore[assignment]

from sentflow.encoders.manifest import SOURCE_KEYS

Entry = dict[str, Any]
Entries = dict[str, Entry]
AllEntries = dict[str, Entries]
"""Section → name → entry."""
Selected = Mapping[str, list[str]]
"""Section → the names that a configuration selects, each once, of entries that exist and fit their model."""


@cache
def read_yaml(path: Path) -> Any:
    """A YAML file of the workflow, which must not be changed in place."""
    with path.open(encoding="utf-8") as stream:
        return yaml.load(stream, Loader=SafeLoader)


def as_map(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def merge(base: Any, top: Any, key: str = "") -> Any:
    """A value over another: maps key by key, anything else replaces what is below.

    The source of an encoder that names another origin is such a thing: no key of the origin below fits it. `key` is the
    one that holds both values.
    """
    if not (isinstance(base, dict) and isinstance(top, dict)):
        return top
    if key == "source" and (origin := _origin(top)) and origin != _origin(base):
        return top
    return {**base, **{name: merge(base.get(name), value, name) for name, value in top.items()}}


def derived(base: Any, entry: Entry) -> Entry:
    """An entry merged over the one that it is like: key by key, and key by key again in ``reader``."""
    base = as_map(base)
    own = {key: value for key, value in entry.items() if key != "like"}
    reader, own_reader = as_map(base.get("reader")), own.get("reader", {})
    if not isinstance(own_reader, dict) or not (reader or own_reader):
        return {**base, **own}
    # another format has other keys: nothing of the other reader fits it
    keep = own_reader.get("format", reader.get("format")) == reader.get("format")
    return {**base, **own, "reader": {**reader, **own_reader} if keep else own_reader}


def derived_protocol(base: Any, entry: Entry) -> Entry:
    """A protocol with the switches and the training of another under its own; title and description are not taken."""
    own = {key: value for key, value in entry.items() if key != "like"}
    for key in ("switches", "training"):
        if inherited := as_map(as_map(base).get(key)):
            own[key] = merge(inherited, own.get(key, {}))
    return own


def _origin(source: Entry) -> dict[str, Any]:
    """Where a source comes from: the keys that say it, a hub model or package with its name."""
    named = [key for key in SOURCE_KEYS if key in source and (key != "folder" or "package" not in source)]
    return {key: source[key] if key in ("hub", "package") else None for key in named}
