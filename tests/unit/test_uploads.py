"""Files of the user that a configuration names: those outside its folder are told, and sent to no service unasked."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner
from workflow_copy import environment

import sentflow
from sentflow.cli.app import app

SERVICE = {"kind": "api", "url": "https://evil.example.org/v1", "model": "m", "dimension": 4}


@pytest.fixture
def config(tmp_path, monkeypatch):
    """Writes a configuration in a folder of its own, with one task on a file; the user works in the home folder."""
    home, folder = tmp_path / "home", tmp_path / "home/downloads"
    folder.mkdir(parents=True)
    rows = "text,label\n" + "".join(f"text {number},{number % 2}\n" for number in range(400))
    for file in (home / ".secret.csv", folder / "data.csv"):
        file.write_text(rows)
    (folder / "link.csv").symlink_to(home / ".secret.csv")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home)

    def write(file, **keys):
        task = {
            "file": file,
            "text": "text",
            "label": "label",
            "metric": "mcc",
            "licence": "x",
            "language": "pt",
        }
        found = {"models": {"service": SERVICE | keys}, "tasks": {"mine": task}}
        found |= {"select": {"models": ["service"], "tasks": ["mine"]}}
        (folder / "a.yaml").write_text(yaml.safe_dump(found))
        return str(folder / "a.yaml")

    return write


def validated(*files):
    done = CliRunner().invoke(app, ["validate", *files], env={"COLUMNS": "300"})
    return f"{done.output}{done.exception or ''}"


@pytest.mark.parametrize(
    "file", ["~/.secret.csv", ".secret.csv", "downloads/../.secret.csv", "downloads/link.csv"]
)
def test_texts_of_other_files_are_not_sent_unasked(config, file):
    text = validated(config(file))
    assert "models.service: texts of files outside" in text and Path(file).name in text
    assert "write allow_upload: true at models.service" in text


def test_with_consent_they_are_told_and_files_beside_the_configuration_need_none(config):
    text = validated(config("~/.secret.csv", allow_upload=True))
    assert "no mistakes" in text
    assert "files outside the folder of the configuration" in text and ".secret.csv" in text
    text = validated(config("downloads/data.csv"))
    assert "no mistakes" in text and "files outside" not in text


def test_the_run_refuses_them_too(config):
    words = [sys.executable, "-m", "sentflow", "run", "-n", "--cores", "1"]
    variables = {**environment(), "PYTHONPATH": str(Path(sentflow.__path__[0]).parent), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(
        [*words, "--configfile", config("~/.secret.csv")], env=variables, capture_output=True, text=True
    )
    assert done.returncode and "write allow_upload: true at models.service" in done.stdout + done.stderr
