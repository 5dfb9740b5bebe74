"""The JSON schemas of config and catalog: read from their files, and what they find in sentences.

A schema ``NAME.schema.yaml`` may have parts in a folder ``NAME/``: a family of measurements adds its keys of the
configuration by a file of its own. A reference names a definition of the same file (``#/$defs/x``) or of another
(``common.schema.yaml#/$defs/x``).
"""

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import cache, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from jsonschema import ValidationError

try:
    from yaml import CSafeLoader as SafeLoader  # ten times faster
except ImportError:
    from yaml import SafeLoader  # type: ignore[assignment]

from sentflow.errors import ConfigError, instead
from sentflow.files.settings_files import parse_settings
from sentflow.graph.config.removed import KEYS
from sentflow.graph.products import fill_in_names

Schema = Mapping[str, Any]
_LONGEST_NUMBER = 200
_EXPONENT = re.compile(r"([-+]?[0-9]+)(\.[0-9]*)?[eE]([-+]?)([0-9]+)")


@cache
def read_yaml(path: Path) -> Any:
    """A YAML file of the workflow, which must not be changed in place."""
    with path.open(encoding="utf-8") as stream:
        return yaml.load(stream, Loader=SafeLoader)


@cache
def load_schema(workflow: Path, name: str) -> Schema:
    """A schema with its parts, and with every reference replaced by what it refers to.

    Parameters
    ----------
    workflow
        The folder that holds ``schemas/``.
    name
        A section of the catalog, or ``config``.
    """
    folder = workflow / "schemas"
    schema = read_yaml(folder / f"{name}.schema.yaml")
    for part in sorted((folder / name).glob("*.schema.yaml")):
        schema = _joined(schema, read_yaml(part))
    resolved: dict[str, Any] = _resolved(schema, schema, folder)
    if name == "config":
        fill_in_names(resolved)
    return resolved


def schema_problems(value: Any, schema: Schema, *, where: str) -> list[str]:
    """What a JSON schema finds wrong, one sentence per mistake; an unknown key with the nearest known one."""
    from jsonschema import Draft202012Validator  # which jobs of tables and figures do not need

    errors = sorted(
        Draft202012Validator(schema).iter_errors(value),
        key=lambda error: [str(part) for part in error.absolute_path],
    )
    problems = []
    for error in errors:
        place = ".".join([where, *(str(part) for part in error.absolute_path)])
        if error.validator == "additionalProperties" and isinstance(error.instance, dict):
            known = list(error.schema.get("properties", {}))
            unknown = [key for key in error.instance if key not in known]
            problems += [f"{place}.{key}: {_unknown(f'{place}.{key}', key, known)}" for key in unknown]
        else:
            hint = error.schema.get("description", "") if isinstance(error.schema, Mapping) else ""
            problems.append(f"{place}: {error.message}. {_unquoted(error)}{hint}".strip())
    return problems


def _unknown(place: str, key: str, known: Sequence[str]) -> str:
    if place in KEYS:
        return f"this key is gone. {KEYS[place]}"
    return f"there is no such key. {instead(key, sorted(known))}"


def mended(value: Any, schema: Schema, default: Any) -> Any:
    """A value without what a schema refuses: as in a default, if that has it, else left out."""
    from jsonschema import Draft202012Validator

    found = deepcopy(value)
    for error in Draft202012Validator(schema).iter_errors(value):
        path = list(error.absolute_path)
        if error.validator == "additionalProperties" and isinstance(error.instance, dict):
            known = error.schema.get("properties", {})
            places = [[*path, key] for key in error.instance if key not in known]
        elif error.validator == "required":
            places = [[*path, key] for key in error.validator_value if key not in error.instance]
        else:
            places = [path]
        for place in places:
            found = _replaced(found, place, default)
    return found


def _replaced(value: Any, place: Sequence[str | int], default: Any) -> Any:
    """A value with that of a default in one place, or with nothing there; lists are replaced as a whole."""
    if not place or not isinstance(value, dict):
        return deepcopy(default)
    key, *rest = place
    inside = default.get(key) if isinstance(default, dict) else None
    new = _replaced(value[key], rest, inside) if rest and key in value else deepcopy(inside)
    if new is None:
        return {name: item for name, item in value.items() if name != key}
    return {**value, key: new}


def _joined(schema: Any, part: Any) -> Any:
    """A schema with a part of it: maps key by key, lists one after the other."""
    if isinstance(schema, dict) and isinstance(part, dict):
        both = {key: _joined(schema[key], part[key]) for key in schema if key in part}
        return {**schema, **part, **both}
    if isinstance(schema, list) and isinstance(part, list):
        return [*schema, *(item for item in part if item not in schema)]
    return part


def _resolved(node: Any, document: Any, folder: Path) -> Any:
    """A node of a document without references; what stands beside one (a description) goes before what it refers to."""
    if isinstance(node, list):
        return [_resolved(item, document, folder) for item in node]
    if not isinstance(node, dict):
        return node
    own = {key: _resolved(value, document, folder) for key, value in node.items() if key != "$ref"}
    if "$ref" not in node:
        return own
    file, _, path = node["$ref"].partition("#/")
    other = read_yaml(folder / file) if file else document
    return {**_resolved(reduce(lambda found, key: found[key], path.split("/"), other), other, folder), **own}


def _unquoted(error: "ValidationError") -> str:
    """What to write instead of a text that would be right without quotes; empty for other mistakes."""
    # a number or a list of names is short; reading a long text as YAML could cost any time
    if error.validator != "type" or not isinstance(error.instance, str):
        return ""
    if len(error.instance) > _LONGEST_NUMBER:
        return ""
    try:
        meant = parse_settings(error.instance, where="")
    except ConfigError:
        return ""
    from jsonschema import Draft202012Validator

    if isinstance(meant, str):
        return _with_a_point(meant, error.validator_value)
    if not Draft202012Validator({"type": error.validator_value}).is_valid(meant):
        return ""
    return (
        f"Write {error.instance} without quotes, in a file: snakemake --config turns all values inside "
        f"{{…}} into "
        "texts, --configfile does not. "
    )


def _with_a_point(text: str, wanted: Any) -> str:
    """How YAML reads a text like 3e-5 as a number; empty for other texts, and where no number is wanted."""
    found = _EXPONENT.fullmatch(text)
    if not found or "number" not in wanted:
        return ""
    whole, fraction, sign, exponent = found.groups()
    return f"Write {whole}{fraction or '.0'}e{sign or '+'}{exponent}: without point and sign, YAML reads a text. "
