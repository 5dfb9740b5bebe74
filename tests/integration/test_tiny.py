"""The whole pipeline on the tiny experiment: what it makes."""

import json

import pytest
from workflow_copy import TINY, snakemake, undeclared

pytestmark = pytest.mark.slow

TASKS = ("T1B-tiny", "G3-tiny", "F3-tiny")


def test_checks_pass(reference):
    checks = sorted((reference / "results/checks").glob("*.json"))
    assert {"complete", "intervals", "similarity"} <= {check.stem for check in checks}
    for check in checks:
        assert json.loads(check.read_text(encoding="utf-8"))["passed"] is True, check.stem


def test_tables_figures_report_and_record_are_there(reference):
    results = reference / "results"
    files = [*(results / "tables").iterdir(), *(results / "figures").iterdir()]
    assert {file.suffix for file in files} >= {".csv", ".md", ".tex", ".pdf", ".png", ".svg", ".parquet"}
    assert all(file.stat().st_size for file in files)
    page = (results / "report/index.html").read_text(encoding="utf-8")
    assert all(words in page for words in ("Tiny experiment", "sample data", *TASKS))
    assert "T1B-tiny" in (results / "record/config.yaml").read_text(encoding="utf-8")


def test_a_second_run_does_nothing(reference):
    outcome = snakemake(reference, "--cores", "2", "--configfile", str(TINY))
    assert outcome.code == 0
    assert "Nothing to be done" in outcome.text


def test_every_file_is_an_output_a_log_or_a_benchmark_of_a_job(reference):
    """Nothing else reaches other machines."""
    assert undeclared(reference, "all", "exports", configfiles=[TINY]) == []
