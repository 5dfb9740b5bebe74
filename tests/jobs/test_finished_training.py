"""A training whose outputs Snakemake has not taken yet is not lost."""

import shutil
from functools import partial

import pytest
from tiny_bert import TEXTS
from training_jobs import job_settings, rows_in, start_in

from sentflow.errors import SentflowError
from sentflow.files.io import read_json
from sentflow.training.jobs import choose_snapshot, train
from sentflow.training.settings import SnapshotChoice


def test_its_state_stays_until_the_rule_that_uses_its_weights_begins(tmp_path, monkeypatch):
    monkeypatch.setattr("sentflow.training.job.Leave.listen", lambda _self: None)
    start, rows = start_in(tmp_path, layers=2), rows_in(tmp_path, {"text": TEXTS})
    settings = job_settings(model="tiny", pooling="cls")
    out, state = tmp_path / "out", tmp_path / "state"
    outputs = {name: out / name for name in ("record", "made", "history", "held_out", "snapshots")}
    job = partial(train, start=start, rows=rows, state=state, **outputs, settings=settings, device="cpu")
    job()
    record = (out / "record").read_bytes()
    shutil.rmtree(out)  # as Snakemake does where it was killed before it took them
    monkeypatch.setattr("sentflow.training.loop.Trainer._step", pytest.fail)
    job()
    assert (out / "record").read_bytes() == record
    assert read_json(out / "made")["resumed_at"] == [2]

    choice = {name: out / name for name in ("manifest", "selection", "last")}
    taken = {"snapshots": outputs["snapshots"], "record": outputs["record"], "state": state}
    choose_snapshot(**taken, **choice, settings=SnapshotChoice(model="tiny", kind="trained"))
    assert not state.exists()
    assert (out / "last/model.safetensors").is_file()


def test_an_explained_failure_is_only_said_again_by_later_attempts_of_the_same_run(tmp_path, monkeypatch):
    monkeypatch.setattr("sentflow.training.job.Leave.listen", lambda _self: None)
    start, rows = start_in(tmp_path), rows_in(tmp_path, {"text": TEXTS})
    outputs = {name: tmp_path / name for name in ("record", "made", "history", "held_out", "snapshots")}
    settings = job_settings(training={"max_tokens": 1000})
    job = partial(train, start=start, rows=rows, state=tmp_path / "state", **outputs, settings=settings)
    for attempt in (1, 2):
        with pytest.raises(SentflowError, match=r"training\.max_tokens: 1000 is more than"):
            job(attempt=attempt, device="cpu")
        monkeypatch.setattr("sentflow.training.job.Job.run", lambda *_: pytest.fail("it ran"))
    with pytest.raises(pytest.fail.Exception):
        job(attempt=1, device="cpu")  # another run, perhaps after a repair
