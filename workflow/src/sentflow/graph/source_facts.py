"""What the source of a module says, remembered from one start of Snakemake to the next.

To parse every module of the package takes a second or two, and Snakemake starts anew in every cluster job. Facts are
kept by the checksum of the source, so they are those of exactly that source, whatever dates and branches do.
"""

import ast
import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sentflow.errors import SentflowError
from sentflow.files.io import write_json

# Beside Python's own derivatives of the sources, which nobody keeps
_REMEMBERED = Path(__file__).parent / "__pycache__" / "source-facts.json"
_new: dict[str, list[Any]] = {}


@dataclass(frozen=True)
class Part:
    """What a module with jobs defines under one name.

    Attributes
    ----------
    digest
        Of its code.
    imported
        Names of the project that it uses or imports itself.
    uses
        Other names of the module.
    signature
        Of a function: each parameter, and the words of its annotation.
    libraries
        Those that ``@job(…)`` names.
    """

    digest: str
    imported: list[str]
    uses: list[str]
    signature: list[tuple[str, list[str]]]
    libraries: list[str]


@dataclass(frozen=True)
class Facts:
    """Of one module.

    Attributes
    ----------
    digest
        Of its code.
    imported
        Names of the project that it imports.
    parts
        Name → what a module with jobs defines under it; empty for other modules.
    """

    digest: str
    imported: list[str]
    parts: dict[str, Part]


def facts_of(source: bytes, find: Callable[[ast.Module], Facts]) -> Facts:
    """Facts of a source, found once.

    Parameters
    ----------
    source
        Of a Python module.
    find
        Reads them off the syntax tree.
    """
    key = hashlib.sha256(source).hexdigest()
    known = _new.get(key) or _remembered().get(key)
    if known is not None:
        digest, imported, parts = known
        return Facts(digest, imported, {name: Part(*part) for name, part in parts.items()})
    facts = find(ast.parse(source))
    parts = {name: list(vars(part).values()) for name, part in facts.parts.items()}
    _new[key] = [facts.digest, facts.imported, parts]
    return facts


def remember() -> None:
    """Keep what was found, if there is something new and the folder can be written."""
    if not _new:
        return
    with suppress(OSError, SentflowError):
        write_json(_REMEMBERED, {"found_by": _finder(), "facts": {**_remembered(), **_new}})
        _remembered.cache_clear()
        _new.clear()


@cache
def _remembered() -> dict[str, list[Any]]:
    """Checksum of a source → its facts; empty where none are kept, or were found by other code than this."""
    try:
        kept = json.loads(_REMEMBERED.read_text(encoding="utf-8"))
        facts: dict[str, list[Any]] = dict(kept["facts"]) if kept["found_by"] == _finder() else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return facts


@cache
def _finder() -> str:
    """Checksum of the code that finds facts."""
    return hashlib.sha256(Path(__file__).with_name("provenance.py").read_bytes()).hexdigest()
