"""What is made to fill the memory is refused within 500 MB, as the system itself sees to in a process of its own."""

import json
import os
import subprocess
import sys

import pytest
from workflow_copy import REPOSITORY

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
FIXTURES = REPOSITORY / "tests" / "fixtures"


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    program = [sys.executable, str(FIXTURES / "bombs.py"), str(tmp_path_factory.mktemp("bombs"))]
    environment = {**os.environ, "PYTHONPATH": str(FIXTURES), "NO_PROXY": "*"}
    done = subprocess.run(program, capture_output=True, text=True, check=True, env=environment)
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("bomb", "message"),
    [
        ("parquet", "DataError: a.parquet unpacks from"),
        ("dotted", "DataError: a.parquet unpacks from"),
        ("archive", "DataError: not a safe archive: unpacks from"),
        ("aliases", "ConfigError: "),
        ("layers", "DataError: "),
        ("answer", "DataError: "),
    ],
)
def test_bomb_is_refused_in_bounded_memory(outcomes, bomb, message):
    assert outcomes[bomb].startswith(message)
