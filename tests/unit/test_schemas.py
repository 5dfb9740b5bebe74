"""JSON schemas for editors, and the tables of keys in the docs: made of the models, and up to date."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from experiments import REPOSITORY
from jsonschema import Draft202012Validator

SCHEMA = json.loads((REPOSITORY / "workflow/schemas/config.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
FILES = [
    REPOSITORY / "config.yaml",
    *sorted((REPOSITORY / "experiments").glob("*.yaml")),
    *sorted((REPOSITORY / "tests/fixtures").glob("*.yaml")),
]


def test_generated_files_are_up_to_date():
    done = subprocess.run(
        [sys.executable, "docs/keys.py", "--check"], cwd=REPOSITORY, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}Run make schemas."


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_files_of_the_repository_fit_the_schema(file: Path):
    assert _wrong(yaml.safe_load(file.read_text(encoding="utf-8"))) == []


def test_the_catalog_fits_the_schema_and_mistakes_do_not():
    Draft202012Validator.check_schema(SCHEMA)
    for file in sorted((REPOSITORY / "workflow/schemas").glob("*.json")):
        if file.stem != "config":
            entries = (REPOSITORY / f"workflow/catalog/{file.stem}.yaml").read_text(encoding="utf-8")
            assert _wrong({file.stem: yaml.safe_load(entries)}) == [], file.stem
    assert _wrong({"probe": {"fold": 5, "job": "row"}, "models": {"mine": {"max_length": 8}}}) == [
        "$.models.mine",
        "$.probe",
        "$.probe.job",
    ]


def test_every_setting_says_what_it_is():
    models = {name: model for name, model in SCHEMA["$defs"].items() if "properties" in model}
    assert len(models) > 60
    silent = [
        f"{name}.{key}"
        for name, model in models.items()
        for key, shown in model["properties"].items()
        if key != "kind" and not shown.get("description")
    ]
    assert silent == []


def _wrong(settings: object) -> list[str]:
    return sorted(error.json_path for error in VALIDATOR.iter_errors(settings))
