"""Commands of any length: Linux starts no program with an argument of 128 KiB, or with more than some MB of them."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from sentflow.jobs import job

SHELL = Path(job.__file__).with_name("python.sh")
READ = f". {shlex.quote(str(SHELL))};"
TELL = """
import json, os, sys
from sentflow.jobs.job import words_of
json.dump([os.environ.get("OMP_NUM_THREADS"), len(sys.argv), words_of(None)], sys.stdout)
sys.exit(7)
"""
ODD = ["", "--settings", '{"a": "it\'s\\n %s {b} 한국어"}', "two\nlines", "@not-a-file", "-"]


@pytest.fixture
def started(tmp_path):
    """Run the command of a job as its shell does: exit code, output, what was said."""
    (tmp_path / "tell.py").write_text(TELL, encoding="utf-8")
    source = Path(job.__file__).parents[2]
    folders = [str(Path(sys.executable).parent), os.environ["PATH"]]
    variables = {"PATH": os.pathsep.join(folders), "PYTHONPATH": f"{tmp_path}:{source}"}

    def start(words, *, before=READ):
        script = tmp_path / "script.sh"
        command = shlex.join(["python", "-m", "tell", *words])
        script.write_text(f"set -euo pipefail; {before} OMP_NUM_THREADS=1 {command}\n", encoding="utf-8")
        return subprocess.run(
            ["bash", script], env=os.environ | variables, capture_output=True, text=True, check=False
        )

    return start


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        (ODD, len(ODD)),
        ([*ODD, "x" * 300_000], 1),  # one argument beyond 128 KiB
        ([*ODD, *(f"results/{'x' * 90}/{n}" for n in range(30_000))], 1),  # 3 MB of them
    ],
    ids=["short", "long word", "many words"],
)
def test_a_job_gets_every_word_its_variables_and_its_exit_code(started, words, seen):
    done = started(words)
    assert done.returncode == 7, done.stderr
    threads, n_arguments, told = json.loads(done.stdout)
    assert (threads, n_arguments - 1, told) == ("1", seen, words)
