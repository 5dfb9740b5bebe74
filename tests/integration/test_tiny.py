"""The whole pipeline on the tiny experiment: what it makes."""

import json
import shutil

import pytest
import yaml
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


def test_every_file_is_an_output_a_log_or_a_benchmark_of_a_job(reference, tmp_path):
    """Nothing else reaches other machines. Of one training the snapshots are known before it, of the other after it."""
    small = {"num_hidden_layers": 1, "hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 16}
    common = {
        "kind": "trained",
        "recipe": "simcse",
        "start": {"like": "minilm-l6", "configuration": small},
        "data": "sentences-sample",
        "seed": 1,
        "pooling": "mean",
    }
    training = {"batch_size": 50, "learning_rate": 1e-3}
    in_steps = {**training, "steps": 4, "snapshot_every": 2}
    in_epochs = {**training, "epochs": 2, "snapshot_every": "epoch", "held_out": 0.5}
    trained = {
        "in-steps": {**common, "training": in_steps, "selection": {"pairs": "STSB-dev-tiny"}},
        "in-epochs": {**common, "training": in_epochs, "selection": {"pairs": "held-out", "measure": "loss"}},
    }
    selected = ["bag-of-words", "tfidf", "random", *trained]
    project, config = tmp_path / "project", tmp_path / "trained.yaml"
    config.write_text(yaml.safe_dump({"models": trained, "select": {"models": selected}}), encoding="utf-8")
    configfiles = (TINY, config)
    shutil.copytree(reference, project)
    outcome = snakemake(project, "trainings", "--cores", "2", "--configfile", *map(str, configfiles))
    assert outcome.code == 0, outcome.text[-6000:]
    assert undeclared(project, "all", "exports", configfiles=configfiles) == []
