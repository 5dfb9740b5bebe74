"""One complete run of the tiny experiment, and one of the smallest, which the tests compare with."""

import shutil
from pathlib import Path

import pytest
from made_once import made_once
from small_run import run_small
from workflow_copy import TINY, copy_workflow, snakemake


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny experiment and its exports, on two cores in a folder whose name needs quoting. Do not change its files.

    It is run as by a user who never activates the environment.
    """

    def make(folder: Path) -> None:
        project = copy_workflow(folder / "minha experiência")
        outcome = snakemake(
            project, "all", "exports", "--cores", "2", "--configfile", str(TINY), activated=False
        )
        assert outcome.code == 0, outcome.text[-6000:]

    return made_once(tmp_path_factory, "reference", make) / "minha experiência"


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scores and tables of the smallest experiment, by `sentflow run`. Leave its files as they are."""

    def make(folder: Path) -> None:
        outcome = run_small(copy_workflow(folder / "project"), "scores", "tables")
        assert outcome.code == 0, outcome.text[-6000:]

    return made_once(tmp_path_factory, "undisturbed", make) / "project"


@pytest.fixture
def copied(undisturbed: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(undisturbed, tmp_path / "project"))
