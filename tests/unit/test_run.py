"""`sentflow run`: what it refuses, and what it clears away before it becomes Snakemake."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from sentflow.cli import run as runner
from sentflow.errors import DataError
from sentflow.files.atomic import atomic
from sentflow.flow.environment import home
from sentflow.flow.start import read_record, write_record
from sentflow.jobs.lifeline import VARIABLE, OrphanError, end_with_snakemake, name_of_this_process

linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


class BecameSnakemakeError(Exception):
    pass


@pytest.fixture
def started(monkeypatch, tmp_path):
    """The words of the Snakemake that a test becomes, run in a folder of its own."""
    words: list[str] = []

    def become(program: str, arguments: list[str]) -> None:
        words.extend(arguments)
        raise BecameSnakemakeError

    monkeypatch.setattr(runner.os, "execv", become)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    monkeypatch.setattr(runner, "home", lambda: tmp_path)
    return words


def lock(folder: Path) -> Path:
    file = folder / ".snakemake/locks/0.output.lock"
    file.parent.mkdir(parents=True)
    file.write_text("results/x\n")
    return file


def test_the_words_are_those_of_snakemake(started, tmp_path):
    (tmp_path / "a b.yaml").write_text("{}\n")
    with pytest.raises(BecameSnakemakeError):
        runner.start(["tables", "--cores", "2", "-n", "--configfile", "a b.yaml"])
    assert started[1:] == ["-m", "snakemake", "tables", "--cores", "2", "-n", "--configfile", "a b.yaml"]


def test_where_there_is_no_workflow_it_is_that_of_sentflow(started, monkeypatch):
    monkeypatch.setattr(runner, "home", home)
    with pytest.raises(BecameSnakemakeError):
        runner.start(["-n", "--configfile", "experiments/sts.yaml"])
    assert started[3:] == [
        *("--snakefile", str(home() / "Snakefile")),
        *("--workflow-profile", str(home() / "profiles/default"), "-n"),
        *("--configfile", str(home() / "experiments/sts.yaml")),
    ]


def test_a_target_behind_configfile_is_told_where_to_stand(started, tmp_path):
    config = tmp_path / "mine.yaml"
    config.write_text("{}")
    with pytest.raises(DataError, match="there is no file tables") as error:
        runner.start(["--cores", "2", "--configfile", str(config), "tables"])
    assert f"sentflow run tables --cores 2 --configfile {config}." in str(error.value)
    assert started == []
    with pytest.raises(BecameSnakemakeError):
        runner.start(["tables", "--cores", "2", "--configfile", str(config), "--quiet", "rules"])


def test_the_lock_of_a_killed_run_goes(started, tmp_path, capsys):
    file = lock(tmp_path)
    with pytest.raises(BecameSnakemakeError):
        runner.start([])
    assert not file.exists()
    assert "It is resumed" in capsys.readouterr().err
    record = read_record(tmp_path)
    assert record is not None and (record.machine, record.process) == (platform.node(), os.getpid())


def test_the_lock_of_another_machine_stays(started, tmp_path):
    file = lock(tmp_path)
    write_record(tmp_path)
    record = tmp_path / ".snakemake/sentflow-run.json"
    record.write_text(json.dumps({"machine": "login-2", "process": 77}))
    with pytest.raises(DataError, match=r"started on login-2 \(process 77\).*snakemake --unlock"):
        runner.start([])
    assert file.exists() and not started


@linux
def test_the_lock_of_a_running_snakemake_stays(started, tmp_path):
    file = lock(tmp_path)
    (tmp_path / "snakemake").write_text("import time\nprint(flush=True)\ntime.sleep(60)\n")
    words = [sys.executable, "./snakemake"]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None and process.stdout.readline()
            with pytest.raises(DataError, match=rf"process {process.pid} on this machine"):
                runner.start([])
        finally:
            process.kill()
    assert file.exists() and not started


@linux
def test_an_orphan_publishes_nothing(tmp_path, monkeypatch):
    with subprocess.Popen(["true"]) as gone:
        pass
    owner = name_of_this_process().replace(str(os.getpid()), str(gone.pid))
    monkeypatch.setenv(VARIABLE, owner)
    with (
        pytest.raises(OrphanError, match=rf"process {gone.pid}.*the next run repeats it"),
        atomic(tmp_path / "x.txt") as part,
    ):
        part.write_text("late")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OrphanError):
        end_with_snakemake()
