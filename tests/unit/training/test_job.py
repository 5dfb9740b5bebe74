"""A training as a job: what its record says, what it refuses before the first step, and what it leaves."""

import json

import pytest
import torch
from sentence_transformers import SentenceTransformer
from tiny_bert import TEXTS, save_tiny_bert

from sentflow.encoders.fetch.file_names import model_files
from sentflow.encoders.manifest import WEIGHTS, Manifest, write_manifest
from sentflow.errors import ConfigError
from sentflow.files.io import file_sha256
from sentflow.training.data.table import TrainingData, write_training_data
from sentflow.training.job import Job
from sentflow.training.loop import LeftEarly
from sentflow.training.place import Place
from sentflow.training.recipes.table import RECIPES


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """The manifest of an encoder of two layers."""
    folder = tmp_path_factory.mktemp("start")
    weights = save_tiny_bert(folder / WEIGHTS, layers=2)
    files = {name: file_sha256(weights / name) for name in model_files(weights, allow_pickle=False)}
    source = {"archive": {"urls": ["http://example.org/tiny.zip"]}}
    write_manifest(folder / "manifest.json", Manifest("transformers", 8, source=source, files=files))
    return folder / "manifest.json"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "texts.parquet"
    write_training_data(path, TrainingData("texts", "texts", {"text": TEXTS}), {})
    return path


@pytest.fixture
def job(start, data, monkeypatch):
    monkeypatch.setattr(
        "sentflow.training.job.Leave.listen", lambda _self: None
    )  # signals are those of pytest

    def make(*, begins=None, **training):
        settings = {
            "model": "mine",
            "recipe": "simcse",
            "module": RECIPES["simcse"].module,
            "least_rows": RECIPES["simcse"].rows,
            "settings": dict(RECIPES["simcse"].settings),
            "training": {"steps": 4, "batch_size": 2, "learning_rate": 1e-3, "max_tokens": 12, **training},
            "seed": 1,
            "pooling": "mean",
            "start": begins or {"name": "tiny"},
            "data": {"name": "texts", "form": "texts"},
        }
        return Job(json.loads(json.dumps(settings)), start, data, "code", {"torch": torch.__version__})

    return make


def test_a_learnt_vocabulary_is_that_of_the_rows_and_the_same_after_a_break(job, tmp_path, monkeypatch):
    begins = {"name": "tiny", "configuration": {"num_hidden_layers": 1}, "tokenizer": {"size": 40}}
    record, _, _ = job(begins=begins).run(Place(tmp_path / "whole"))
    assert record.start.source == {"configuration": {"num_hidden_layers": 1}, "tokenizer": {"size": 40}}
    with monkeypatch.context() as patched, pytest.raises(LeftEarly):
        patched.setattr("sentflow.training.job.Leave.__call__", lambda _self: True)
        job(begins=begins).run(Place(tmp_path / "parts"))
    _, made, _ = job(begins=begins).run(Place(tmp_path / "parts"))
    assert made.resumed_at == (1,)
    whole, parts = (tmp_path / name / "snapshots" / "step-000004" for name in ("whole", "parts"))
    for file in ("model.safetensors", "tokenizer.json", "config.json"):
        assert file_sha256(whole / file) == file_sha256(parts / file)
    encoder = SentenceTransformer(str(whole), device="cpu")
    assert encoder[0].auto_model.config.vocab_size == len(encoder.tokenizer) <= 40
    assert encoder.tokenizer.tokenize("projeto") == ["projeto"]  # nine times in the rows


def test_texts_longer_than_the_table_of_positions_are_refused_before_the_first_step(job, tmp_path):
    with pytest.raises(ConfigError, match=r"training\.max_tokens: 33 is more than the 32 positions"):
        job(max_tokens=33).run(Place(tmp_path))
