"""The command of rule train as a process: it leaves in time, and goes on in the same bytes."""

import json
import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load
from tiny_bert import TEXTS
from training_jobs import job_settings, rows_in, start_in
from workflow_copy import PACKAGE, REPOSITORY, ended, environment

from sentflow.files.io import read_json
from sentflow.jobs.lifeline import VARIABLE
from sentflow.training.leave import EXIT_CODE
from sentflow.training.settings import TrainingSettings

pytestmark = pytest.mark.slow

WAIT_SECONDS = 600  # for what never comes; a busy machine takes its time
MANY = 100_000  # steps, of which a test waits for a few
ROWS = [f"{one} {other}" for one in TEXTS for other in TEXTS]

SNAKEFILE = """
from snakemake.logging import logger
from sentflow.flow.start import listen
listen(logger, workflow)
rule train:
    output: "record.out"
    retries: 3
    shell: "exec sh train.sh"
"""
# A training that waits, when it has begun to listen, until it is asked to end
WAITS = """
import os, pathlib, signal
begin = signal.signal
def waits(number, take):
    begin(number, take)
    if number == signal.SIGUSR1:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        pathlib.Path("listens").touch()
        signal.sigwait({signal.SIGTERM})
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        os.kill(os.getpid(), signal.SIGTERM)
signal.signal = waits
"""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A start with its manifest, and rows."""
    folder = tmp_path_factory.mktemp("inputs")
    start_in(folder, layers=2, width=32)
    rows_in(folder, {"text": ROWS})
    return folder


class Training:
    """``python -m sentflow.jobs train`` in a folder."""

    def __init__(self, inputs: Path, folder: Path, *, steps: int, **more: str) -> None:
        given = {"learning_rate": 1e-3, "steps": steps, "batch_size": 8, "max_tokens": 12, "chunk_tokens": 24}
        training = TrainingSettings(**given, snapshot_every=steps, epsilon=1e-2)
        settings = job_settings(model="tiny", pooling="cls", training=training.as_dict())
        self.folder = folder
        folder.mkdir(exist_ok=True)
        outputs = ("record", "made", "history", "held_out")
        files = {"start": inputs / "manifest.json", "rows": inputs / "rows.parquet"}
        files |= {name: folder / f"{name}.out" for name in outputs}
        files["snapshots"] = self.snapshot = folder / f"step-{steps:06d}.tar"
        options = {**files, "settings": settings.as_json(), "device": '"cpu"', **more}
        self.words = [sys.executable, "-m", "sentflow.jobs", "train"]
        for name, value in options.items():
            self.words += [f"--{name.replace('_', '-')}", str(value)]
        self.log = folder / "log"

    def start(self, **variables: str) -> subprocess.Popen[bytes]:
        """Begin or go on."""
        own = {name: value for name, value in environment().items() if name != VARIABLE}
        with self.log.open("wb") as log:
            return subprocess.Popen(
                self.words, env={**own, "OMP_NUM_THREADS": "1", **variables}, stdout=log, stderr=log
            )

    def run(self, **variables: str) -> int:
        """Begin or go on, to the end; the exit code."""
        return self.start(**variables).wait(WAIT_SECONDS)

    def wait_for_a_state(self, process: subprocess.Popen[bytes], after: int = 0) -> None:
        """Wait until a process saves states of more than so many steps."""
        deadline = time.monotonic() + WAIT_SECONDS
        while self.steps <= after:
            assert process.poll() is None, self.said
            assert time.monotonic() < deadline, self.said
            time.sleep(0.02)

    @property
    def said(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")[-8000:]

    @property
    def outputs(self) -> list[str]:
        return [path.name for path in self.folder.glob("*.out")]

    @property
    def states(self) -> list[Path]:
        return list(self.folder.glob("cache/training/tiny-*/step-*"))

    @property
    def steps(self) -> int:
        """Of the newest state, 0 without one."""
        return max((int(path.name.removeprefix("step-")) for path in self.states), default=0)

    def weights(self) -> dict[str, np.ndarray]:
        with tarfile.open(self.snapshot) as tar:
            return load(tar.extractfile("model.safetensors").read())


@pytest.mark.nightly
def test_a_training_that_is_asked_to_end_saves_and_the_next_goes_on(inputs, tmp_path):
    training = Training(inputs, tmp_path / "asked", steps=MANY, save_seconds="0")
    reached = [0]
    for number in (signal.SIGTERM, signal.SIGINT):  # Snakemake or SLURM, and Ctrl-C
        process = training.start()
        training.wait_for_a_state(process, after=reached[-1])
        process.send_signal(number)
        assert process.wait(WAIT_SECONDS) == EXIT_CODE, training.said
        assert "The next run goes on from there" in training.said
        assert training.outputs == []
        reached.append(training.steps)
    assert f"goes on after step {reached[1]}" in training.said


def test_little_time_left_of_a_slurm_job_is_a_wish_to_end_and_the_end_has_the_same_bytes(inputs, tmp_path):
    training = Training(inputs, tmp_path / "short", steps=3)
    # Less than a minute is little time, whatever a step takes
    assert training.run(SLURM_JOB_END_TIME=str(int(time.time()) + 30)) == EXIT_CODE, training.said
    assert training.steps == 1
    assert training.outputs == []
    assert training.run(SLURM_JOB_END_TIME=str(int(time.time()) + 10**6)) == 0, training.said
    assert read_json(training.folder / "made.out")["resumed_at"] == [1]
    assert training.steps == 3  # the state stays until Snakemake has the outputs
    undisturbed = Training(inputs, tmp_path / "undisturbed", steps=3)
    assert undisturbed.run() == 0, undisturbed.said
    found, expected = training.weights(), undisturbed.weights()
    assert found.keys() == expected.keys()
    assert [name for name in expected if found[name].tobytes() != expected[name].tobytes()] == []


def test_snakemake_that_is_asked_to_end_lets_a_training_save_and_the_next_run_has_the_same_bytes(
    inputs, tmp_path
):
    training = Training(inputs, tmp_path / "asked", steps=3)
    (training.folder / "Snakefile").write_text(SNAKEFILE)
    (training.folder / "train.sh").write_text(f"exec {shlex.join(training.words)}")
    (tmp_path / "sitecustomize.py").write_text(WAITS)
    words = [sys.executable, "-m", "snakemake", "--cores", "1"]
    package = str(REPOSITORY / PACKAGE.parent)
    variables = {**environment(), "OMP_NUM_THREADS": "1", "PYTHONPATH": package}
    with training.log.open("wb") as log:
        waiting = {**variables, "PYTHONPATH": f"{tmp_path}:{package}"}
        run = subprocess.Popen(words, cwd=training.folder, env=waiting, stdout=log, stderr=log)
    while not (training.folder / "listens").exists():
        assert run.poll() is None, training.said
        time.sleep(0.02)
    run.terminate()
    assert run.wait(WAIT_SECONDS) == 1
    assert "the same command goes on" in training.said
    assert (training.steps, training.outputs) == (1, [])
    done = ended(words, training.folder, variables)
    assert done.code == 0, done.text
    undisturbed = Training(inputs, tmp_path / "undisturbed", steps=3)
    assert undisturbed.run() == 0, undisturbed.said
    found, expected = training.weights(), undisturbed.weights()
    assert {name: array.tobytes() for name, array in found.items()} == {
        name: array.tobytes() for name, array in expected.items()
    }


@pytest.mark.skipif(shutil.which("rsync") is None, reason="rsync is not installed")
def test_a_training_that_is_killed_goes_on_in_an_empty_folder_from_its_copy_with_the_same_bytes(
    inputs, tmp_path
):
    pytest.importorskip("snakemake_storage_plugin_fs", reason="see envs/requirements-storage.txt")
    remote = tmp_path / "remote"
    storage = json.dumps({"provider": "fs", "prefix": str(remote)})
    training = Training(inputs, tmp_path / "killed", steps=100, save_seconds="0", storage=storage)
    process = training.start()
    training.wait_for_a_state(process, after=2)
    process.kill()
    process.wait()
    assert list(remote.glob("results/cache/training/tiny-*/state-*.tar"))
    elsewhere = Training(inputs, tmp_path / "elsewhere", steps=100, storage=storage)
    assert elsewhere.run() == 0, elsewhere.said
    assert "goes on after step" in elsewhere.said
    made = read_json(elsewhere.folder / "made.out")
    assert made["resumed_at"]
    assert made["copies"]
    undisturbed = Training(inputs, tmp_path / "undisturbed", steps=100)
    assert undisturbed.run() == 0, undisturbed.said
    assert elsewhere.snapshot.read_bytes() == undisturbed.snapshot.read_bytes()
