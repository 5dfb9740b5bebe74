"""Jobs as functions: their command line, what rules write, and how they end."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from pydantic import BaseModel

from sentflow.errors import ConfigError
from sentflow.flow.provenance import signature
from sentflow.jobs.job import MODULES, In, Job, Json, Manual, Out, Resource, Wildcard, job_named, names_in

JOBS = [name for module in MODULES for name in names_in(module)]


class Level(BaseModel, frozen=True, extra="forbid"):
    level: float = 0.95
    seed: int


def given(
    *,
    rows: list[In],
    other: Sequence[In] = (),
    extra: In | None = None,
    settings: Json,
    model: Wildcard,
    level: Level,
    limits: Resource[Json] = None,
    seconds: Resource[int] = 0,
    share: Manual[float] = 0.5,
    threads: int = 1,
    output: list[Out],
) -> None:
    """What a job may be given."""


def values(*words: str) -> dict:
    needed = ["--rows", "a", "b", "--settings=[1]", "--model=-m", '--level={"seed": 2}', "--output", "o"]
    return Job(given, []).values([*needed, *words])


def test_words_become_what_the_signature_says():
    found = values("--extra", "--other", "--limits", "null", "--seconds=3")
    assert found == {
        "rows": [Path("a"), Path("b")],
        "other": [],
        "extra": None,
        "settings": [1],
        "model": "-m",
        "level": Level(seed=2),
        "limits": None,
        "seconds": 3,
        "share": 0.5,
        "threads": 1,
        "output": [Path("o")],
    }
    assert values("--extra", "e")["extra"] == Path("e")


@pytest.mark.parametrize(
    ("word", "named"),
    [
        ("--settings={", "--settings"),
        ('--level={"sed": 2}', "sed"),
        ("--seconds=x", "--seconds"),
        ("--row=a", "--row"),
    ],
)
def test_a_word_that_does_not_fit_is_named(word, named):
    with pytest.raises(ConfigError, match=named):
        values(word)


def test_no_two_jobs_have_one_name_and_each_is_what_its_source_says():
    assert len(set(JOBS)) == len(JOBS)
    for name in JOBS:
        parser = job_named(name).parser
        options = {action.dest for action in parser._actions} - {"help", "code"}
        assert options == set(signature(name)) - {"code"}, name


def test_reading_a_command_line_imports_nothing_heavy():
    """What a job needs, it imports itself: one that takes a fifth of a second shall not wait for PyTorch."""
    program = f"""
import sys
from sentflow.jobs.job import job_named
for name in {JOBS!r}:
    job_named(name).parser
print(*{{"numba", "scipy", "torch", "pandas"}} & {{*sys.modules}})
"""
    assert subprocess.check_output([sys.executable, "-c", program], text=True).split() == []


def test_describing_a_model_imports_no_library_of_neural_networks():
    program = """
import sys
from importlib import import_module
from sentflow.encoders.settings import KINDS
for kind in KINDS.values():
    if kind.described_by:
        module, _, name = kind.described_by.partition(":")
        assert callable(getattr(import_module(module), name))
print(*{"torch", "transformers"} & {*sys.modules})
"""
    assert subprocess.check_output([sys.executable, "-c", program], text=True).split() == []


def test_a_job_runs_as_a_program_and_ends_with_one_paragraph(tmp_path):
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        program = [sys.executable, "-m", "sentflow.jobs", *words]
        return subprocess.run(program, capture_output=True, text=True, check=False, cwd=tmp_path)

    done = run("download", '--settings=[{"urls": ["sample://1/T1A.csv"]}]', "--output", "a.csv")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.csv").stat().st_size > 100
    failed = run("collect", "--tables", "missing.parquet", "--roles=text", "--texts", "t.parquet")
    assert failed.returncode == 2
    assert "missing.parquet" in failed.stderr and "Traceback" not in failed.stderr
    assert "Did you mean score" in run("scores").stderr
    assert run("scores").returncode == run().returncode == 2
