"""`sentflow run`: what it refuses, and what it clears away before it becomes Snakemake."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sentflow.cli import run as runner
from sentflow.cli.app import app
from sentflow.errors import ConfigError, DataError
from sentflow.files.atomic import atomic
from sentflow.files.io import write_text
from sentflow.graph.run_record import read_record, this_machine, write_record
from sentflow.graph.workflow_folder import home
from sentflow.jobs.lifeline import (
    VARIABLE,
    OrphanError,
    ancestors,
    end_with_snakemake,
    is_orphan,
    name_of_this_process,
)

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


def squeue(folder: Path, monkeypatch, line: str) -> None:
    program = folder / "bin/squeue"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho '{line}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")


def test_the_words_are_those_of_snakemake(started, tmp_path):
    (tmp_path / "a b.yaml").write_text("{}\n")
    with pytest.raises(BecameSnakemakeError):
        runner.run(["tables", "--cores", "2", "-n", "--configfile", "a b.yaml"])
    assert started[1:] == ["-m", "snakemake", "tables", "--cores", "2", "-n", "--configfile", "a b.yaml"]


def test_where_there_is_no_workflow_it_is_that_of_sentflow(started, monkeypatch):
    monkeypatch.setattr(runner, "home", home)
    with pytest.raises(BecameSnakemakeError):
        runner.run(["-n", "--configfile", "experiments/sts.yaml"])
    assert started[3:] == [
        *("--snakefile", str(home() / "Snakefile")),
        *("--workflow-profile", str(home() / "profiles/default"), "-n"),
        *("--configfile", str(home() / "experiments/sts.yaml")),
    ]


@pytest.mark.parametrize("words", [["-s", "other.smk"], ["-sother.smk"], ["--snakefile=other.smk", "-n"]])
def test_a_workflow_that_is_named_stays(started, words):
    with pytest.raises(BecameSnakemakeError):
        runner.run(words)
    assert started[3:] == words


def test_an_experiment_of_the_working_folder_comes_first(started, tmp_path):
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments/sts.yaml").write_text("{}\n")
    words = ["--configfile", "experiments/sts.yaml"]
    with pytest.raises(BecameSnakemakeError):
        runner.run(words)
    assert started[3:] == words


def test_snakemake_imports_nothing_of_the_folder_in_which_it_starts(started):
    with pytest.raises(BecameSnakemakeError):
        runner.run([])
    assert os.environ["PYTHONSAFEPATH"] == "1"
    assert "PYTHONPATH" not in os.environ


def test_packages_that_snakemake_would_run_are_refused(started, tmp_path):
    packages = tmp_path / ".snakemake/pip-deployments"
    packages.mkdir(parents=True)
    with pytest.raises(DataError, match=rf"{packages}.*delete that folder"):
        runner.run([])
    assert not started


@pytest.mark.parametrize(
    "words",
    [
        ["--", "tables"],
        ["--cores", "2", "--configfile", "a.yaml", "--", "tables"],
        ["-n", "--", "-odd", "--help"],
    ],
)
def test_what_stands_behind_two_dashes_stays_there(started, tmp_path, words):
    (tmp_path / "a.yaml").write_text("{}\n")
    result = CliRunner().invoke(app, ["run", *words])
    assert isinstance(result.exception, BecameSnakemakeError)
    assert started[3:] == words


def test_help_of_run_is_its_own(started):
    result = CliRunner().invoke(app, ["run", "--help"])
    assert result.exit_code == 0
    assert "Run snakemake with the same arguments" in result.output
    assert started == []


def test_words_behind_two_dashes_are_no_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert runner.working_folder(["--", "-d", "elsewhere"]) == tmp_path
    assert runner.config_files(["--configfile", "a", "b", "-n", "x", "--", "--configfile", "c"]) == [
        Path("a"),
        Path("b"),
    ]
    assert runner.config_files(["--configfile=a", "all", "--cores", "2"]) == [Path("a")]


def test_a_config_file_that_snakemake_would_fall_over_is_told_first(started, tmp_path):
    (tmp_path / "a.yaml").write_text("experiment: &a {title: x, description: *a}\n")
    with pytest.raises(ConfigError, match="contains itself"):
        runner.run(["--configfile", "a.yaml"])
    assert started == []


@pytest.mark.parametrize("words", [["--directory", "x y"], ["--directory=x y"], ["-d", "x y"], ["-dx y"]])
def test_the_folder_is_that_of_the_words(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert runner.working_folder(["all", *words, "--cores", "1"]) == tmp_path / "x y"
    assert runner.working_folder(["all"]) == tmp_path


def test_a_target_behind_configfile_is_told_where_to_stand(started, tmp_path):
    config = tmp_path / "mine.yaml"
    config.write_text("{}")
    with pytest.raises(DataError, match="there is no file tables") as error:
        runner.run(["--cores", "2", "--configfile", str(config), "tables"])
    assert f"sentflow run tables --cores 2 --configfile {config}." in str(error.value)
    assert started == []
    with pytest.raises(BecameSnakemakeError):
        runner.run(["tables", "--cores", "2", "--configfile", str(config), "--quiet", "rules"])


def test_a_target_behind_configfile_that_is_a_file_is_told_too(started, tmp_path):
    made = tmp_path / "scores.csv"
    made.write_text("task,model\nT1A,bow\n")
    with pytest.raises(DataError, match="holds no settings .*write it before --configfile"):
        runner.run(["--cores", "2", "--configfile", str(made)])
    assert started == []


def test_the_lock_of_a_killed_run_goes(started, tmp_path, capsys):
    file = lock(tmp_path)
    with pytest.raises(BecameSnakemakeError):
        runner.run([])
    assert not file.exists()
    assert "It is resumed" in capsys.readouterr().err
    record = read_record(tmp_path)
    assert record is not None and (record.machine, record.process) == (this_machine(), os.getpid())


def test_the_lock_of_another_machine_stays(started, tmp_path):
    file = lock(tmp_path)
    write_record(tmp_path)
    record = tmp_path / ".snakemake/sentflow-run.json"
    record.write_text(json.dumps({"machine": "login-2", "process": 77}))
    with pytest.raises(DataError, match=r"started on login-2 \(process 77\).*snakemake --unlock"):
        runner.run([])
    assert file.exists() and not started


@linux
def test_the_lock_of_a_running_snakemake_stays(started, tmp_path):
    file = lock(tmp_path)
    words = [sys.executable, "-c", "import time; time.sleep(60)", "snakemake"]
    (tmp_path / "snakemake").write_text("import time\nprint(flush=True)\ntime.sleep(60)\n")
    words = [sys.executable, "./snakemake"]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None and process.stdout.readline()
            with pytest.raises(DataError, match=rf"process {process.pid} on this machine"):
                runner.run([])
        finally:
            process.kill()
    assert file.exists() and not started


def test_slurm_jobs_of_a_killed_run_are_named(started, tmp_path, monkeypatch):
    file = lock(tmp_path)
    squeue(tmp_path, monkeypatch, f"41 {tmp_path}\n42 /elsewhere")
    with pytest.raises(DataError, match="scancel 41"):
        runner.run([])
    assert file.exists()
    monkeypatch.setenv("SLURM_JOB_ID", "41")  # the allocation in which this very run is
    with pytest.raises(BecameSnakemakeError):
        runner.run([])


def test_files_from_the_future_are_given_the_date_of_now(started, tmp_path, capsys):
    old, future = tmp_path / "results/a.json", tmp_path / "results/b/c.json"
    for file, seconds in ((old, -1e6), (future, 1e6)):
        write_text(file, "{}")
        os.utime(file, (time.time() + seconds,) * 2)
    before = old.stat().st_mtime
    with pytest.raises(BecameSnakemakeError):
        runner.run([])
    assert old.stat().st_mtime == before
    assert future.stat().st_mtime <= time.time()
    assert "1 files of" in capsys.readouterr().err


# --- the life of a job hangs on its Snakemake


def test_a_command_that_was_typed_by_hand_depends_on_nobody(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    end_with_snakemake()
    assert not is_orphan()


@linux
def test_the_ancestors_begin_with_the_parent():
    assert ancestors()[0] == os.getppid()
    assert ancestors(os.getppid()) == ancestors()[1:]


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


@linux
def test_numbers_of_processes_in_another_container_mean_nothing(monkeypatch):
    monkeypatch.setenv(VARIABLE, "999999 pid:[1]")
    assert not is_orphan()
