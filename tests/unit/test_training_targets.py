"""Files and settings of training data, without Snakemake."""

import copy
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from sentflow.errors import ConfigError
from sentflow.families.probing.family import Probing
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
    "retrievers": ["bm25"],
}


def family(*data: str) -> Training:
    """The family where a trained encoder names each of these data."""
    models = {
        f"model-{number}": {
            "kind": "trained",
            "recipe": "simcse",
            "start": "minilm-l6",
            "data": name,
            "seed": 1,
            "training": {"steps": 10, "learning_rate": 3.0e-5},
        }
        for number, name in enumerate(data)
    }
    own = {"models": models, "select": {**SELECT, "models": ["random", *models]}}
    return Training(load_experiment(laid_over(copy.deepcopy(DEFAULT), own), REPOSITORY / "workflow"))


def of(data: str) -> Any:
    return SimpleNamespace(data=data)


def test_only_data_that_trained_encoders_name_are_prepared():
    assert family().raw_files() == family().audits() == []
    needed = family("wiki-10k", "sentences-sample")
    assert needed.raw_files() == [
        ("wiki1m-10k", "wiki1m_for_simcse.sample.txt"),
        ("sample-training", "sentences.txt"),
    ]
    assert needed.audits() == [
        "results/audit/training/wiki-10k.json",
        "results/audit/training/sentences-sample.json",
    ]
    assert {needed.jobs()["prepare_training"], needed.jobs()["audit_training"]} == {2}
    assert needed.constraints()["data"] == r"wiki\-10k|sentences\-sample"


def test_data_that_two_encoders_name_are_prepared_once():
    assert list(family("wiki-10k", "wiki-10k").data_of.entries) == ["wiki-10k"]


def test_data_that_do_not_exist_or_have_no_file_are_told_of_the_encoder():
    with pytest.raises(ConfigError, match="models.model-0.data: there is no training data 'wiki-1k'") as told:
        family("wiki-1k", "wiki1m")
    assert "training_data.wiki1m.file: the file of wiki1m" in str(told.value)


def test_sentences_of_pair_sets_are_read_from_their_raw_files():
    data_of = family("sg-bert-stsb").data_of
    assert data_of.raw_files_of_data(of("sg-bert-stsb")) == [
        f"results/data/raw/stsb/sts-{part}.csv" for part in ("train", "dev", "test")
    ]
    settings = json.loads(data_of.data_settings(of("sg-bert-stsb")))
    assert [source["where"] for source in settings["sources"]] == [
        "pair_sets.STSB-train",
        "pair_sets.STSB-dev",
        "pair_sets.STSB-test",
    ]


def test_checksums_and_numbers_of_rows_are_no_settings():
    """Another expected number of rows prepares nothing again, and a title trains nothing again."""
    data_of = family("wiki-10k", "sentences-sample").data_of
    assert set(json.loads(data_of.data_settings(of("wiki-10k")))) == {"form", "sources"}
    checks = json.loads(data_of.data_checks(of("wiki-10k")))
    assert checks["rows"] == 10000
    assert len(checks["files"]["wiki1m-10k"]["wiki1m_for_simcse.sample.txt"]["sha256"]) == 64
    assert "files" not in json.loads(data_of.data_checks(of("sentences-sample")))


def test_the_audit_reads_the_table_of_everything_that_is_tested():
    data_of = family("consert-sts").data_of
    assert data_of.tables_of_tests(of("consert-sts")) == [
        "results/data/tasks/T1A-sample.parquet",
        "results/data/pairs/STS12.parquet",
        "results/data/questions/municipal-laws-sample.parquet",
    ]
    assert data_of.digests_of_tests(of("consert-sts"))[1] == "results/data/pairs/STS12.json"
    assert json.loads(data_of.audit_settings(of("consert-sts"))) == {
        "declared": True,
        "tests": [["task", "T1A-sample"], ["pair set", "STS12"], ["question set", "municipal-laws-sample"]],
    }


def test_a_held_out_task_is_prepared_and_audited_without_being_selected():
    experiment = holding_out("T1B-open")
    data_of, probing = Training(experiment).data_of, Probing(experiment)
    assert "results/data/tasks/T1B-open.parquet" in data_of.tables_of_tests(of("mine"))
    assert data_of.held_out_tables(of("mine"))[1:] == ["results/data/tasks/T1B-open.parquet"]
    assert probing.jobs()["prepare"] == Probing(holding_out()).jobs()["prepare"] + 1
    assert set(probing.raw_files()) > {("offcombr-2", "OffComBR2.arff")}
    assert not any("T1B" in file for file in probing.scores())


def holding_out(*tasks: str) -> Experiment:
    """An experiment with one task, T1A-sample, and pairs without texts of T1A-sample and of these."""
    combined = {"data": ["paraphrases-sample"], "without_texts_of": {"tasks": ["T1A-sample", *tasks]}}
    model = {
        "kind": "trained",
        "recipe": "bi-encoder",
        "start": "minilm-l6",
        "data": "mine",
        "seed": 1,
        "training": {"steps": 10, "learning_rate": 3.0e-5},
    }
    mine = {"title": "Mine", "form": "pairs", "language": "en", "data_version": "raw", "combined": combined}
    own = {
        "training_data": {"mine": mine},
        "models": {"model": model},
        "select": {**SELECT, "models": ["random", "model"]},
    }
    return load_experiment(laid_over(copy.deepcopy(DEFAULT), own), REPOSITORY / "workflow")


# --- teachers


def distilled(teacher: str = "minilm-l6", **more: Any) -> Training:
    """The family where one encoder is taught by another; `more` are further encoders."""
    student = {
        "kind": "trained",
        "recipe": "distillation",
        "start": "minilm-l6",
        "data": "wiki-10k",
        "seed": 1,
        "settings": {"teacher": teacher},
        "training": {"steps": 10, "learning_rate": 3.0e-5},
    }
    own = {
        "models": {"student": student, **more},
        "select": {**SELECT, "models": ["random", "student"]},
    }
    return Training(load_experiment(laid_over(copy.deepcopy(DEFAULT), own), REPOSITORY / "workflow"))


def test_a_teacher_embeds_the_texts_of_its_students_once():
    (taught,) = distilled().collections()
    assert (taught.name, taught.models) == ("training/wiki-10k", ["minilm-l6"])
    assert taught.tables == ["results/data/training/wiki-10k.parquet"]
    models = distilled().models
    student = SimpleNamespace(model="student")
    assert models.teacher_texts(student) == ["results/data/texts/training/wiki-10k.parquet"]
    assert models.teacher_embeddings(student) == ["results/embeddings/minilm-l6/training/wiki-10k.npy"]
    assert models.teacher_info(student) == ["results/embeddings/minilm-l6/training/wiki-10k.json"]


def test_recipes_without_a_teacher_read_no_vectors():
    needed = family("wiki-10k")
    assert needed.collections() == []
    assert needed.models.teacher_embeddings(SimpleNamespace(model="model-0")) == []


def test_a_teacher_need_not_be_selected_and_may_be_trained_itself():
    tutor = {
        "kind": "trained",
        "recipe": "simcse",
        "start": "minilm-l6",
        "data": "wiki-10k",
        "seed": 1,
        "training": {"steps": 10, "learning_rate": 3.0e-5},
    }
    found = distilled("tutor", tutor=tutor).experiment
    assert set(found.further_models) == {"tutor", "minilm-l6"}
    assert set(found.trained_models) == {"student", "tutor"}


@pytest.mark.parametrize(
    ("teacher", "message"),
    [
        ("student", "models.student: student → student is circular"),
        ("minilm", "models.student.settings.teacher: there is no model 'minilm'"),
        ("tfidf-words", "settings.teacher: tfidf-words gives a text no vector of its own"),
    ],
)
def test_teachers_that_cannot_teach_are_told(teacher, message):
    fitted = {"tfidf-words": {"kind": "tfidf"}}
    with pytest.raises(ConfigError, match=message):
        distilled(teacher, **fitted)
