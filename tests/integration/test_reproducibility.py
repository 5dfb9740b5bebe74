"""The same numbers anywhere on one machine: another clone, locale, clock, hash seed or number of threads."""

import json
import math
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from workflow_copy import PACKAGE, TINY, copy_workflow, environment, snakemake_words

pytestmark = pytest.mark.slow

# Every folder of numbers; what is measured anew in each run is none
FOLDERS = ("scores", "tables", "similarity", "alignments", "regressions", "geometry", "comparisons")
MEASURED = {f"{name}.{ending}" for name in ("costs", "encoders") for ending in ("csv", "md", "tex")}
# A user far away, with another shell: nothing of this may show in a result
ELSEWHERE = {
    "PYTHONHASHSEED": "12345",
    "LC_ALL": "C",
    "LANG": "C",
    "TZ": "Asia/Kathmandu",
    "COLUMNS": "40",
    "OMP_NUM_THREADS": "2",
    "OPENBLAS_NUM_THREADS": "2",
    "MKL_NUM_THREADS": "2",
}
MOST_OFF = 1e-6


def numbers(project: Path) -> dict[str, bytes]:
    """Every file of results that must be the same bytes."""
    return {
        str(file.relative_to(project)): file.read_bytes()
        for folder in FOLDERS
        for file in sorted((project / "results" / folder).rglob("*"))
        if file.is_file() and file.name not in MEASURED
    }


def test_a_second_clone_elsewhere_gives_the_same_bytes(reference, tmp_path):
    clone = copy_workflow(tmp_path / "outra pasta" / "clone")
    words = snakemake_words("scores", "tables", "similarities", "--cores", "1", "--configfile", str(TINY))
    done = subprocess.run(
        words,
        cwd=clone,
        env={**environment(), **ELSEWHERE},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    found, expected = numbers(clone), numbers(reference)
    assert found.keys() == expected.keys()
    folders = {name.split("/")[1] for name in expected}
    assert folders >= {"scores", "tables", "similarity", "alignments", "regressions", "geometry"}
    assert [name for name in expected if found[name] != expected[name]] == []


# --- threads ------------------------------------------------------------------------------------------------


def floats_of(value: Any) -> Iterator[float]:
    """Every number of nested values, in their order."""
    if isinstance(value, dict):
        for key in sorted(value):
            yield from floats_of(value[key])
    elif isinstance(value, list):
        for inner in value:
            yield from floats_of(inner)
    elif isinstance(value, float | int):
        yield float(value)


def floats_in(file: Path) -> list[float]:
    """The numbers of a file of results."""
    if file.suffix == ".parquet":
        return list(floats_of(pq.read_table(file).to_pydict()))
    return list(floats_of(json.loads(file.read_text(encoding="utf-8"))))


def repeat_with_two_threads(project: Path, log: str) -> None:
    """Run the command of a log again, as it stands in its first line, on two threads."""
    line = (project / "results/logs" / log).read_text(encoding="utf-8").splitlines()[0]
    words = shlex.split(line[line.index("sentflow.commands.") :])
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=project,
        env={**environment(), **ELSEWHERE, "PYTHONPATH": str((project / PACKAGE).parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("log", "made"),
    [
        ("probe/T1B-tiny/bag-of-words.log", "probes/T1B-tiny/bag-of-words"),  # logistic
        ("probe/F3-tiny/bag-of-words.log", "probes/F3-tiny/bag-of-words"),  # MLP
        ("similarity/STS12-tiny/bag-of-words.log", "similarity/STS12-tiny"),
        ("geometry/tiny-sentences/bag-of-words.log", "geometry/tiny-sentences"),
    ],
)
def test_two_threads_give_the_numbers_of_one(
    reference: Path, copy_of_reference: Callable[..., Path], log: str, made: str
):
    project = copy_of_reference()
    repeat_with_two_threads(project, log)
    files = [
        file for file in (reference / "results" / made).rglob("*") if file.suffix in (".json", ".parquet")
    ]
    assert files
    off = 0.0
    for file in files:
        other = project / file.relative_to(reference)
        for one, two in zip(floats_in(file), floats_in(other), strict=True):
            if not (math.isnan(one) and math.isnan(two)):
                off = max(off, abs(one - two))
    same = all(file.read_bytes() == (project / file.relative_to(reference)).read_bytes() for file in files)
    print(f"{made}: largest difference {off:.1e}, bytes {'equal' if same else 'differ'}")  # noqa: T201
    assert off <= MOST_OFF
