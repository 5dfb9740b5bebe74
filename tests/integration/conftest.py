"""One complete run of the tiny experiment, which the tests compare with."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from workflow_copy import TINY, copy_workflow, snakemake


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny experiment, run on two cores in a folder whose name needs quoting. Do not change its files."""
    project = copy_workflow(tmp_path_factory.mktemp("reference") / "minha experiência")
    outcome = snakemake(project, "--cores", "2", "--configfile", str(TINY))
    assert outcome.code == 0, outcome.text[-6000:]
    return project


@pytest.fixture
def copy_of_reference(reference: Path, tmp_path: Path) -> Callable[..., Path]:
    """Copies the reference without some folders or files of its results."""

    def copy(*without: str) -> Path:
        project = Path(shutil.copytree(reference, tmp_path / "minha experiência"))
        for name in without:
            path = project / "results" / name
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
        return project

    return copy
