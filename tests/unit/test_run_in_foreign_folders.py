"""`sentflow run` in a folder from someone else: no code of it runs unless the user names it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from workflow_copy import TINY, environment

import sentflow
from sentflow.cli.run import complete, start
from sentflow.errors import ConfigError
from sentflow.flow.environment import home, leave_out_working_folder


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder all of whose places for code write the file ``ran``."""
    write = "open('ran', 'a').write('x')"
    (tmp_path / "profiles/default").mkdir(parents=True)
    (tmp_path / "profiles/default/config.yaml").write_text(f'default-resources:\n  mem_mb: "{write} and 1"\n')
    (tmp_path / "default").mkdir()
    (tmp_path / "default/profile.yaml").write_text(f"__use_yte__: true\ncores: ?{write}\n")
    (tmp_path / "Snakefile").write_text(f"{write}\nrule all:\n    shell: 'touch ran'\n")
    (tmp_path / "mine.yaml").write_text(f"__use_yte__: true\nexperiment:\n  title: ?str({write})\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_code_of_the_folder_does_not_run(folder):
    words = [sys.executable, "-m", "sentflow", "run", "-n", "--cores", "1", "--configfile", str(TINY)]
    variables = {**environment(), "PYTHONPATH": str(Path(sentflow.__path__[0]).parent), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(words, cwd=folder, env=variables, capture_output=True, text=True, check=True)
    assert not (folder / "ran").exists(), done.stderr
    assert (
        "Snakefile of this folder is not used. If you trust it, write --snakefile Snakefile." in done.stderr
    )
    assert "profiles/default of this folder is not used" in done.stderr
    assert str(home() / "profiles/default") in done.stderr


def test_what_is_named_is_used(folder):
    named = ["--workflow-profile", "default", "-sSnakefile"]
    assert complete(named) == named
    assert complete(["-s", "Snakefile", "-n"]) == [
        *("--workflow-profile", str(home() / "profiles/default"), "-s", "Snakefile", "-n")
    ]


@pytest.mark.parametrize("option", ["--configfile", "--configfiles"])
def test_code_in_settings_is_refused(folder, option):
    with pytest.raises(ConfigError, match="mine.yaml: with __use_yte__ Snakemake would run Python"):
        start([option, "mine.yaml"])


def test_a_clone_of_the_project_is_left_to_snakemake(monkeypatch):
    monkeypatch.chdir(home())
    assert complete(["-n"]) == ["-n"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [("", None), (".", None), ("src:../lib", None), ("/a b:", "/a b"), (":/a::./c:/b:", "/a:/b")],
)
def test_only_absolute_entries_of_pythonpath_stay(monkeypatch, tmp_path, given, kept):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", "relative", str(tmp_path), "/elsewhere"])
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    monkeypatch.setenv("PYTHONPATH", given)
    leave_out_working_folder()
    assert os.environ.get("PYTHONPATH") == kept
    assert os.environ["PYTHONSAFEPATH"] == "1"
