"""The job `summarise_costs`."""

import json
from dataclasses import replace

import fake_summary

from sentflow.compare.score_rows import ScoreRow
from sentflow.files.rows import read_rows, write_rows
from sentflow.report.costs.rows import CostRow
from sentflow.report.jobs import summarise_costs


def write_benchmark(folder, rule, key, records):
    path = folder / "results" / "benchmarks" / rule / f"{key}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_costs_are_summed_per_rule_and_memory_is_the_largest(tmp_path):
    write_benchmark(tmp_path, "probe", "T1A/m", [{"s": 10.0, "cpu_time": 9.0, "max_rss": 300.0}])
    write_benchmark(tmp_path, "probe", "T1B/m", [{"s": 5.5, "cpu_time": 4.0, "max_rss": 700.0}])
    write_benchmark(tmp_path, "check", "all", [{"s": 0.2, "cpu_time": "NA", "max_rss": "NA"}])
    write_rows(tmp_path / "scores.parquet", ScoreRow, fake_summary.score_rows(tasks=["T1A"]))
    outputs = {name: tmp_path / f"{name}.parquet" for name in ("costs", "encoders")}
    benchmarks, summaries = [tmp_path / "results/benchmarks"], [tmp_path / "scores.parquet"]
    summarise_costs(benchmarks=benchmarks, summaries=summaries, **outputs)
    check, probe = read_rows(tmp_path / "costs.parquet", CostRow)
    assert replace(probe, started="", ended="") == CostRow("probe", 2, 0, 15.5, 13.0, 700.0, "sample data")
    assert (check.jobs, check.unmeasured_jobs, check.wall_seconds) == (1, 1, 0.2)
    assert check.cpu_seconds != check.cpu_seconds  # NaN: not measured is not 0
