"""Scores that were changed by hand, and the job `summarise_costs`."""

import json
from dataclasses import replace

import fake_summary
import pytest

from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import DataError
from sentflow.files.io import read_json, write_json
from sentflow.files.rows import read_rows, write_rows
from sentflow.files.sealed import read_sealed, write_sealed
from sentflow.report.costs.rows import CostRow
from sentflow.report.jobs import summarise_costs


def test_a_number_that_was_changed_by_hand_is_refused(tmp_path):
    file = tmp_path / "minilm-l6.json"
    write_sealed(file, fake_summary.score_file(fake_summary.one_row()))
    write_json(file, {**read_json(file), "mean": 0.999})
    with pytest.raises(DataError, match=r"minilm-l6\.json was changed .* Delete it"):
        read_sealed(file)


# --- costs ---


def write_benchmark(folder, rule, key, records):
    path = folder / "results" / "benchmarks" / rule / f"{key}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def run_costs(tmp_path, *benchmarks):
    write_rows(tmp_path / "scores.parquet", ScoreRow, fake_summary.score_rows(tasks=["T1A"]))
    summarise_costs(
        benchmarks=benchmarks,
        summaries=[tmp_path / "scores.parquet"],
        costs=tmp_path / "costs.parquet",
        encoders=tmp_path / "encoders.parquet",
    )


def test_costs_are_summed_per_rule_and_memory_is_the_largest(tmp_path):
    write_benchmark(tmp_path, "probe", "T1A/m", [{"s": 10.0, "cpu_time": 9.0, "max_rss": 300.0}])
    write_benchmark(tmp_path, "probe", "T1B/m", [{"s": 5.5, "cpu_time": 4.0, "max_rss": 700.0}])
    write_benchmark(tmp_path, "check", "all", [{"s": 0.2, "cpu_time": "NA", "max_rss": "NA"}])
    run_costs(tmp_path, tmp_path / "results" / "benchmarks")
    check, probe = read_rows(tmp_path / "costs.parquet", CostRow)
    assert replace(probe, started="", ended="") == CostRow("probe", 2, 0, 15.5, 13.0, 700.0, "sample data")
    assert (check.jobs, check.unmeasured_jobs, check.wall_seconds) == (1, 1, 0.2)
    assert check.cpu_seconds != check.cpu_seconds  # NaN: not measured is not 0
