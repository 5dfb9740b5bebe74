"""The command `summarise`, and `summarise_costs` beside it."""

import json
import os
from dataclasses import replace
from pathlib import Path

import fake_summary
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sentflow.commands import summarise, summarise_costs
from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import DataError
from sentflow.files.io import read_json, write_json
from sentflow.files.rows import read_rows, write_rows
from sentflow.files.sealed import write_sealed
from sentflow.report.costs.rows import CostRow
from sentflow.report.families.probing.rows import CurveRow


def write_scores(folder, rows, n_folds=(50, 20, 3)):
    """Score file and unaggregated table of each row; fold after fold stops as `n_folds` says."""
    scores, tables = [], []
    for row in rows:
        base = folder / row.task / row.model
        base.parent.mkdir(parents=True, exist_ok=True)
        write_sealed(f"{base}.json", fake_summary.score_file(row, n_epochs=len(n_folds)))
        records = [
            {"metric": quantity, "train_epoch": epoch, "value": 0.5}
            for quantity in ("loss_per_epoch_train", "loss_per_epoch_eval", "metric_per_epoch_eval")
            for epoch, alive in enumerate(n_folds, start=1)
            for _ in range(alive)
        ]
        records += [{"metric": "metric_test", "train_epoch": -1, "value": 0.4}] * 50
        pq.write_table(pa.Table.from_pylist(records), f"{base}.parquet")
        scores.append(f"{base}.json")
        tables.append(f"{base}.parquet")
    return scores, tables


def run(tmp_path, rows, scores, tables):
    return summarise.main(
        ["--scores", *scores, "--tables", *tables]
        + ["--settings", json.dumps(fake_summary.settings_of(rows), sort_keys=True)]
        + ["--summary", str(tmp_path / "scores.parquet"), "--curves", str(tmp_path / "curves.parquet")]
    )


def test_summary_holds_every_score_in_the_order_of_the_files(tmp_path):
    rows = fake_summary.score_rows(tasks=["T1A", "F3"], models=["random", "minilm-l6"])
    scores, tables = write_scores(tmp_path, rows)
    assert run(tmp_path, rows, scores, tables) == 0
    read = read_rows(tmp_path / "scores.parquet", ScoreRow)
    assert [(row.task, row.model, row.mean) for row in read] == [
        (row.task, row.model, row.mean) for row in rows
    ]
    curves = read_rows(tmp_path / "curves.parquet", CurveRow)
    assert [curve.n_folds for curve in curves[:3]] == [50, 20, 3]
    assert len(curves) == 4 * 3 * 3


def test_score_without_its_table_is_refused(tmp_path):
    rows = fake_summary.score_rows(tasks=["T1A"])
    scores, tables = write_scores(tmp_path, rows)
    with pytest.raises(DataError, match="4 score files but 3 score tables"):
        run(tmp_path, rows, scores, tables[:3])


def test_a_number_that_was_changed_by_hand_is_refused(tmp_path):
    rows = fake_summary.score_rows(tasks=["T1A"], models=["minilm-l6"])
    scores, tables = write_scores(tmp_path, rows)
    written = read_json(scores[0])
    write_json(scores[0], {**written, "mean": 0.999})
    with pytest.raises(
        DataError, match=r"minilm-l6\.json was changed after it was written.* Delete it and run"
    ):
        run(tmp_path, rows, scores, tables)
    assert not (tmp_path / "scores.parquet").exists()


def test_the_score_file_of_an_earlier_version_is_told_what_to_do(tmp_path):
    rows = fake_summary.score_rows(tasks=["T1A"], models=["minilm-l6"])
    scores, tables = write_scores(tmp_path, rows)
    written = read_json(scores[0])
    del written["digest"]
    write_json(scores[0], written)
    with pytest.raises(
        DataError, match=r"has no digest: an earlier version of sentflow wrote it.* Delete it"
    ):
        run(tmp_path, rows, scores, tables)


@pytest.mark.parametrize("content", ["[]", "1", "[" * 2000 + "]" * 2000, '{"mean": ' + "1" * 5000 + "}", "{"])
def test_a_score_file_that_is_none_is_one_paragraph(tmp_path, content):
    rows = fake_summary.score_rows(tasks=["T1A"], models=["minilm-l6"])
    scores, tables = write_scores(tmp_path, rows)
    Path(scores[0]).write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=r"minilm-l6\.json .*Delete it and"):
        run(tmp_path, rows, scores, tables)


def test_a_score_file_that_is_a_folder_is_told(tmp_path):
    rows = fake_summary.score_rows(tasks=["T1A"], models=["minilm-l6"])
    scores, tables = write_scores(tmp_path, rows)
    Path(scores[0]).unlink()
    Path(scores[0]).mkdir()
    with pytest.raises(DataError, match=r"minilm-l6\.json is a folder, but must be a file"):
        run(tmp_path, rows, scores, tables)


def test_broken_score_file_is_named(tmp_path):
    rows = fake_summary.score_rows(tasks=["T1A"], models=["minilm-l6"])
    scores, tables = write_scores(tmp_path, rows)
    write_sealed(scores[0], {"task": "T1A-sample", "model": "minilm-l6"})
    with pytest.raises(DataError, match=r"minilm-l6\.json: no key 'intervals'"):
        run(tmp_path, rows, scores, tables)
    assert not (tmp_path / "scores.parquet").exists()


def test_score_table_with_a_gap_in_its_epochs_is_refused(tmp_path):
    rows = fake_summary.score_rows(tasks=["T1A"], models=["minilm-l6"])
    scores, tables = write_scores(tmp_path, rows)
    records = [{"metric": "loss_per_epoch_train", "train_epoch": epoch} for epoch in (1, 3)]
    pq.write_table(pa.Table.from_pylist(records), tables[0])
    with pytest.raises(DataError, match="epochs of loss_per_epoch_train do not run from 1 without gaps"):
        run(tmp_path, rows, scores, tables)


# --- costs ---


def write_benchmark(folder, rule, key, records):
    path = folder / "results" / "benchmarks" / rule / f"{key}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def run_costs(tmp_path, *benchmarks):
    write_rows(tmp_path / "scores.parquet", ScoreRow, fake_summary.score_rows(tasks=["T1A"]))
    return summarise_costs.main(
        ["--benchmarks", *map(str, benchmarks), "--summaries", str(tmp_path / "scores.parquet")]
        + ["--output", str(tmp_path / "costs.parquet"), "--encoders", str(tmp_path / "encoders.parquet")]
    )


def test_costs_are_summed_per_rule_and_memory_is_the_largest(tmp_path):
    write_benchmark(tmp_path, "probe", "T1A/m", [{"s": 10.0, "cpu_time": 9.0, "max_rss": 300.0}])
    write_benchmark(tmp_path, "probe", "T1B/m", [{"s": 5.5, "cpu_time": 4.0, "max_rss": 700.0}])
    write_benchmark(tmp_path, "check", "all", [{"s": 0.2, "cpu_time": "NA", "max_rss": "NA"}])
    assert run_costs(tmp_path, tmp_path / "results" / "benchmarks") == 0
    check, probe = read_rows(tmp_path / "costs.parquet", CostRow)
    assert replace(probe, started="", ended="") == CostRow("probe", 2, 0, 15.5, 13.0, 700.0, "sample data")
    assert (check.jobs, check.unmeasured_jobs, check.wall_seconds) == (1, 1, 0.2)
    assert check.cpu_seconds != check.cpu_seconds  # NaN: not measured is not 0


def test_costs_say_when_the_first_job_began_and_the_last_one_ended(tmp_path):
    first = write_benchmark(tmp_path, "probe", "T1A/m", [{"s": 10.0}])
    last = write_benchmark(tmp_path, "probe", "T1B/m", [{"s": 5.0}])
    # a benchmark file is written when its job ends
    os.utime(first, (86_400 + 3600, 86_400 + 3600))
    os.utime(last, (86_400 + 3700, 86_400 + 3700))
    run_costs(tmp_path, tmp_path / "results" / "benchmarks")
    row = read_rows(tmp_path / "costs.parquet", CostRow)[0]
    assert (row.started, row.ended) == ("1970-01-02 00:59:50", "1970-01-02 01:01:40")


def test_benchmark_file_given_twice_counts_once(tmp_path):
    path = write_benchmark(tmp_path, "probe", "T1A/m", [{"s": 10.0, "cpu_time": 9.0, "max_rss": 300.0}])
    run_costs(tmp_path, path, path.parent)
    assert read_rows(tmp_path / "costs.parquet", CostRow)[0].jobs == 1


def test_folder_without_benchmarks_is_refused(tmp_path):
    (tmp_path / "benchmarks").mkdir()
    with pytest.raises(DataError, match=r"no \.jsonl file in .*benchmarks"):
        run_costs(tmp_path, tmp_path / "benchmarks")


def test_absent_benchmark_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"no such benchmark files: .*probe\.jsonl"):
        run_costs(tmp_path, tmp_path / "benchmarks" / "probe.jsonl")


def test_file_outside_a_benchmarks_folder_does_not_say_its_rule(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"s": 1}\n')
    with pytest.raises(DataError, match="must lie in a folder benchmarks/RULE/"):
        run_costs(tmp_path, tmp_path / "x.jsonl")


def test_line_that_is_no_record_is_named(tmp_path):
    path = write_benchmark(tmp_path, "probe", "all", [{"s": 1.0}, {"seconds": 2.0}])
    with pytest.raises(DataError, match=r"all\.jsonl, line 2: not a benchmark record"):
        run_costs(tmp_path, path)
