"""Files and settings of training data, without Snakemake."""

import copy
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from sentflow.families.training.family import Training
from sentflow.graph.config.entries import laid_over
from sentflow.graph.config.experiment import Experiment, load_experiment

REPOSITORY = Path(__file__).parents[2]
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
SELECT = {
    "tasks": ["T1A-sample"],
    "pair_sets": ["STS12"],
    "alignments": [],
    "regressions": [],
    "question_sets": ["municipal-laws-sample"],
}


@pytest.fixture(scope="module")
def experiment() -> Experiment:
    return load_experiment(laid_over(copy.deepcopy(DEFAULT), {"select": SELECT}), REPOSITORY / "workflow")


def training(experiment: Experiment, *data: str) -> Training:
    """The family where trained encoders name these data."""
    models = {f"model-{name}": {"kind": "trained", "data": name} for name in data}
    return Training(replace(experiment, selected={**experiment.selected, "models": models}))


def of(data: str) -> Any:
    return SimpleNamespace(data=data)


def test_only_data_that_trained_encoders_name_are_prepared(experiment):
    assert training(experiment).raw_files() == training(experiment).audits() == []
    family = training(experiment, "wiki-10k", "sentences-sample")
    assert family.raw_files() == [
        ("wiki1m-10k", "wiki1m_for_simcse.sample.txt"),
        ("sample-training", "sentences.txt"),
    ]
    assert family.audits() == [
        "results/audit/training/wiki-10k.json",
        "results/audit/training/sentences-sample.json",
    ]
    assert family.jobs() == {"prepare_training": 2, "audit_training": 2}
    assert family.constraints() == {"data": r"wiki\-10k|sentences\-sample"}


def test_data_that_two_encoders_name_are_prepared_once(experiment):
    models = {name: {"kind": "trained", "data": "wiki-10k"} for name in ("one", "two")}
    family = Training(replace(experiment, selected={**experiment.selected, "models": models}))
    assert list(family.training_data) == ["wiki-10k"]


def test_sentences_of_pair_sets_are_read_from_their_raw_files(experiment):
    family = training(experiment, "sg-bert-stsb")
    assert family.raw_files_of_data(of("sg-bert-stsb")) == [
        f"results/data/raw/stsb/sts-{part}.csv" for part in ("train", "dev", "test")
    ]
    settings = json.loads(family.data_settings(of("sg-bert-stsb")))
    assert [source["where"] for source in settings["sources"]] == [
        "pair_sets.STSB-train",
        "pair_sets.STSB-dev",
        "pair_sets.STSB-test",
    ]


def test_checksums_and_numbers_of_rows_are_no_settings(experiment):
    """Another expected number of rows prepares nothing again, and a title trains nothing again."""
    family = training(experiment, "wiki-10k")
    assert set(json.loads(family.data_settings(of("wiki-10k")))) == {"form", "sources"}
    checks = json.loads(family.data_checks(of("wiki-10k")))
    assert checks["rows"] == 10000
    assert len(checks["files"]["wiki1m-10k"]["wiki1m_for_simcse.sample.txt"]["sha256"]) == 64
    assert "files" not in json.loads(
        training(experiment, "sentences-sample").data_checks(of("sentences-sample"))
    )


def test_the_audit_reads_the_table_of_everything_that_is_tested(experiment):
    family = training(experiment, "consert-sts")
    assert family.tables_of_tests(of("consert-sts")) == [
        "results/data/tasks/T1A-sample.parquet",
        "results/data/pairs/STS12.parquet",
        "results/data/questions/municipal-laws-sample.parquet",
    ]
    assert family.digests_of_tests(of("consert-sts"))[1] == "results/data/pairs/STS12.json"
    assert json.loads(family.audit_settings(of("consert-sts"))) == {
        "declared": True,
        "tests": [["task", "T1A-sample"], ["pair set", "STS12"], ["question set", "municipal-laws-sample"]],
    }
