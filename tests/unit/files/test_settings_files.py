"""Settings that repeat themselves without end, are too deep, or are no settings at all."""

import json

import pytest
import yaml

from sentflow.api.tasks import own_entries
from sentflow.cli.configuration import read_configuration, workflow_folder
from sentflow.errors import ConfigError
from sentflow.families.probing.catalog import protocol_catalog, task_catalog
from sentflow.files.limits import SETTINGS_BYTES
from sentflow.files.settings_files import read_settings, refuse_overgrown
from sentflow.graph.config.experiment import load_experiment


def laughs(kind: str) -> str:
    """Ten levels, each ten times the one before."""
    lines = ["a0: &a0 {lol: lol}" if kind == "merge" else "a0: &a0 [lol]"]
    for level in range(1, 11):
        names = [f"*a{level - 1}"] * 10
        if kind == "merge":
            lines.append(f"a{level}: &a{level} {{<<: [{', '.join(names)}], k{level}: x}}")
        elif kind == "map":
            lines.append(
                f"a{level}: &a{level} {{{', '.join(f'k{n}: {name}' for n, name in enumerate(names))}}}"
            )
        else:
            lines.append(f"a{level}: &a{level} [{', '.join(names)}]")
    return "\n".join(lines)


@pytest.mark.parametrize("kind", ["list", "map", "merge"])
@pytest.mark.parametrize("read", [read_settings, lambda file: read_configuration([file]), own_entries])
def test_aliases_that_repeat_aliases_are_refused(tmp_path, kind, read):
    file = tmp_path / "a.yaml"
    file.write_text(laughs(kind), encoding="utf-8")
    with pytest.raises(ConfigError, match=rf"a\.yaml: with aliases .* more than {SETTINGS_BYTES} characters"):
        read(file)


def test_aliases_that_snakemake_has_read_are_refused():
    repeated, workflow = yaml.safe_load(laughs("list")), workflow_folder()
    with pytest.raises(ConfigError, match="with aliases"):
        load_experiment({"tasks": repeated}, workflow)
    with pytest.raises(ConfigError, match="with aliases"):
        task_catalog(workflow, {"tasks": repeated})
    with pytest.raises(ConfigError, match="with aliases"):
        protocol_catalog(workflow, {"protocols": repeated})


def test_a_text_of_a_hundred_megabytes_is_no_setting(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text("experiment: {title: " + "x" * SETTINGS_BYTES + "}", encoding="utf-8")
    with pytest.raises(ConfigError, match=f"has more than {SETTINGS_BYTES} bytes"):
        read_settings(file)
    with pytest.raises(ConfigError, match="more than"):
        load_experiment({"experiment": {"title": "x" * SETTINGS_BYTES}}, workflow_folder())


def test_a_device_is_not_read_to_its_end(tmp_path):
    link = tmp_path / "a.yaml"
    link.symlink_to("/dev/zero")
    with pytest.raises(ConfigError, match="more than"):
        read_configuration([link])


@pytest.mark.parametrize("repeats", [1, 40])
def test_settings_that_are_too_deep_are_refused_also_through_aliases(tmp_path, repeats):
    file = tmp_path / "a.yaml"
    depth = 30_000 if repeats == 1 else 60
    inner = "x"
    lines = []
    for level in range(repeats):
        lines.append(f"- &a{level} " + "[" * depth + inner + "]" * depth)
        inner = f"*a{level}"
    file.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(ConfigError, match="nested more than"):
        read_settings(file)


def test_a_part_of_itself_is_refused(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text("a: &a [1, *a]\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="contains itself"):
        read_settings(file)
    itself = {}
    itself["a"] = itself
    with pytest.raises(ConfigError, match="contains itself"):
        refuse_overgrown(itself, where="config")


def test_honest_files_are_read_as_ever(tmp_path):
    text = "a: &a {x: 1, y: [1, 2]}\nb: {<<: *a, x: 2}\nc: *a\nd: 2020-01-01\ne: null\n"
    file = tmp_path / "a.yaml"
    file.write_text(text, encoding="utf-8")
    assert read_settings(file) == yaml.safe_load(text)
    file.write_text("# nothing\n", encoding="utf-8")
    assert read_settings(file) is None
    many = {"published": [{"task": "T1A", "model": "x", "value": 0.5, "source": "table 3"}] * 5000}
    file.write_text(json.dumps(many), encoding="utf-8")
    assert read_settings(file) == many
