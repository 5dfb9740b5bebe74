"""Any input ends in a result that is right, or in one paragraph of advice; with little memory and in little time.

Cases are numbered and made by `any_case`, which runs each in a process of its own with limits. What a failed number is
about: ``python tests/fixtures/any_case.py NUMBER``.
"""

import os
import subprocess
import sys
from pathlib import Path

import any_case
import pytest

MANY = 600  # three times as many with --thorough


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="limits and peak memory are those of Linux")
def test_many_inputs_end_well_within_their_limits(thorough):
    words = [sys.executable, any_case.__file__, *map(str, range(MANY * thorough))]
    variables = {"OMP_NUM_THREADS": "1", "NO_PROXY": "*", "HF_HUB_OFFLINE": "1"}
    variables["PYTHONPATH"] = os.pathsep.join([str(Path(any_case.__file__).parent), *sys.path])
    done = subprocess.run(words, env=os.environ | variables, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
