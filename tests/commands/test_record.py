"""The command `record`."""

import json
import shutil
import subprocess

import pytest
import yaml

from sentflow.commands import record
from sentflow.files.io import read_json
from sentflow.report.record import git_state

CONFIG = {"select": {"tasks": ["T1A"], "models": ["a", "b"]}, "experiment": {"title": "Ação"}}


def git(folder, *arguments):
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


def run(folder):
    return record.main(
        [
            "--settings",
            json.dumps(CONFIG),
            f"--config={folder}/config.yaml",
            f"--versions={folder}/versions.json",
        ]
    )


def test_configuration_comes_back_from_its_record(tmp_path):
    assert run(tmp_path) == 0
    text = (tmp_path / "config.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(text) == CONFIG
    assert "Ação" in text
    assert list(yaml.safe_load(text)["select"]["tasks"]) == ["T1A"]


def test_versions_name_python_and_the_libraries_that_make_numbers(tmp_path):
    run(tmp_path)
    versions = read_json(tmp_path / "versions.json")
    assert versions["python"].startswith("3.")
    for library in ("numpy", "torch", "pyarrow"):
        assert versions["libraries"][library][0].isdigit()


def test_record_has_the_same_bytes_again(tmp_path):
    run(tmp_path / "one")
    run(tmp_path / "two")
    for name in ("config.yaml", "versions.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_commit_and_local_changes_are_told(tmp_path):
    code = tmp_path / "code.py"
    code.write_text("1\n")
    assert git_state(code) is None  # no repository
    git(tmp_path, "init")
    git(tmp_path, "add", "code.py")
    assert git_state(code) is None  # no commit yet
    git(tmp_path, "commit", "-m", "first")
    state = git_state(code)
    assert len(state["commit"]) == 40
    assert state["dirty"] is False
    code.write_text("2\n")
    assert git_state(code)["dirty"] is True
    (tmp_path / "other.py").write_text("3\n")
    assert git_state(tmp_path / "other.py") is None  # inside the repository, but not part of it
