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


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("return None", None),
        ("raise KeyError('no such thing')", "KeyError: 'no such thing'"),
        ("bytearray(b'x') * 800_000_000", "MB of memory above the parent"),
        ("bytearray(b'x') * 8_000_000_000", "MemoryError"),
        ("while True: pass", "ended by SIGXCPU"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "ended by SIGSEGV"),
    ],
)
def test_a_case_that_fails_grows_or_never_ends_is_told(body, what):
    program = f"""
import any_case
any_case._CPU_SECONDS = {2 if "while" in body else 60}
def check(draw, folder):
    {body}
print(any_case.run_case(1, check))
"""
    paths = os.pathsep.join([str(PROGRAM.parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**ENVIRONMENT, "PYTHONPATH": paths},
        check=True,
    )
    if what is None:
        assert done.stdout == "None\n"
    else:
        assert done.stdout.startswith("case 1 (check): ")
        assert what in done.stdout


def test_a_number_is_always_the_same_case(tmp_path):
    made = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        any_case.task_file(any_case.random.Random(f"{any_case.SEED}-3"), tmp_path / name)
        made.append((tmp_path / name / "rows.csv").read_bytes())
    assert made[0] == made[1]
