"""A training as a job: what its record says, what it refuses before the first step, and what it leaves."""

import json

import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
from tiny_bert import TEXTS, save_tiny_bert, save_tiny_roberta

from sentflow.encoders.fetch.file_names import model_files
from sentflow.encoders.manifest import WEIGHTS, Manifest, read_manifest, write_manifest
from sentflow.errors import ConfigError
from sentflow.files.io import file_sha256
from sentflow.training.data.table import TrainingData, write_training_data
from sentflow.training.draws import Draws
from sentflow.training.held_out import split
from sentflow.training.job import Job
from sentflow.training.loop import LeftEarly
from sentflow.training.place import Place
from sentflow.training.recipes.table import RECIPES
from sentflow.training.record import RANDOM_WEIGHTS
from sentflow.training.settings import TrainingSettings
from sentflow.training.start import check_max_tokens
from sentflow.training.vocabulary import LearntVocabulary


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


def test_the_record_says_what_decided_the_weights(job, start, tmp_path):
    record, _, _ = job().run(Place(tmp_path))
    assert (record.pooling, record.teacher) == ("mean", None)
    assert record.start.files_sha256 == read_manifest(start).files_sha256
    assert (record.start.kind, record.steps) == ("transformers", 4)


def test_of_drawn_weights_the_record_names_the_files_of_tokenizer_and_architecture(job, start, tmp_path):
    begins = {"name": "tiny", "configuration": {"num_hidden_layers": 1}}
    record, _, _ = job(begins=begins).run(Place(tmp_path))
    assert (record.start.kind, record.start.name) == (RANDOM_WEIGHTS, "tiny")
    assert record.start.files_sha256 == read_manifest(start).files_sha256


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


def test_held_out_rows_are_counted_and_measured_and_nothing_is_learnt_of_them(job, tmp_path, monkeypatch):
    learnt = []
    made = LearntVocabulary.of.__func__
    monkeypatch.setattr(
        "sentflow.training.job.LearntVocabulary.of",
        lambda settings, rows: learnt.extend(rows) or made(LearntVocabulary, settings, rows),
    )
    begins = {"name": "tiny", "configuration": {"num_hidden_layers": 1}, "tokenizer": {"size": 60}}
    record, _, progress = job(begins=begins, held_out=0.5).run(Place(tmp_path))
    assert (record.data.rows, record.data.held_out, record.training["held_out"]) == (5, 2, 0.5)
    rows = [{"text": text} for text in TEXTS]
    kept, _ = split(rows, TrainingSettings.of(record.training), Draws(1))
    assert learnt == kept and len(kept) == 3
    assert [(row["step"], row["measure"], row["n"]) for row in progress.held_out] == [(4, "loss", 1)]


def test_snapshots_of_a_training_with_other_settings_that_was_broken_off_do_not_stay(
    job, tmp_path, monkeypatch
):
    place = Place(tmp_path)
    with monkeypatch.context() as patched, pytest.raises(LeftEarly):
        patched.setattr("sentflow.training.job.Leave.__call__", lambda _self: True)
        job(snapshots=1).run(place)
    assert {folder.name for folder in place.snapshots.iterdir()} == {"step-000000", "step-000001"}
    _, made, _ = job(snapshots=2).run(place)
    assert made.resumed_at == ()
    assert {folder.name for folder in place.snapshots.iterdir()} == {f"step-{step:06d}" for step in (0, 2, 4)}


def test_texts_longer_than_the_table_of_positions_are_refused_before_the_first_step(job, tmp_path):
    with pytest.raises(ConfigError, match=r"training\.max_tokens: 33 is more than the 32 positions"):
        job(max_tokens=33).run(Place(tmp_path))


def test_positions_of_a_roberta_are_counted_from_behind_the_padding(tmp_path):
    folder = save_tiny_roberta(tmp_path)  # 34 places, of which the first two are for padding
    encoder = SentenceTransformer(modules=[Transformer(str(folder)), Pooling(8, "cls")], device="cpu")
    check_max_tokens(encoder, 32)
    encoder.train()(encoder.tokenizer(["a " * 40], truncation=True, max_length=32, return_tensors="pt"))
    with pytest.raises(ConfigError, match="32 or less"):
        check_max_tokens(encoder, 33)
