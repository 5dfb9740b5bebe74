"""The whole pipeline on the tiny experiment: what it makes, and that no way of running it changes a byte."""

import json
from pathlib import Path

import pytest
from workflow_copy import TINY, snakemake

pytestmark = pytest.mark.slow

TASKS = ("T1B-tiny", "G3-tiny", "F3-tiny")


def score_files(project: Path) -> dict[str, bytes]:
    """Every file of scores. All tables are made of them."""
    files = sorted((project / "results/scores").rglob("*"))
    return {str(file.relative_to(project)): file.read_bytes() for file in files if file.is_file()}


def assert_same_files(project: Path, reference: Path) -> None:
    found, expected = score_files(project), score_files(reference)
    assert found.keys() == expected.keys()
    assert [name for name in expected if found[name] != expected[name]] == []


def run(project: Path, *arguments: str) -> str:
    """Run the scores of the tiny experiment to the end; what Snakemake said."""
    outcome = snakemake(project, "scores", "--configfile", str(TINY), *arguments)
    assert outcome.code == 0, outcome.text[-6000:]
    return outcome.text


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


# One core, from scratch and elsewhere: test_reproducibility.py; killed and resumed: test_kills.py


@pytest.mark.nightly
def test_jobs_of_a_fold(reference, copy_of_reference):
    # one lazy encoder, one MLP with alternatives, one pair; the other folds are those of whole-task jobs
    pairs = ("T1B-tiny/tfidf", "F3-tiny/bag-of-words", "G3-tiny/random")
    project = copy_of_reference(*(f"probes/{pair}" for pair in pairs), "scores")
    run(project, "--cores", "2", "--config", 'probe={"job": "fold"}')
    assert_same_files(project, reference)
