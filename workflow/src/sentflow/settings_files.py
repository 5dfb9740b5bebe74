"""Files of settings: read as data; what contains itself or is nested too deep is refused.

PyYAML and the standard library only: the Snakefile imports this module in every job.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from sentflow.errors import ConfigError

MAX_DEPTH = 50  # far more than any setting has
# What PyYAML raises for values that are not what they look like: a month 13, 5,000 digits, a tag without its value
_ODD_VALUES = (ValueError, TypeError, AttributeError, LookupError, OverflowError)


def read_settings(file: Path) -> Any:
    """What a YAML file holds.

    Raises
    ------
    ConfigError
        It is missing, no YAML in UTF-8, nested too deep, or a value contains itself; says where.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(f"there is no file {file}. Write the path of a YAML file.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{file} cannot be read ({error}). Write the path of a YAML file in UTF-8."
        ) from None
    return parse_settings(text, where=str(file))


def parse_settings(text: str, *, where: str) -> Any:
    """What a YAML text holds; `where` begins messages.

    Raises
    ------
    ConfigError
        See `read_settings`.
    """
    try:
        value = _json_or_yaml(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"{where} is not YAML: {_place(error)}") from None
    except RecursionError:
        raise ConfigError(_too_deep(where)) from None
    except _ODD_VALUES as error:
        raise ConfigError(
            f"{where} holds a value that YAML cannot read: {error}. Put it in quotes if it is a text; numbers have at "
            "most 18 digits."
        ) from None
    refuse_endless(value, where=where)
    return value


def refuse_endless(value: Any, *, where: str) -> None:
    """Refuse nested maps and lists that have no end, or too many levels.

    Raises
    ------
    ConfigError
        A map or list contains itself, which YAML can write (``&a {b: *a}``), or the nesting is deeper than `MAX_DEPTH`.
    """
    depths: dict[int, int] = {}  # of what has been looked at: an alias is followed once
    around: set[int] = set()

    def depth_of(item: Any) -> int:
        if not isinstance(item, Mapping | list | tuple):
            return 0
        if id(item) in around:
            raise ConfigError(
                f"{where}: a map or list contains itself, by an anchor (&) and an alias (*) inside it. Write out what "
                "is meant."
            )
        if id(item) not in depths:
            if len(around) >= MAX_DEPTH:
                raise ConfigError(_too_deep(where))
            around.add(id(item))
            inner = item.values() if isinstance(item, Mapping) else item
            depths[id(item)] = 1 + max(map(depth_of, inner), default=0)
            around.remove(id(item))
        if len(around) + depths[id(item)] > MAX_DEPTH:
            raise ConfigError(_too_deep(where))
        return depths[id(item)]

    depth_of(value)


def _json_or_yaml(text: str) -> Any:
    """As Snakemake reads a file of settings: YAML refuses the tabs of some JSON."""
    if text.lstrip().startswith("{"):
        with suppress(ValueError, RecursionError):
            return json.loads(text)
    return yaml.safe_load(text)


def _too_deep(where: str) -> str:
    return f"{where}: nested more than {MAX_DEPTH} levels deep. No setting is: take the superfluous brackets away."


def _place(error: yaml.YAMLError) -> str:
    """Line, column and problem; counted from 1."""
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return str(error)
    return f"line {mark.line + 1}, column {mark.column + 1}: {getattr(error, 'problem', error)}"
