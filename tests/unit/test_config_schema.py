"""Schemas of configuration and catalog: each rule is stated once, and a family adds its keys by a file of its own."""

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from sentflow.graph.config.parts import known_parts, known_sections
from sentflow.graph.config.schema import load_schema, schema_problems

WORKFLOW = Path(__file__).parents[2] / "workflow"
FILES = sorted((WORKFLOW / "schemas").rglob("*.schema.yaml"))
NAMES = sorted(
    path.name.removesuffix(".schema.yaml") for path in (WORKFLOW / "schemas").glob("*.schema.yaml")
)
ANNOTATIONS = {"description", "default", "$ref"}


def nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Every map in nested values."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from nodes(inner)


def referred(node: dict[str, Any], file: Path) -> dict[str, Any]:
    name, _, path = node["$ref"].partition("#/")
    found = yaml.safe_load((WORKFLOW / "schemas" / name if name else file).read_text(encoding="utf-8"))
    for key in path.split("/"):
        found = found[key]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_valid_and_has_no_references_left(name):
    schema = load_schema(WORKFLOW, name)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert not [node for node in nodes(schema) if "$ref" in node]


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_what_stands_beside_a_reference_relaxes_none_of_its_rules(file):
    """Loading lets it replace what is referred to, while JSON Schema asks for both."""
    for node in nodes(yaml.safe_load(file.read_text(encoding="utf-8"))):
        if "$ref" in node:
            assert node.keys() & referred(node, file).keys() <= ANNOTATIONS, node


def test_patterns_and_lists_of_choices_are_stated_once():
    every = [node for file in FILES for node in nodes(yaml.safe_load(file.read_text(encoding="utf-8")))]
    patterns = Counter(node["pattern"] for node in every if isinstance(node.get("pattern"), str))
    choices = Counter(str(node["enum"]) for node in every if "description" in node and "enum" in node)
    assert [rule for rule, n in (patterns + choices).items() if n > 1] == []


def test_every_section_has_a_catalog_a_schema_and_a_place_in_the_configuration():
    config = load_schema(WORKFLOW, "config")["properties"]
    for section in known_sections():
        assert (WORKFLOW / "catalog" / f"{section.name}.yaml").is_file()
        assert section.name in NAMES and section.name in config
        assert all(key in config[top]["properties"] for top, key in (p.split(".") for p in section.named_in))
    assert [section for part in known_parts() for section in part.sections] == list(known_sections())


def test_a_family_adds_its_keys_by_a_file_of_its_own(tmp_path):
    shutil.copytree(WORKFLOW / "schemas", tmp_path / "schemas")
    part = """
    required: [searching]
    properties:
      select: {required: [search_sets], properties: {search_sets: {$ref: "common.schema.yaml#/$defs/names"}}}
      searching: {type: object, description: How it is searched.}
    """
    (tmp_path / "schemas/config/searching.schema.yaml").write_text(part, encoding="utf-8")
    schema = load_schema(tmp_path, "config")
    config = yaml.safe_load((WORKFLOW.parent / "config.yaml").read_text(encoding="utf-8"))
    assert schema_problems(config, schema, where="config") == [
        "config: 'searching' is a required property. " + schema["description"],
        "config.select: 'search_sets' is a required property. "
        + schema["properties"]["select"]["description"],
    ]
    config |= {"searching": 1, "select": {**config["select"], "search_sets": []}}
    assert schema_problems(config, schema, where="config") == [
        "config.searching: 1 is not of type 'object'. How it is searched."
    ]
