"""Pins: exact everywhere, and the same in every file of envs/."""

import re
import tomllib
from collections import defaultdict

import yaml
from workflow_copy import REPOSITORY

ENVS = REPOSITORY / "envs"
EXTRAS = {"onnx", "openvino", "fused", "slurm", "crosscheck"}


def plain(name: str) -> str:
    """The name as package tools compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins() -> dict[str, list[str]]:
    """File → its pins, as they are written."""
    found = {
        file.name: [
            line.split("#")[0].strip()
            for line in file.read_text(encoding="utf-8").splitlines()
            if line.strip() and not line.startswith("#")
        ]
        for file in sorted(ENVS.glob("requirements*.txt"))
    }
    for file in sorted(ENVS.glob("*.yaml")):
        parts = yaml.safe_load(file.read_text(encoding="utf-8"))["dependencies"]
        (packages,) = [part["pip"] for part in parts if isinstance(part, dict)]
        found[file.name] = packages
    return found


def test_every_pin_is_exact():
    for file, lines in pins().items():
        for line in lines:
            assert re.fullmatch(r"[A-Za-z0-9._-]+(\[[a-z,]+\])?==[^=*<>~! ]+", line), f"{file}: {line}"


def test_no_two_files_pin_different_versions():
    versions = defaultdict(dict)
    for file, lines in pins().items():
        for line in lines:
            name, _, version = line.partition("==")
            versions[plain(name.partition("[")[0])][file] = version
    torn = {name: places for name, places in versions.items() if len(set(places.values())) > 1}
    assert torn == {}


def test_environments_of_job_families_pin_what_everything_is_pinned_to():
    found = pins()
    whole = {plain(line.partition("==")[0]) for line in found["requirements.txt"]}
    families = [file for file in found if file.endswith(".yaml")]
    assert set(families) == {"embed.yaml", "exports.yaml", "probe.yaml", "report.yaml"}
    for file in families:
        assert {plain(line.partition("==")[0]) for line in found[file]} <= whole, file


def test_everything_the_project_depends_on_is_pinned():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {plain(re.split(r"[<>=\[ ]", line)[0]) for line in project["dependencies"]}
    pinned = {plain(line.partition("==")[0]) for line in pins()["requirements.txt"]}
    assert names <= pinned
    assert set(project["optional-dependencies"]) == EXTRAS
    for extra in EXTRAS:
        assert (ENVS / f"requirements-{extra}.txt").is_file()


def test_every_rule_with_an_environment_names_one_that_is_there():
    named = set()
    for file in (REPOSITORY / "workflow/rules").glob("*.smk"):
        named |= set(re.findall(r'"\.\./\.\./envs/([\w.-]+)"', file.read_text(encoding="utf-8")))
    assert named == {file.name for file in ENVS.glob("*.yaml")}
