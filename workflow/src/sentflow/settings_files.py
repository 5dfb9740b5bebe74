"""YAML files of strangers: how large, how deep, and how much their aliases repeat, before anything is made of them.

PyYAML and the standard library only: the Snakefile imports this module in every job.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import yaml

from sentflow.errors import ConfigError
from sentflow.limits import SETTINGS_BYTES, SETTINGS_DEPTH, SETTINGS_PART_BYTES

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C loader is ten times faster


def read_settings(path: Path) -> Any:
    """What a YAML file holds, in built-in types.

    Raises
    ------
    ConfigError
        The file is larger than settings can be, with or without what its aliases repeat.
    OSError, UnicodeDecodeError, yaml.YAMLError
        It cannot be read, or is no YAML.
    """
    with path.open("rb") as stream:  # no further than the limit, for it may be a pipe or a device
        content = stream.read(SETTINGS_BYTES + 1)
    if len(content) > SETTINGS_BYTES:
        raise ConfigError(f"{path} has more than {SETTINGS_BYTES} bytes. Settings are no data: {_INSTEAD}")
    text = content.decode("utf-8")
    _check_depth(text, where=str(path))
    loader = _LOADER(text)
    try:
        node = loader.get_single_node()
        if node is None:  # nothing but comments
            return None
        # on the nodes, where an alias is still one; merge keys (<<) are written out by what follows
        _check(node, _parts_of_node, where=str(path))
        return loader.construct_document(node)
    finally:
        loader.dispose()


def refuse_overgrown(value: Any, *, where: str) -> None:
    """Refuse settings that someone else has read, if they are larger than settings can be.

    Raises
    ------
    ConfigError
        Too large with everything that is repeated in it, too deep, or a part of itself.
    """
    _check(value, _parts_of_value, where=where)


_INSTEAD = "write the path of a file of data, and share what entries have in common by like."
_TOO_DEEP = f"maps and lists are inside each other more than {SETTINGS_DEPTH} times."
_Parts = Callable[[Any], tuple[int, Iterable[Any]]]


def _check_depth(text: str, *, where: str) -> None:
    """On the signs that open and close: the C loader, asked for nodes that are too deep, ends the process."""
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > SETTINGS_DEPTH:
            raise ConfigError(f"{where}: {_TOO_DEEP}")


def _check(value: Any, parts: _Parts, *, where: str) -> None:
    known: dict[int, tuple[int, int]] = {}  # a repeated part is counted again, but looked at once
    above: set[int] = set()

    def measure(part: Any) -> tuple[int, int]:
        """Size and height of a part."""
        if id(part) in known:
            return known[id(part)]
        if id(part) in above:
            raise ConfigError(f"{where}: an alias (*) stands inside of what it repeats. Write the part out.")
        above.add(id(part))
        size, inner = parts(part)
        size += SETTINGS_PART_BYTES
        height = 0
        if len(above) <= SETTINGS_DEPTH:
            for child in inner:
                child_size, child_height = measure(child)
                size, height = size + child_size, max(height, 1 + child_height)
        if len(above) + height > SETTINGS_DEPTH:
            raise ConfigError(f"{where}: {_TOO_DEEP}")
        if size > SETTINGS_BYTES:
            raise ConfigError(
                f"{where}: with all that aliases (*) repeat, this has more than {SETTINGS_BYTES} signs. Settings are "
                f"no data: {_INSTEAD}"
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
