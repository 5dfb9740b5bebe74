"""A training as a job: what its record says, what it refuses before the first step, and what it leaves."""

import pytest
import torch
from sentence_transformers import SentenceTransformer
from tiny_bert import TEXTS
from training_jobs import job_settings, rows_in, start_in

from sentflow.files.archives.pack import checksums_of, unpack
from sentflow.files.io import file_sha256
from sentflow.training.job import Job
from sentflow.training.loop import LeftEarly


def test_a_learnt_vocabulary_is_that_of_the_rows_and_the_same_after_a_break(tmp_path, monkeypatch):
    # signals are those of pytest
    monkeypatch.setattr("sentflow.training.leave.Watch.listen", lambda _self: None)
    begins = {"name": "tiny", "configuration": {"num_hidden_layers": 1}, "tokenizer": {"size": 40}}
    files = (start_in(tmp_path, layers=2), rows_in(tmp_path, {"text": TEXTS}))

    def job(state):
        settings = job_settings(start=begins, training={"steps": 4})
        return Job(settings, *files, "code", {"torch": torch.__version__}, tmp_path / state)

    record, _, _ = job("whole").run()
    assert record.start.source == {"configuration": {"num_hidden_layers": 1}, "tokenizer": {"size": 40}}
    with monkeypatch.context() as patched, pytest.raises(LeftEarly):
        patched.setattr("sentflow.training.leave.Watch.leaves", lambda _self: True)
        job("parts").run()
    _, made, _ = job("parts").run()
    assert made.resumed_at == (1,)
    whole, parts = (tmp_path / name / "snapshots/step-000004.tar" for name in ("whole", "parts"))
    assert file_sha256(whole) == file_sha256(parts)
    unpack(whole, checksums_of(whole), tmp_path / "unpacked")
    encoder = SentenceTransformer(str(tmp_path / "unpacked"), device="cpu")
    assert encoder[0].auto_model.config.vocab_size == len(encoder.tokenizer) <= 40
    assert encoder.tokenizer.tokenize("projeto") == ["projeto"]  # nine times in the rows
