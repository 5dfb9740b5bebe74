"""The jobs `summarise_costs` and `record`."""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import fake_summary
import pytest

from sentflow.compare.score_rows import ScoreRow
from sentflow.files.rows import read_rows, write_rows
from sentflow.report.costs.rows import CostRow
from sentflow.report.jobs import make_products, summarise_costs
from sentflow.report.record import git_state


def write_benchmark(folder, rule, key, records):
    path = folder / "results" / "benchmarks" / rule / f"{key}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_costs_are_summed_per_rule_and_memory_is_the_largest(tmp_path):
    benchmarks = [
        write_benchmark(tmp_path, "probe", "T1A/m", [{"s": 10.0, "cpu_time": 9.0, "max_rss": 300.0}]),
        write_benchmark(tmp_path, "probe", "T1B/m", [{"s": 5.5, "cpu_time": 4.0, "max_rss": 700.0}]),
        write_benchmark(tmp_path, "check", "all", [{"s": 0.2, "cpu_time": "NA", "max_rss": "NA"}]),
    ]
    # of an encoder that is no longer selected
    write_benchmark(tmp_path, "probe", "T1A/other", [{"s": 99.0, "cpu_time": 99.0, "max_rss": 999.0}])
    write_rows(tmp_path / "scores.parquet", ScoreRow, fake_summary.score_rows(tasks=["T1A"]))
    outputs = {name: tmp_path / f"{name}.parquet" for name in ("costs", "encoders")}
    summarise_costs(benchmarks=benchmarks, summaries=[tmp_path / "scores.parquet"], **outputs)
    check, probe = read_rows(tmp_path / "costs.parquet", CostRow)
    assert replace(probe, started="", ended="") == CostRow("probe", 2, 0, 15.5, 13.0, 700.0, "sample data")
    assert (check.jobs, check.unmeasured_jobs, check.wall_seconds) == (1, 1, 0.2)
    assert check.cpu_seconds != check.cpu_seconds  # NaN: not measured is not 0


def test_costs_are_empty_where_all_benchmarks_were_deleted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "scores.parquet", ScoreRow, fake_summary.score_rows(tasks=["T1A"]))
    outputs = {name: Path("results/summary", f"{name}.parquet") for name in ("costs", "encoders")}
    summarise_costs(summaries=[tmp_path / "scores.parquet"], **outputs)
    settings = {"tables": ["costs"], "figures": [], "caption": "Test", "published": {}}
    make_products(summary=[outputs["costs"]], settings=settings, tables=[tmp_path / "costs.csv"])
    assert (tmp_path / "costs.csv").read_text().splitlines()[1:] == []


def git(folder, *arguments):
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_commit_and_local_changes_are_told(tmp_path):
    code = tmp_path / "code.py"
    code.write_text("1\n")
    assert git_state(code) is None  # no repository
    git(tmp_path, "init")
    git(tmp_path, "add", "code.py")
    assert git_state(code) is None  # no commit yet
    git(tmp_path, "commit", "-m", "first")
    state = git_state(code)
    assert len(state["commit"]) == 40
    assert state["dirty"] is False
    code.write_text("2\n")
    assert git_state(code)["dirty"] is True
    (tmp_path / "other.py").write_text("3\n")
    assert git_state(tmp_path / "other.py") is None  # inside the repository, but not part of it
