"""YAML files of users: how large, how deep, and how much their aliases repeat, before anything is made of them.

PyYAML and the standard library only: the Snakefile imports this module in every job.
"""

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from sentflow.errors import ConfigError
from sentflow.files.limits import SETTINGS_BYTES, SETTINGS_DEPTH, SETTINGS_PART_BYTES

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C loader is ten times faster
# What PyYAML raises for values that are not what they look like: a month 13, 5,000 digits, a tag without its value
_ODD_VALUES = (ValueError, TypeError, AttributeError, LookupError, OverflowError)
_Parts = Callable[[Any], tuple[int, Iterable[Any]]]


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
                refuse_overgrown(value, where=where)
                return value
        return _from_yaml(text, where=where)
    except yaml.YAMLError as error:
        raise ConfigError(f"{where} is not YAML: {_place(error)}") from None
    except RecursionError:
        raise ConfigError(_too_deep(where)) from None
    except _ODD_VALUES as error:
        raise ConfigError(
            f"{where} has a value that YAML cannot read: {error}. Put it in quotes if it is text; numbers "
            "have at most 18 digits."
        ) from None


def refuse_overgrown(value: Any, *, where: str) -> None:
    """Refuse settings that someone else has read, if they are larger than settings can be.

    Raises ConfigError: too large with everything that is repeated in it, too deep, or a part of itself.
    """
    _check(value, _parts_of_value, where=where)


_INSTEAD = "Settings must not contain data: write the path of a data file, and use like for shared keys."


def _from_yaml(text: str, *, where: str) -> Any:
    _check_depth(text, where=where)
    loader = _LOADER(text)
    try:
        node = loader.get_single_node()
        if node is None:  # nothing but comments
            return None
        # on the nodes, where an alias is still one; merge keys (<<) are written out by what follows
        _check(node, _parts_of_node, where=where)
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _check_depth(text: str, *, where: str) -> None:
    """On the tokens that open and close: the C loader, asked for nodes that are too deep, ends the process."""
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > SETTINGS_DEPTH:
            raise ConfigError(_too_deep(where))


def _check(value: Any, parts: _Parts, *, where: str) -> None:
    known: dict[int, tuple[int, int]] = {}  # a repeated part is counted again, but looked at once
    above: set[int] = set()

    def measure(part: Any) -> tuple[int, int]:
        """Size and height of a part."""
        if id(part) in known:
            return known[id(part)]
        if id(part) in above:
            raise ConfigError(
                f"{where}: a map or list contains itself, by an anchor (&) and an alias (*) inside it. "
                "Write the contents out."
            )
        above.add(id(part))
        size, inner = parts(part)
        size += SETTINGS_PART_BYTES
        height = 0
        if len(above) <= SETTINGS_DEPTH:
            for child in inner:
                child_size, child_height = measure(child)
                size, height = size + child_size, max(height, 1 + child_height)
        if len(above) + height > SETTINGS_DEPTH:
            raise ConfigError(_too_deep(where))
        if size > SETTINGS_BYTES:
            raise ConfigError(
                f"{where}: with aliases (*) expanded, this has more than {SETTINGS_BYTES} characters. "
                f"{_INSTEAD}"
            )
        above.discard(id(part))
        known[id(part)] = size, height
        return size, height

    measure(value)


def _parts_of_node(node: yaml.Node) -> tuple[int, Iterable[Any]]:
    if isinstance(node, yaml.ScalarNode):
        return len(node.value), ()
    if isinstance(node, yaml.MappingNode):
        return 0, (part for pair in node.value for part in pair)
    return 0, node.value


def _parts_of_value(value: Any) -> tuple[int, Iterable[Any]]:
    if isinstance(value, str):
        return len(value), ()
    if isinstance(value, dict):
        return 0, (part for pair in value.items() for part in pair)
    return 0, value if isinstance(value, list | tuple) else ()


def _too_deep(where: str) -> str:
    return f"{where}: nested more than {SETTINGS_DEPTH} levels deep. Remove the superfluous brackets."


def _place(error: yaml.YAMLError) -> str:
    """Line, column and problem; counted from 1."""
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return str(error)
    return f"line {mark.line + 1}, column {mark.column + 1}: {getattr(error, 'problem', error)}"
