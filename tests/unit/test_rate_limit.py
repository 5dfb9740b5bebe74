"""Snakemake's limit on jobs per second goes where it limits nothing, and stays where somebody asked for it."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from sentflow.graph.rate_limit import drop_idle_rate_limit

# As a Snakefile of twelve jobs, one after another; at its end Snakemake tells how many threads it has.
SNAKEFILE = """
import threading
from sentflow.graph.rate_limit import drop_idle_rate_limit

rule all:
    input: "12.txt"

rule next:
    input: lambda wildcards: f"{{int(wildcards.n) - 1}}.txt" if wildcards.n != "1" else []
    output: "{{n}}.txt"
    wildcard_constraints: n=r"\\d+"
    shell: "touch {{output}}"

onstart:
    {onstart}

onsuccess:
    print("threads", threading.active_count())
"""


def threads_at_the_end(folder, onstart: str, *options: str) -> int:
    folder.mkdir()
    (folder / "Snakefile").write_text(SNAKEFILE.format(onstart=onstart), encoding="utf-8")
    words = [sys.executable, "-m", "snakemake", "--cores", "1", "--scheduler", "greedy", *options]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("threads ")]
    return int(line.split()[1])


@pytest.mark.slow
def test_without_the_limit_no_timers_pile_up(tmp_path):
    # As many as the default, in longer spans, so that the timers are still under way at the end.
    as_it_comes = threads_at_the_end(tmp_path / "limited", "pass", "--max-jobs-per-timespan", "300/3s")
    freed = threads_at_the_end(
        tmp_path / "freed",
        "drop_idle_rate_limit(workflow.scheduler)",
        "--max-jobs-per-timespan",
        "300/3s",
    )
    assert as_it_comes > 8
    assert freed < 6


@pytest.mark.parametrize(("max_jobs", "timespan"), [(1, 1), (99, 1), (100, 60), (499, 5)])
def test_a_limit_that_somebody_asked_for_stays(max_jobs, timespan):
    limit = SimpleNamespace(max_jobs=max_jobs, timespan=timespan)
    scheduler = SimpleNamespace(job_rate_limiter=limit)
    drop_idle_rate_limit(scheduler)
    assert scheduler.job_rate_limiter is limit


@pytest.mark.parametrize(("max_jobs", "timespan"), [(100, 1), (500, 5), (1000, 1)])
def test_a_limit_out_of_reach_goes(max_jobs, timespan):
    scheduler = SimpleNamespace(job_rate_limiter=SimpleNamespace(max_jobs=max_jobs, timespan=timespan))
    drop_idle_rate_limit(scheduler)
    assert scheduler.job_rate_limiter is None


def test_no_limit_at_all():
    scheduler = SimpleNamespace(job_rate_limiter=None)
    drop_idle_rate_limit(scheduler)
    assert scheduler.job_rate_limiter is None
