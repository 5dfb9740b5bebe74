"""Writes workflow/schemas/*.json and the tables of keys in the docs from the settings' models: python docs/keys.py

With --check it writes nothing, names what is stale, and ends with 1.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from sentflow.config.configuration import Configuration
from sentflow.config.model import Settings, choices_of, description_of, fields_of
from sentflow.config.sections import SECTIONS
from sentflow.config.short_forms import SHORT_FORMS

ROOT = Path(__file__).resolve().parents[1]
SCHEMAS = ROOT / "workflow" / "schemas"
# <!-- keys of module:Model --> table <!-- end of keys -->
BLOCK = re.compile(r"(<!-- keys of ([\w.]+):(\w+) -->\n).*?(<!-- end of keys -->)", re.DOTALL)

# What pydantic writes → what JSON schemas call it
_NAMES = {
    "oneOf": "anyOf",
    "ge": "minimum",
    "le": "maximum",
    "gt": "exclusiveMinimum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}


def main() -> int:
    """Write what is stale, or name it."""
    stale = {path: text for path, text in wanted() if not path.is_file() or path.read_text("utf-8") != text}
    for path, text in stale.items():
        sys.stdout.write(f"{path.relative_to(ROOT)}\n")
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return int(bool(stale) and "--check" in sys.argv)


def wanted() -> Iterator[tuple[Path, str]]:
    """Every generated file, and every page with generated tables: what it should hold."""
    yield SCHEMAS / "config.json", _json(_configuration())
    for section in SECTIONS:
        own = {"$ref": f"config.json#/properties/{section.name}"}
        yield SCHEMAS / f"{section.name}.json", _json(own)
    for path in sorted((ROOT / "docs").glob("*.md")):
        text = path.read_text("utf-8")
        if BLOCK.search(text):
            yield path, BLOCK.sub(_block, text)


# --- schemas


class _Described(GenerateJsonSchema):
    """JSON schemas with the texts of fields."""

    def field_title_should_be_set(self, _schema: Any) -> bool:
        return False

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        found, model = super().model_schema(schema), schema["cls"]
        for key, shown in found.get("properties", {}).items():
            if issubclass(model, Settings) and (text := description_of(model, key)):
                shown["description"] = text
        return found


def _configuration() -> dict[str, Any]:
    """Of a configuration file, of which any key may be left out: it is merged over others."""
    parts: dict[str, TypeAdapter[Any]] = {"config": TypeAdapter(Configuration)}
    for section in SECTIONS:
        parts[section.name] = TypeAdapter(section.model)
        if section.name in SHORT_FORMS:
            parts[f"short {section.name}"] = TypeAdapter(SHORT_FORMS[section.name].short)
    inputs = [(name, "validation", adapter) for name, adapter in parts.items()]
    schemas, common = TypeAdapter.json_schemas(inputs, schema_generator=_Described)
    found = {name: schema for (name, _), schema in schemas.items()}
    definitions = common["$defs"]
    config = definitions.pop(found["config"]["$ref"].rpartition("/")[2])
    for name in SHORT_FORMS:  # their columns may stand beside `like`, too
        short, whole = (
            definitions[found[form]["$ref"].rpartition("/")[2]] for form in (f"short {name}", name)
        )
        short["properties"] |= {key: shown for key, shown in whole["properties"].items() if key == "like"}
    for section in SECTIONS:
        forms = [found[name] for name in (section.name, f"short {section.name}") if name in found]
        config["properties"][section.name] = {
            "type": "object",
            "additionalProperties": {"anyOf": forms} if len(forms) > 1 else forms[0],
            "description": f"Entries by name, merged over workflow/catalog/{section.name}.yaml.",
        }
    whole = _partial({**config, "$defs": definitions, "title": "Configuration of sentflow"})
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **whole}


def _partial(schema: Any) -> Any:
    """A schema that asks for no key, so that several kinds may fit what is written."""
    if isinstance(schema, list):
        return [_partial(item) for item in schema]
    if not isinstance(schema, dict):
        return schema.removesuffix("\\z") + "$" if str(schema).endswith("\\z") else schema
    return {
        _partial(_NAMES.get(key, key)): _partial(value)
        for key, value in schema.items()
        if not (key == "required" and isinstance(value, list)) and key != "discriminator"
    }


def _json(schema: Mapping[str, Any]) -> str:
    return json.dumps(schema, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


# --- tables


def _block(found: re.Match[str]) -> str:
    kind = getattr(import_module(found[2]), found[3])
    is_model = isinstance(kind, type) and issubclass(kind, Settings)
    rows = _rows(kind) if is_model else _rows_of_kinds(get_args(get_args(kind)[0]))
    head = "| key | meaning | if left out |" if is_model else "| key | kinds | meaning | if left out |"
    return "\n".join([found[1].rstrip(), head, "|---" * (head.count("|") - 1) + "|", *rows, found[4]])


def _rows(model: type[Settings]) -> Iterator[str]:
    fields = fields_of(model)
    for key in sorted(fields, key=lambda key: not fields[key].is_required()):
        yield f"| `{key}` | {_meaning(model, key)} | {_default(model, key)} |"


def _rows_of_kinds(models: tuple[type[Settings], ...]) -> Iterator[str]:
    """A line per key and meaning, with the kinds that have it."""
    kinds: dict[tuple[str, str, str], list[str]] = {}
    for model in models:
        for key in fields_of(model):
            line = (key, _meaning(model, key), _default(model, key))
            kinds.setdefault(line, []).extend(choices_of(model, "kind"))
    every = sum(len(choices_of(model, "kind")) for model in models)
    for (key, meaning, default), names in kinds.items():
        if key != "kind" and not meaning.endswith("written by the program."):
            who = "all" if len(names) == every else ", ".join(names)
            who = who.replace("sentence-transformers, transformers", "neural")
            yield f"| `{key}` | {who} | {meaning} | {default} |"


def _meaning(model: type[Settings], key: str) -> str:
    text, choices = description_of(model, key), choices_of(model, key)
    words = set(re.findall(r"[\w-]+", text))
    if not words.issuperset(choices):
        text += f" One of {', '.join(f'`{choice}`' for choice in choices)}."
    return text.replace("|", "\\|").replace("<", "&lt;").strip()


def _default(model: type[Settings], key: str) -> str:
    field = fields_of(model)[key]
    if field.is_required():
        return "required"
    is_said = "if left out" in description_of(model, key)
    if is_said or field.default is None or isinstance(field.default, Settings | dict):
        return ""
    return f"`{json.dumps(field.default, ensure_ascii=False)}`"


if __name__ == "__main__":
    sys.exit(main())
