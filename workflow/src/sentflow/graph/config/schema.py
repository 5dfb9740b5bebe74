"""The JSON schemas of the catalog: read from their files, and what they find in sentences.

A reference names a definition of the same file (``#/$defs/x``) or of another
(``common.schema.yaml#/$defs/x``).
"""

import re
from collections.abc import Mapping
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
    """A schema with every reference replaced by what it refers to.

    Parameters
    ----------
    workflow
        The folder that holds ``schemas/``.
    name
        A section of the catalog.
    """
    folder = workflow / "schemas"
    schema = read_yaml(folder / f"{name}.schema.yaml")
    resolved: dict[str, Any] = _resolved(schema, schema, folder)
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
            problems += [
                f"{place}.{key}: there is no such key. {instead(key, sorted(known))}" for key in unknown
            ]
        else:
            hint = error.schema.get("description", "") if isinstance(error.schema, Mapping) else ""
            problems.append(f"{place}: {error.message}. {_unquoted(error)}{hint}".strip())
    return problems


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
