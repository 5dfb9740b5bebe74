"""`sentflow resources`: from benchmark files to what jobs ask a cluster for."""

import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from sentflow.cli import training_estimate
from sentflow.cli.app import app
from sentflow.cli.measured_jobs import Largest, MeasuredRule, requested_mb, requested_minutes
from sentflow.cli.resources import block_lines
from sentflow.cli.rule_requests import RuleRequest
from sentflow.training.data.forms import FORMS

# What `prepare` asks for by itself: 1000 MB, 10 minutes; `download` is a local rule.


def run(*words: object):
    return CliRunner().invoke(app, ["resources", *map(str, words)])


def printed(*words: object) -> str:
    result = run(*words)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def refused(*words: object) -> str:
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")
    return result.stderr


def measure(results: Path, job: str, *, memory_mb: float | str = 100.0, seconds: float = 1.0) -> Path:
    """Leave a benchmark file as Snakemake does: `job` is ``rule/wildcard/wildcard``."""
    file = results / "benchmarks" / f"{job}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    record = {"cpu_time": seconds, "h:m:s": "0:00:01", "max_rss": memory_mb, "s": seconds}
    file.write_text(json.dumps(record) + "\n", encoding="utf-8")
    return file


def line_of(text: str, start: str) -> str:
    (line,) = [line for line in text.splitlines() if line.strip().startswith(start)]
    return line


# --- numbers


@pytest.mark.parametrize(
    ("measured", "margin", "expected"),
    [
        (100, 1.5, 500),  # 150 + 300 = 450: the least
        (240, 1.5, 700),  # 360 + 300 = 660
        (800, 1.5, 1500),  # 1200 + 300 = 1500 exactly
        (801, 1.5, 1600),
        (1200, 1.5, 2500),  # 2100, by steps of 500
        (7000, 1.5, 11_000),  # 10,800, by steps of 1000
        (7000, 1.0, 7500),  # 7300
    ],
)
def test_memory_has_a_margin_and_two_snakemakes_and_is_rounded_up(measured, margin, expected):
    assert requested_mb(measured, margin=margin) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0.2, 5),  # the least
        (-3, 5),  # a clock that was set back
        (210, 10),  # 5.25 minutes
        (1200, 30),  # exactly
        (2600, 75),  # 65, by steps of 15
        (10_000, 300),  # 250, by whole hours
    ],
)
def test_time_has_a_margin_and_is_rounded_up_to_minutes(seconds, expected):
    assert requested_minutes(seconds, margin=1.5) == expected


# --- the block


def test_the_block_has_the_largest_memory_and_time_of_each_rule_and_grows_with_the_attempt(tmp_path):
    measure(tmp_path, "prepare/T1B-sample", memory_mb=2000.0, seconds=4.0)
    measure(tmp_path, "prepare/T4-sample", memory_mb=90.0, seconds=900.0)
    measure(tmp_path, "score/T4-sample/minilm-l6", memory_mb=110.0)
    text = printed(tmp_path)
    # 2000 × 1.5 + 300 = 3300; 900 s × 1.5 = 22.5 min
    assert yaml.safe_load(text) == {
        "set-resources": {
            "prepare": {"mem_mb": "3500 * attempt", "runtime": "25 * attempt"},
            "score": {"mem_mb": "500 * attempt", "runtime": "5 * attempt"},
        }
    }
    assert "3 jobs of 2 rules" in text
    assert line_of(text, "prepare:").endswith("# 2 jobs")


def test_every_line_says_what_was_measured_where_and_what_the_rule_asks_for(tmp_path):
    measure(tmp_path, "prepare/T1B-sample", memory_mb=2000.0, seconds=4.0)
    measure(tmp_path, "prepare/T4-sample", memory_mb=90.0, seconds=200.0)
    text = printed(tmp_path)
    assert line_of(text, "mem_mb:").endswith(
        "# measured 2,000 MB (T1B-sample); the rule requests TOO LITTLE, 1000"
    )
    assert line_of(text, "runtime:").endswith("# measured 200 s (T4-sample); the rule requests 10")


def test_with_a_larger_margin_the_rule_may_ask_for_too_little(tmp_path):
    measure(tmp_path, "prepare/T1B-sample", memory_mb=400.0, seconds=300.0)
    assert "LITTLE," not in printed(tmp_path)  # 900 MB, 7.5 minutes
    text = printed(tmp_path, "--margin", "3")  # 1500 MB, 15 minutes
    assert text.count("LITTLE,") == 2
    assert "mem_mb: 1500 * attempt" in text


def test_results_may_be_a_folder_the_one_around_it_or_the_benchmarks(tmp_path, monkeypatch):
    measure(tmp_path / "results", "prepare/T1B-sample")
    monkeypatch.chdir(tmp_path)
    # of programs, as in the folder of the workflow
    (tmp_path / "benchmarks").mkdir()
    blocks = [yaml.safe_load(printed(*words)) for words in ([], ["."], ["results"], ["results/benchmarks"])]
    assert blocks[0]["set-resources"].keys() == {"prepare"}
    assert all(block == blocks[0] for block in blocks)


def test_local_rules_are_left_out_and_unmeasured_ones_named(tmp_path):
    measure(tmp_path, "prepare/T1B-sample")
    measure(tmp_path, "download/hatebr/a.csv", memory_mb=9000.0)
    text = printed(tmp_path)
    assert "download" not in text
    assert "1 job of 1 rule." in text
    missing = line_of(text, "# Not measured")
    assert all(f" {rule}" in missing for rule in ("embed,", "probe_lazy,", "score_study."))
    assert "prepare," not in missing


def test_rules_of_another_version_are_named(tmp_path):
    measure(tmp_path, "prepare/T1B-sample")
    measure(tmp_path, "finetune/all")
    assert line_of(printed(tmp_path), "# Measured, but").endswith("(any more): finetune.")


def test_jobs_too_short_for_a_measurement_of_memory_leave_the_request_of_the_rule(tmp_path):
    measure(tmp_path, "prepare/T1B-sample", memory_mb="NA")
    text = printed(tmp_path)
    assert yaml.safe_load(text)["set-resources"] == {"prepare": {"runtime": "5 * attempt"}}
    assert "# mem_mb: every job ended before" in text
    measure(tmp_path, "prepare/T4-sample", memory_mb=90.0)
    assert "mem_mb: 500 * attempt  # measured 90 MB (T4-sample)" in printed(tmp_path)


def test_blocks_that_the_profile_has_already_are_to_be_merged(tmp_path):
    for rule in ("embed/minilm-l6/sample-tasks", "probe_lazy/T1B-sample/tfidf", "prepare/T1B-sample"):
        measure(tmp_path, rule)
    lines = printed(tmp_path).splitlines()
    after = {line.split(":")[0].strip(): following for line, following in zip(lines, lines[1:], strict=False)}
    assert "MERGE: if gpu_partition is set, copy gpu and slurm_partition of this rule" in after["embed"]
    assert "MERGE: if folds_per_job is set, copy batch_slot of this rule" in after["probe_lazy"]
    assert "MERGE" not in after["prepare"]


def test_a_request_that_grows_with_the_input_is_not_compared(tmp_path):
    measure(tmp_path, "geometry/own/minilm-l6", memory_mb=3000.0)
    assert line_of(printed(tmp_path), "mem_mb:").endswith("the rule requests 1500 and 16 times its input")


def test_a_rule_that_requests_nothing_is_not_compared():
    measured = {"prepare": MeasuredRule(1, Largest(90.0, "all"), Largest(1.0, "all"), 1.0)}
    lines = block_lines(measured, {"prepare": RuleRequest(None, 10, False)}, margin=1.5, source="results")
    assert line_of("\n".join(lines), "mem_mb:").endswith("measured 90 MB; the rule requests nothing")


def test_names_of_files_cannot_end_a_comment(tmp_path):
    measure(tmp_path, "prepare/a\nembed: {mem_mb: 1}", memory_mb=90.0)
    measure(tmp_path, "prepare/b")
    assert yaml.safe_load(printed(tmp_path))["set-resources"].keys() == {"prepare"}


def test_a_job_that_is_just_ending_does_not_count(tmp_path):
    measure(tmp_path, "prepare/T1B-sample")
    (tmp_path / "benchmarks/prepare/T4-sample.jsonl").write_text("")
    assert line_of(printed(tmp_path), "prepare:").endswith("# 1 job")


# --- mistakes


def test_no_benchmark_files_are_told(tmp_path):
    assert "no-such holds no folder benchmarks" in refused(tmp_path / "no-such")
    assert "Write the results folder of a run" in refused(tmp_path)
    (tmp_path / "benchmarks").mkdir()
    assert "no .jsonl file in" in refused(tmp_path)
    (tmp_path / "benchmarks/prepare").mkdir()
    (tmp_path / "benchmarks/prepare/T1B-sample.jsonl").write_text("")
    assert "are empty. Run the experiment first" in refused(tmp_path)


def test_a_run_with_local_rules_alone_is_told(tmp_path):
    measure(tmp_path, "download/hatebr/a.csv")
    assert "has only download, which are never submitted" in refused(tmp_path)


@pytest.mark.parametrize("content", [b"{", b'{"max_rss": 3}', b'{"s": NaN}', b"\xff\xfe\x00", b'{"s": "NA"}'])
def test_a_damaged_file_is_named(tmp_path, content):
    file = measure(tmp_path, "prepare/T1B-sample")
    file.write_bytes(content)
    assert f"{file}, line 1: not a benchmark record of Snakemake" in refused(tmp_path)


@pytest.mark.parametrize("margin", ["0.9", "-1", "nan", "inf"])
def test_a_margin_below_one_is_told(tmp_path, margin):
    measure(tmp_path, "prepare/T1B-sample")
    assert "Write 1 or more, e.g. 1.5" in refused(tmp_path, "--margin", margin)


def test_every_form_of_training_data_has_a_number_of_texts_per_row():
    assert training_estimate._VIEWS.keys() == FORMS.keys()
