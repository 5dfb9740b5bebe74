"""Killed at any moment: the same command resumes the run, and its bytes are those of an undisturbed one."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from small_run import jobs_in, published_files, run_environment, run_small, start_run
from workflow_copy import copy_workflow

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc, to find the jobs of a run"),
]

N_KILLS = 10  # three times as many with --thorough
SEED = 20261121
WAIT_SECONDS = 600  # for what never comes; a busy machine takes its time
TARGETS = ("scores", "tables")
# What a round computes again at least, so that there is something to kill until the end.
PAIRS = tuple(f"{task}/{model}" for task in ("T1B-tiny", "G3-tiny") for model in ("bag-of-words", "random"))

LATE_JOB = """
import time
from sentflow.files.io import write_text
from sentflow.jobs.log import exit_with

def main():
    print("begun", flush=True)
    time.sleep(1.0)
    write_text("x.txt", "late")
    return 0

exit_with(main)
"""
# What Snakemake does, with one more shell in between; then its end of the job's output is read to the end.
SHELL_OF_A_JOB = """
import os, subprocess, sys
from sentflow.jobs.lifeline import VARIABLE, name_of_this_process

os.environ[VARIABLE] = name_of_this_process()
words = ["sh", "-c", f"sh -c '{sys.executable} job.py; true'; true"]
shell = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
assert shell.stdout.readline() == "begun\\n"
shell.kill()
shell.wait()
shell.stdout.read()
"""


def wait_until_jobs_end(project: Path) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while jobs := jobs_in(project):
        assert time.monotonic() < deadline, f"jobs {jobs} outlive their Snakemake"
        time.sleep(0.05)


def wait_for_jobs(project: Path, run: subprocess.Popen[bytes], log: Path) -> list[int]:
    deadline = time.monotonic() + WAIT_SECONDS
    while not (jobs := jobs_in(project)):
        assert run.poll() is None, log.read_text(encoding="utf-8")[-6000:]
        assert time.monotonic() < deadline, "no job began in time"
        time.sleep(0.02)
    return jobs


def results(project: Path) -> dict[str, tuple[int, int]]:
    """Name → inode and time of every file of the results but logs."""
    return {
        str(file): (file.stat().st_ino, file.stat().st_mtime_ns)
        for file in (project / "results").rglob("*")
        if file.is_file() and "logs" not in file.parts
    }


def test_kills_at_random_moments(undisturbed, tmp_path, thorough):
    project, log = copy_workflow(tmp_path / "project"), tmp_path / "run.log"
    choose = random.Random(SEED)
    resumed, n_kills = 0, N_KILLS * thorough
    for kill in range(n_kills):
        for name in choose.sample(PAIRS, 2):
            shutil.rmtree(project / "results/probes" / name, ignore_errors=True)
            (project / f"results/scores/{name}.json").unlink(missing_ok=True)
        run = start_run(project, *TARGETS, log=log)
        if choose.random() < 0.6:  # else while Snakemake starts, with the lock or before it is taken
            wait_for_jobs(project, run, log)
        with suppress(subprocess.TimeoutExpired):
            run.wait(timeout=choose.uniform(0.0, 4.0))
        how = choose.choice(("snakemake", "snakemake and jobs", "job"))
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
        said = log.read_text(encoding="utf-8")
        resumed += "It is resumed" in said
        assert "cannot be locked" not in said, f"kill {kill}"
        assert "Traceback" not in said, f"kill {kill}: {said[-4000:]}"
        wait_until_jobs_end(project)
    outcome = run_small(project, *TARGETS)
    assert outcome.code == 0, outcome.text[-6000:]
    assert published_files(project) == published_files(undisturbed)
    assert list((project / "results").rglob("*.part")) == []
    assert resumed >= n_kills // 4  # most kills leave a lock


def test_jobs_publish_nothing_after_their_snakemake(copied, tmp_path):
    shutil.rmtree(copied / "results/probes")
    shutil.rmtree(copied / "results/scores")
    log = tmp_path / "run.log"
    run = start_run(copied, *TARGETS, log=log)
    jobs = wait_for_jobs(copied, run, log)
    for job in jobs:
        with suppress(ProcessLookupError):
            os.kill(job, signal.SIGSTOP)  # they cannot see the end when it comes
    run.kill()
    run.wait()
    before = results(copied)
    for job in jobs:
        with suppress(ProcessLookupError):
            os.kill(job, signal.SIGCONT)
    wait_until_jobs_end(copied)
    assert results(copied) == before


def test_a_job_publishes_nothing_after_its_shell(tmp_path):
    """Snakemake lives and would begin the job again; only the shell between the two is killed."""
    (tmp_path / "job.py").write_text(LATE_JOB, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", SHELL_OF_A_JOB],
        cwd=tmp_path,
        env=run_environment(Path(__file__).parents[2]),
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "The job stops and writes nothing more" in done.stderr
    assert not (tmp_path / "x.txt").exists()


def test_a_second_run_in_the_folder_is_refused_and_the_first_goes_on(copied, undisturbed, tmp_path):
    shutil.rmtree(copied / "results/probes")
    shutil.rmtree(copied / "results/scores")
    log = tmp_path / "run.log"
    run = start_run(copied, *TARGETS, log=log)
    wait_for_jobs(copied, run, log)
    second = run_small(copied, *TARGETS)
    assert second.code == 2
    assert f"a run is in progress in {copied}: process {run.pid} on this machine" in second.text
    assert run.wait() == 0, log.read_text(encoding="utf-8")[-6000:]
    assert published_files(copied) == published_files(undisturbed)


def test_dates_in_the_future_and_the_past_change_nothing(copied, undisturbed):
    """A clock that was set back: what is there looks newer than what is written now."""
    choose = random.Random(SEED)
    for file in sorted((copied / "results").rglob("*")):
        if file.is_file():
            days = choose.choice((-4000, 0, 300))
            os.utime(file, (time.time() + days * 86_400,) * 2)
    outcome = run_small(copied, *TARGETS)
    assert "Nothing to be done" in outcome.text
    (copied / "results/scores/G3-tiny/random.json").unlink()  # written anew, it is older than its inputs
    for _ in range(2):
        outcome = run_small(copied, *TARGETS)
        assert outcome.code == 0, outcome.text[-6000:]
    assert "Nothing to be done" in outcome.text
    assert published_files(copied) == published_files(undisturbed)
