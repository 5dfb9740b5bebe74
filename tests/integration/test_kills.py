"""Killed at any moment: the same command resumes the run, and its bytes are those of an undisturbed one."""

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from small_run import jobs_in, run_small, start_run
from workflow_copy import copy_workflow, result_files

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="needs /proc, to find the jobs of a run"
)

N_KILLS = 10  # three times as many with --thorough
SEED = 20261121
WAIT_SECONDS = 600  # for what never comes; a busy machine takes its time
TARGETS = ("scores", "tables")
PAIRS = tuple(f"{task}/{model}" for task in ("T1B-tiny", "G3-tiny") for model in ("bag-of-words", "random"))


def wait_for(what: str, found: Callable[[], object], run: subprocess.Popen[bytes] | None = None) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not found():
        assert run is None or run.poll() is None, f"the run ended before {what}"
        assert time.monotonic() < deadline, f"{what}: not in time"
        time.sleep(0.02)


def kill(how: str, project: Path, run: subprocess.Popen[bytes], choose: random.Random) -> None:
    """Without warning: a job, Snakemake alone, or Snakemake with its jobs."""
    if how == "job" and (jobs := jobs_in(project)):
        with suppress(ProcessLookupError):
            os.kill(choose.choice(jobs), signal.SIGKILL)  # its shell, or Python below it
        run.wait(timeout=WAIT_SECONDS)  # the others go on
    elif how == "snakemake":
        run.kill()
    else:
        with suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    wait_for("the end of its jobs", lambda: not jobs_in(project))


def assert_resumed_to_the_same_bytes(project: Path, undisturbed: Path) -> None:
    outcome = run_small(project, *TARGETS)
    assert outcome.code == 0, outcome.text[-6000:]
    assert result_files(project) == result_files(undisturbed)
    assert list((project / "results").rglob("*.part")) == []


@pytest.mark.slow
def test_a_run_that_is_killed_at_three_points_is_resumed_to_the_same_bytes(undisturbed, tmp_path):
    project, log = copy_workflow(tmp_path / "project"), tmp_path / "run.log"
    results, choose = project / "results", random.Random(SEED)
    points = {
        "snakemake and jobs": lambda: jobs_in(project),
        "snakemake": lambda: list(results.glob("embeddings/*/*.npy")),
        "job": lambda: list(results.glob("probes/*/*/rep-1/fold-1.parquet")) and jobs_in(project),
    }
    for place, (how, reached) in enumerate(points.items()):
        run = start_run(project, *TARGETS, log=log)
        wait_for(f"the point for {how}", reached, run)
        kill(how, project, run, choose)
        said = log.read_text(encoding="utf-8")
        assert "Traceback" not in said, said[-4000:]
        assert ("It is resumed" in said) == (place > 0)
    assert_resumed_to_the_same_bytes(project, undisturbed)


@pytest.mark.nightly
def test_kills_at_random_moments(undisturbed, tmp_path, thorough):
    project, log = copy_workflow(tmp_path / "project"), tmp_path / "run.log"
    choose = random.Random(SEED)
    for number in range(N_KILLS * thorough):
        for name in choose.sample(PAIRS, 2):  # so that there is something to kill until the end
            shutil.rmtree(project / "results/probes" / name, ignore_errors=True)
            (project / f"results/scores/{name}.json").unlink(missing_ok=True)
        run = start_run(project, *TARGETS, log=log)
        if choose.random() < 0.6:  # else while Snakemake starts, with the lock or before it is taken
            wait_for("a job", lambda: jobs_in(project), run)
        with suppress(subprocess.TimeoutExpired):
            run.wait(timeout=choose.uniform(0.0, 4.0))
        kill(choose.choice(("snakemake", "snakemake and jobs", "job")), project, run, choose)
        said = log.read_text(encoding="utf-8")
        assert "cannot be locked" not in said, f"kill {number}"
        assert "Traceback" not in said, f"kill {number}: {said[-4000:]}"
    assert_resumed_to_the_same_bytes(project, undisturbed)


def begun_again(copied: Path, log: Path) -> subprocess.Popen[bytes]:
    """A run that probes and scores again, once its jobs have begun."""
    shutil.rmtree(copied / "results/probes")
    shutil.rmtree(copied / "results/scores")
    run = start_run(copied, *TARGETS, log=log)
    wait_for("a job", lambda: jobs_in(copied), run)
    return run


@pytest.mark.slow
def test_jobs_publish_nothing_after_their_snakemake(copied, tmp_path):
    def results() -> dict[str, tuple[int, int]]:
        return {
            str(file): (file.stat().st_ino, file.stat().st_mtime_ns)
            for file in (copied / "results").rglob("*")
            if file.is_file() and "logs" not in file.parts
        }

    run = begun_again(copied, tmp_path / "run.log")
    jobs = jobs_in(copied)
    for job in jobs:
        with suppress(ProcessLookupError):
            os.kill(job, signal.SIGSTOP)  # they cannot see the end when it comes
    run.kill()
    run.wait()
    before = results()
    for job in jobs:
        with suppress(ProcessLookupError):
            os.kill(job, signal.SIGCONT)
    wait_for("the end of its jobs", lambda: not jobs_in(copied))
    assert results() == before


@pytest.mark.slow
def test_a_second_run_in_the_folder_is_refused_and_the_first_goes_on(copied, undisturbed, tmp_path):
    run = begun_again(copied, tmp_path / "run.log")
    second = run_small(copied, *TARGETS)
    assert second.code == 2
    assert f"a run is in progress in {copied}: process {run.pid}" in second.text
    assert run.wait() == 0
    assert result_files(copied) == result_files(undisturbed)
