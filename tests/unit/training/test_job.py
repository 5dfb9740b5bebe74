"""A training as a job: what its record says, what it refuses before the first step, and what it leaves."""

import pytest
import torch
from sentence_transformers import SentenceTransformer
from tiny_bert import TEXTS
from training_jobs import job_settings, rows_in, start_in

from sentflow.files.io import file_sha256
from sentflow.training.job import Job
from sentflow.training.loop import LeftEarly


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An encoder of two layers, and rows."""
    made = tmp_path_factory.mktemp("start")
    start_in(made, layers=2)
    rows_in(made, {"text": TEXTS})
    return made


@pytest.fixture
def job(folder, monkeypatch):
    # signals are those of pytest
    monkeypatch.setattr("sentflow.training.leave.Watch.listen", lambda _self: None)

    def make(state, *, begins=None, **training):
        start = begins or {"name": "tiny"}
        settings = job_settings(start=start, training={"steps": 4, **training})
        versions = {"torch": torch.__version__}
        return Job(settings, folder / "manifest.json", folder / "rows.parquet", "code", versions, state)

    return make


def test_a_learnt_vocabulary_is_that_of_the_rows_and_the_same_after_a_break(job, tmp_path, monkeypatch):
    begins = {"name": "tiny", "configuration": {"num_hidden_layers": 1}, "tokenizer": {"size": 40}}
    record, _, _ = job(tmp_path / "whole", begins=begins).run()
    assert record.start.source == {"configuration": {"num_hidden_layers": 1}, "tokenizer": {"size": 40}}
    with monkeypatch.context() as patched, pytest.raises(LeftEarly):
        patched.setattr("sentflow.training.leave.Watch.leaves", lambda _self: True)
        job(tmp_path / "parts", begins=begins).run()
    _, made, _ = job(tmp_path / "parts", begins=begins).run()
    assert made.resumed_at == (1,)
    whole, parts = (tmp_path / name / "snapshots" / "step-000004" for name in ("whole", "parts"))
    for file in ("model.safetensors", "tokenizer.json", "config.json"):
        assert file_sha256(whole / file) == file_sha256(parts / file)
    encoder = SentenceTransformer(str(whole), device="cpu")
    assert encoder[0].auto_model.config.vocab_size == len(encoder.tokenizer) <= 40
    assert encoder.tokenizer.tokenize("projeto") == ["projeto"]  # nine times in the rows
