"""One cluster for all tests of this folder, and one undisturbed local run that they compare with."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest
from slurm_cluster import SlurmCluster, missing
from slurm_runs import EXPERIMENT, TARGETS, new_project
from workflow_copy import snakemake


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SlurmCluster]:
    """A real SLURM of three pretended nodes, stopped at the end; skips where it cannot be started."""
    if reason := missing():
        pytest.skip(f"no SLURM here: {reason}")
    if importlib.util.find_spec("snakemake_executor_plugin_slurm") is None:
        pytest.skip("Snakemake's plugin is missing: pip install -r envs/requirements-slurm.txt")
    found = SlurmCluster(tmp_path_factory.mktemp("slurm"))
    try:
        found.start()
        yield found
    finally:
        found.stop()


@pytest.fixture(scope="session")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The experiment, run without SLURM. Do not change its files."""
    project = new_project(tmp_path_factory.mktemp("local") / "project")
    outcome = snakemake(project, *TARGETS, "--cores", "2", "--configfile", EXPERIMENT)
    assert outcome.code == 0, outcome.text[-6000:]
    return project
