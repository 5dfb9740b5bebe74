"""One S3 server for all tests of this folder, and one usual run that they compare with."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from made_once import made_once
from s3_server import S3Server
from storage_runs import missing, new_project, run


@pytest.fixture(scope="session")
def server() -> Iterator[S3Server]:
    """An S3 server on this machine; skips where it cannot be started."""
    if reason := missing():
        pytest.skip(reason)
    found = S3Server()
    yield found
    found.stop()


@pytest.fixture(scope="session")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The experiment in a folder of this machine, without a storage. Do not change its files."""

    def make(folder: Path) -> None:
        outcome = run(new_project(folder / "project"), "--cores", "2")
        assert outcome.code == 0, outcome.text[-6000:]

    return made_once(tmp_path_factory, "usual", make) / "project"
