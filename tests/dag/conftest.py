"""A finished workflow: everything is as after a complete run, with stand-ins for the result files."""

import shutil
from pathlib import Path

import pytest
import workflow_copy
from made_once import made_once


@pytest.fixture(scope="session")
def everything(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Every job of the tiny experiment."""
    return workflow_copy.planned(workflow_copy.copy_workflow(tmp_path_factory.mktemp("new") / "project"))


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished project for tests that change the config only. Do not edit its files."""

    def make(folder: Path) -> None:
        workflow_copy.pretend_to_run(workflow_copy.copy_workflow(folder / "project"))

    return made_once(tmp_path_factory, "finished", make) / "project"


@pytest.fixture
def project(finished: Path, tmp_path: Path) -> Path:
    """A finished project for one test, in a folder of its own whose name needs quoting."""
    return Path(shutil.copytree(finished, tmp_path / "my experiment"))
