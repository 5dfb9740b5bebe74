"""YAML files of users: how large, how deep, and how much their aliases repeat, before anything is made of them.

PyYAML and the standard library only: the Snakefile imports this module in every job.
"""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from sentflow.errors import ConfigError
from sentflow.files.limits import SETTINGS_BYTES, SETTINGS_DEPTH, SETTINGS_PART_BYTES

# As Snakemake reads: the faster loader of C takes tabs and "?" where this one does not.
_LOADER = yaml.SafeLoader
# What PyYAML raises for values that are not what they look like: a month 13, 5,000 digits, a tag without its value
_ODD_VALUES = (ValueError, TypeError, AttributeError, LookupError, OverflowError)


def read_settings(path: Path) -> Any:
    """What a YAML file holds, in built-in types."""
    try:
        with path.open("rb") as stream:  # no further than the limit, for it may be a pipe or a device
            content = stream.read(SETTINGS_BYTES + 1)
        if len(content) > SETTINGS_BYTES:
            raise ConfigError(f"{path} has more than {SETTINGS_BYTES} bytes. {_INSTEAD}")
        text = content.decode("utf-8")
    except FileNotFoundError:
        raise ConfigError(f"there is no file {path}. Write the path of a YAML file.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path} cannot be read ({error}). Write the path of a YAML file in UTF-8."
        ) from None
    return parse_settings(text, where=str(path))


def parse_settings(text: str, *, where: str) -> Any:
    """What a YAML text holds; `where` begins messages.

    Raises ConfigError: it is no YAML, too deep, a part of itself, or larger than settings can be, with or without what
    its aliases repeat; says where.
    """
    try:
        if text.lstrip().startswith("{"):  # as Snakemake reads it: YAML refuses the tabs of some JSON
            with suppress(ValueError, RecursionError):
                value = json.loads(text)
                check_size(value, where=where)
                return value
        value = yaml.load(text, Loader=_LOADER)  # noqa: S506 - a safe loader
        check_size(value, where=where)
        return value
    except yaml.YAMLError as error:
        raise ConfigError(f"{where} is not YAML: {_place(error)}") from None
    except RecursionError:
        raise ConfigError(_too_deep(where)) from None
    except _ODD_VALUES as error:
        raise ConfigError(
            f"{where} has a value that YAML cannot read: {error}. Put it in quotes if it is text; numbers "
            "have at most 18 digits."
        ) from None


def check_size(value: Any, *, where: str) -> None:
    """Refuse settings that are too large with all that they repeat, too deep, or a part of themselves."""
    known: dict[int, tuple[int, int]] = {}  # a repeated part is counted again, but looked at once
    above: set[int] = set()

    def measure(part: Any) -> tuple[int, int]:
        """Size and height of a part."""
        if not isinstance(part, dict | list | tuple):
            return SETTINGS_PART_BYTES + (len(part) if isinstance(part, str) else 0), 0
        if id(part) in known:
            return known[id(part)]
        if id(part) in above:
            raise ConfigError(
                f"{where}: a map or list contains itself, by an anchor (&) and an alias (*) inside it. "
                "Write the contents out."
            )
        above.add(id(part))
        inner = [*part.keys(), *part.values()] if isinstance(part, dict) else part
        measured = [measure(child) for child in inner] if len(above) <= SETTINGS_DEPTH else []
        size = SETTINGS_PART_BYTES + sum(size for size, _ in measured)
        height = 1 + max((height for _, height in measured), default=0)
        if len(above) + height > SETTINGS_DEPTH + 1:
            raise ConfigError(_too_deep(where))
        if size > SETTINGS_BYTES:
            raise ConfigError(
                f"{where}: with aliases (*) expanded, this has more than {SETTINGS_BYTES} characters. {_INSTEAD}"
            )
        above.discard(id(part))
        known[id(part)] = size, height
        return size, height

    measure(value)


_INSTEAD = "Settings must not contain data: write the path of a data file, and use like for shared keys."


def _too_deep(where: str) -> str:
    return f"{where}: nested more than {SETTINGS_DEPTH} levels deep. Remove the superfluous brackets."


def _place(error: yaml.YAMLError) -> str:
    """Line, column and problem, counted from 1, and what helps."""
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return str(error)
    place = f"line {mark.line + 1}, column {mark.column + 1}"
    if mark.buffer is not None and mark.buffer[mark.pointer] == "\t":
        return f"{place}: a tab. Write spaces in its place."
    problem = getattr(error, "problem", error)
    return f'{place}: {problem}. Align the keys of a map, and put texts with signs such as ? : # @ % into quotes, "…".'
