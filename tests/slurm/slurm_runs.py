"""A small experiment, and Snakemake runs of it on a cluster of the tests."""

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import yaml
from slurm_cluster import SlurmCluster
from workflow_copy import copy_workflow, environment, result_files, snakemake_words

# What the encoder `heavy` takes, and what its job asks for: with Snakemake and Python too little at first, enough
# the second time.
ENCODER_MB = 600
FIRST_MB = 600
TARGETS = ("scores", "tables")
EXPERIMENT = "one-task.yaml"
PER_FOLD = "per-fold.yaml"
WAIT_SECONDS = 900  # on a busy machine

_ONE_TASK = {
    "select": {"models": ["letters", "heavy"], "tasks": ["T1B-one"]},
    "models": {
        "letters": {"kind": "custom", "custom": "mine.py:Letters"},
        "heavy": {"kind": "custom", "custom": "mine.py:Heavy"},
    },
    "tasks": {"T1B-one": {"like": "T1B-sample", "dataset": "one", "reader": {"file": "comments.csv"}}},
    "datasets": {
        "one": {
            **{"title": "Comments", "licence": "MIT", "citation": "none", "language": "pt"},
            "seed": 3,
            "files": {"comments.csv": {"generator": "T1B"}},
        }
    },
    "probe": {"repetitions": 2, "folds": 2, "job": "task"},
    "statistics": {"n_resamples": 200, "n_item_resamples": 200},
    "report": {"tables": ["scores"]},
}
_MINE = f"""
import time
import numpy as np

BURDEN = []

class Letters:
    def encode(self, texts):
        time.sleep(3)  # long enough to be cancelled
        return np.array([[text.lower().count(letter) for letter in "aeiourst"] for text in texts], np.float32)

class Heavy:
    lazy = True

    def embed(self, texts_a, texts_b, task, split):
        if not BURDEN:
            BURDEN.append(np.ones({ENCODER_MB} * 2**17))
            time.sleep(4)  # long enough to be seen
        return np.array([[len(text), text.count(" "), text.count("a")] for text in texts_a], np.float32)
"""


def new_project(folder: Path) -> Path:
    """A copy of the workflow with the experiment and its encoder."""
    project = copy_workflow(folder)
    (project / EXPERIMENT).write_text(yaml.safe_dump(_ONE_TASK), encoding="utf-8")
    (project / PER_FOLD).write_text(yaml.safe_dump({"probe": {"job": "fold"}}), encoding="utf-8")
    (project / "mine.py").write_text(_MINE, encoding="utf-8")
    # The name of a module of Python, which no job on any node may import
    (project / "types.py").write_text(
        "raise SystemExit('types.py of the working folder was run')\n", encoding="utf-8"
    )
    return project


def edit_profile(project: Path, **settings: str | int) -> None:
    """Fill in the block of the profile that users edit."""
    file = project / "profiles/slurm/profile.yaml"
    lines = file.read_text(encoding="utf-8").splitlines()
    for name, value in settings.items():
        (found,) = [row for row, line in enumerate(lines) if line.startswith(f"  {name}:")]
        lines[found] = f"  {name}: {value}"
    file.write_text("\n".join(lines), encoding="utf-8")


def ask_for(project: Path, rule: str, words: str) -> None:
    """Change what the jobs of a rule ask for where the documentation says: under set-resources of the profile."""
    file = project / "profiles/slurm/profile.yaml"
    head, tail = file.read_text(encoding="utf-8").split("\nset-resources:\n")
    file.write_text(f"{head}\nset-resources:\n  {rule}: {words}\n{tail}", encoding="utf-8")


def assert_same_files(project: Path, local: Path) -> None:
    """Every byte of scores and tables is that of the local run."""
    found, expected = result_files(project), result_files(local)
    assert found.keys() == expected.keys()
    assert len(expected) == 2 * 3 + 5  # two scores in three files each; a table of a matrix in five
    assert [name for name in expected if found[name] != expected[name]] == []


def variables(cluster: SlurmCluster) -> dict[str, str]:
    """The environment of a user who logged in on the cluster, with the interpreter of the tests."""
    own = environment()
    path = f"{cluster.folder / 'bin'}{os.pathsep}{own['PATH']}"
    # The plugin may lie outside the environment; the workflow puts its own code first.
    places = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
    return {**own, **places, "SLURM_CONF": str(cluster.conf), "PATH": path, "OMP_NUM_THREADS": "1"}


class Run:
    """``snakemake --profile profiles/slurm`` in the background; its output in ``said``."""

    def __init__(
        self, project: Path, cluster: SlurmCluster, *arguments: str, targets: Sequence[str] = TARGETS
    ) -> None:
        self.cluster = cluster
        self._log = project / "run.log"
        words = snakemake_words(
            *targets,
            "--profile",
            "profiles/slurm",
            # Sooner than on a large cluster, for the jobs are small; the rest is as in the profile.
            *("--slurm-init-seconds-before-status-checks", "5"),
            *("--max-status-checks-per-second", "0.5"),
            *arguments,
        )
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                words, cwd=project, env=variables(cluster), stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )

    @property
    def said(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    def wait_until(self, what: str, holds: Callable[[], bool]) -> None:
        """Wait until something holds while the run goes on."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not holds():
            assert self.process.poll() is None, f"the run ended before {what}\n{self.said[-6000:]}"
            assert time.monotonic() < deadline, f"{what}: not in {WAIT_SECONDS} s\n{self.said[-6000:]}"
            time.sleep(0.2)

    def ends_well(self) -> str:
        """Wait for the end; what Snakemake said."""
        code = self.process.wait(WAIT_SECONDS)
        assert code == 0, self.said[-8000:]
        return self.said

    def end(self) -> None:
        """End the run if it is still there; its jobs are cancelled by the cluster's end."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
