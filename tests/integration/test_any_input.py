"""Any input ends in a result that is right, or in one paragraph of advice; with little memory and in little time.

Cases are numbered and made by `any_case`, which runs each in a process of its own with limits. What a failed number is
about: ``python tests/fixtures/any_case.py NUMBER``.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import any_case
import pytest

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(sys.platform != "linux", reason="limits and peak memory are those of Linux"),
]

PROGRAM = Path(any_case.__file__)
ENVIRONMENT = {
    **os.environ,
    **{"OMP_NUM_THREADS": "1", "NO_PROXY": "*", "HF_HUB_OFFLINE": "1"},
    "PYTHONPATH": str(PROGRAM.parent),  # else not found where PYTHONSAFEPATH is set
}
MANY = 600  # three times as many with --thorough


def troubles(numbers: Sequence[int], *, processes: int) -> list[str]:
    """What went wrong in which cases, in a line each; models run beside so many processes with the others."""
    models = [number for number in numbers if any_case.needs_models(number)]
    others = [number for number in numbers if not any_case.needs_models(number)]
    started = []
    for part in (models, *(others[start::processes] for start in range(processes))):
        process = subprocess.Popen(
            [sys.executable, str(PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=ENVIRONMENT,
            text=True,
        )
        process.stdin.write(json.dumps(part))
        process.stdin.close()
        started.append(process)
    answers = [process.stdout.read() for process in started]
    assert [process.wait() for process in started] == [0] * len(started)
    found = [any_case.Trouble(**json.loads(line)) for answer in answers for line in answer.splitlines()]
    return [str(trouble) for trouble in sorted(found, key=lambda trouble: trouble.number)]


def test_many_inputs_end_well_within_their_limits(thorough):
    assert troubles(range(MANY * thorough), processes=2) == []
