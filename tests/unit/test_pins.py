"""Pins: exact everywhere, the same in every file of envs/, and hashed in what is installed."""

import re
import tomllib
from collections import defaultdict

import yaml
from workflow_copy import REPOSITORY

ENVS = REPOSITORY / "envs"
EXTRAS = {"onnx", "openvino", "slurm", "crosscheck", "faiss", "lora", "seismic", "vietnamese"}


def plain(name: str) -> str:
    """The name as package tools compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins() -> dict[str, list[str]]:
    """File → its pins, as they are written."""
    found = {
        file.name: [
            line.split("#")[0].partition(";")[0].strip()
            for line in file.read_text(encoding="utf-8").splitlines()
            if line.strip() and not line.startswith("#")
        ]
        for file in sorted(ENVS.glob("requirements*.in"))
    }
    for file in sorted(ENVS.glob("*.yaml")):
        parts = yaml.safe_load(file.read_text(encoding="utf-8"))["dependencies"]
        (packages,) = [part["pip"] for part in parts if isinstance(part, dict)]
        found[file.name] = packages
    return found


def hashed() -> dict[str, dict[str, list[str]]]:
    """File → pin, its marker included → its hashes."""
    found: dict[str, dict[str, list[str]]] = {}
    for file in sorted(ENVS.glob("requirements*.txt")):
        lines = re.sub(r" \\\n *", " ", file.read_text(encoding="utf-8")).splitlines()
        parts = [line.split(" --hash=") for line in lines if not line.startswith("#")]
        found[file.name] = {part[0].strip(): [sha.strip() for sha in part[1:]] for part in parts}
    return found


def test_every_pin_is_exact():
    for file, lines in pins().items():
        for line in lines:
            assert re.fullmatch(r"[A-Za-z0-9._-]+(\[[a-z,]+\])?==[^=*<>~! ]+", line), f"{file}: {line}"


def names_in(*files: str) -> set[str]:
    found = pins()
    return {plain(line.partition("==")[0]) for file in files for line in found[file]}


def test_every_list_has_a_hashed_one_with_the_same_pins():
    lists = {file: set(map(plain, lines)) for file, lines in pins().items() if file.endswith(".in")}
    assert {file.replace(".txt", ".in") for file in hashed()} == set(lists)
    for file, found in hashed().items():
        assert {plain(pin.partition(";")[0].strip()) for pin in found} == lists[
            file.replace(".txt", ".in")
        ], file


def test_every_hashed_pin_has_the_sha256_of_at_least_one_file():
    for file, found in hashed().items():
        for pin, hashes in found.items():
            assert hashes, f"{file}: {pin}"
            assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", value) for value in hashes), f"{file}: {pin}"


def test_seismic_is_pinned_to_the_one_wheel_that_the_processor_is_asked_for():
    [(pin, hashes)] = hashed()["requirements-seismic.txt"].items()
    assert (
        pin.partition(";")[2].count(" == ") == 2
    )  # of the machine and of the system, beside Python's version
    assert len(hashes) == 1, "make pins lists files for other platforms, too: keep the hash that was there"


def test_lists_name_no_place_to_fetch_from():
    for file in ENVS.glob("requirements*"):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"://|^ *(-i|-f|--\S*index\S*|--find-links)\b", text, re.MULTILINE), file.name


def test_one_package_alone_is_installed_without_hashes():
    lines = (ENVS / "install.sh").read_text(encoding="utf-8").splitlines()
    calls = [line for line in lines if line.startswith("install ")]
    assert [line for line in calls if "--require-hashes" not in line] == [
        "install torch --constraint envs/requirements-torch.in",
        "install --no-deps --no-build-isolation --editable .",
    ]


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
    whole = names_in("requirements.in", "requirements-torch.in")
    families = [file for file in found if file.endswith(".yaml")]
    assert set(families) == {"embed.yaml", "exports.yaml", "probe.yaml", "report.yaml"}
    for file in families:
        assert {plain(line.partition("==")[0]) for line in found[file]} <= whole, file


def test_everything_the_project_depends_on_is_pinned():
    described = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    project, build = described["project"], described["build-system"]
    names = {plain(re.split(r"[<>=\[ ]", line)[0]) for line in project["dependencies"]}
    assert names <= names_in("requirements.in", "requirements-torch.in")
    assert {plain(re.split("[<>=]", name)[0]) for name in build["requires"]} == names_in(
        "requirements-build.in"
    )
    assert set(project["optional-dependencies"]) == EXTRAS
    for extra in EXTRAS:
        assert (ENVS / f"requirements-{extra}.in").is_file()


def test_every_rule_with_an_environment_names_one_that_is_there():
    named = set()
    for file in (REPOSITORY / "workflow/rules").rglob("*.smk"):
        named |= set(re.findall(r'"\.\./\.\./envs/([\w.-]+)"', file.read_text(encoding="utf-8")))
    assert named == {file.name for file in ENVS.glob("*.yaml")}
