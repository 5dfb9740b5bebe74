"""States of a training: the newest is gone on with, and nothing that was changed on disk is believed."""

import json
import shutil
import time
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from sentflow.files.storage import Storage
from sentflow.training.cache import drop_states
from sentflow.training.loop import Progress, StateFolder


def saved(folder, *steps, storage=None):
    """A state after each of these steps, with a snapshot, and copied if there is a storage."""
    states, model, optimiser = StateFolder(folder, storage), torch.nn.Linear(2, 1), None
    progress = Progress()
    for step in steps:
        optimiser = torch.optim.AdamW(model.parameters())
        torch.nn.init.constant_(model.weight, step)
        progress.step, progress.history = step, [{"step": step, "loss": float("nan")}]
        if storage:
            time.sleep(1.01 if storage.provider == "s3" else 0)  # its dates are whole seconds
            states.snapshots.mkdir(parents=True, exist_ok=True)
            (states.snapshots / f"step-{step:06d}.tar").write_text(f"after {step}")
        states.save(model, optimiser, progress, copied=True)
    return states, model, optimiser


def test_a_state_after_a_million_steps_is_newer_than_one_before(tmp_path):
    states, model, optimiser = saved(tmp_path, 999_998, 999_999, 1_000_000)
    assert {path.name for path in tmp_path.iterdir()} == {"step-999999", "step-1000000"}
    assert states.restore(model, optimiser).step == 1_000_000


def changed(file, **values):
    told = json.loads(file.read_text())
    file.write_text(json.dumps({**told, **values}))


def rewritten(text):
    return lambda folder: (folder / "state.json").write_bytes(text)


def foreign(folder):
    save_file({"weight": torch.zeros(2, 1)}, folder / "weights.safetensors")


DAMAGE = {
    "step": lambda folder: changed(folder / "state.json", step=10**9),
    "history": lambda folder: changed(folder / "state.json", history=[]),
    "scaler": lambda folder: changed(folder / "state.json", scaler={"scale": "x"}),
    "unknown": lambda folder: changed(folder / "state.json", more=1),
    "files": lambda folder: changed(folder / "state.json", files=[]),
    "foreign weights": foreign,
    "foreign weights, not listed": lambda folder: (foreign(folder), changed(folder / "state.json", files={})),
    "list": rewritten(b"[1]"),
    "no UTF-8": rewritten(b"\xff\xfe"),
    "deep": rewritten(b"[" * 200_000),
    "cut": lambda folder: (folder / "optimiser.safetensors").write_bytes(b"\x08"),
    "missing": lambda folder: (folder / "optimiser.safetensors").unlink(),
    "a folder": lambda folder: ((folder / "state.json").unlink(), (folder / "state.json").mkdir()),
    "a file": lambda folder: (shutil.rmtree(folder), folder.write_text("x")),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_told_in_a_sentence_and_the_state_before_is_taken(tmp_path, damage, caplog):
    states, model, optimiser = saved(tmp_path, 4, 8)
    DAMAGE[damage](tmp_path / "step-000008")
    assert states.restore(model, optimiser).step == 4
    assert model.weight.tolist() == [[4, 4]]
    [said] = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert "step-000008 is damaged" in said
    assert "\n" not in said


# --- copies on the storage of a run ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def s3():
    """The address of an S3 server on this machine."""
    server = pytest.importorskip(
        "moto.server", reason="moto is not installed (envs/requirements-storage.txt)"
    )
    served = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    served.start()
    yield "http://{}:{}".format(*served.get_host_and_port())
    served.stop()


@pytest.fixture(params=["fs", "s3"])
def storage(request, tmp_path, monkeypatch):
    pytest.importorskip(
        f"snakemake_storage_plugin_{request.param}", reason="see envs/requirements-storage.txt"
    )
    if request.param == "fs":
        if shutil.which("rsync") is None:
            pytest.skip("rsync is not installed")
        return Storage("fs", str(tmp_path / "remote"))
    variables = {"ENDPOINT_URL": request.getfixturevalue("s3"), "ACCESS_KEY": "test", "SECRET_KEY": "test"}
    for name, value in variables.items():
        monkeypatch.setenv(f"SNAKEMAKE_STORAGE_S3_{name}", value)
    return Storage("s3", f"s3://{tmp_path.name.replace('_', '-').lower()}/run")


def test_in_an_empty_folder_the_newest_whole_copy_is_gone_on_with(tmp_path, storage, caplog):
    saved(tmp_path / "one/key", 4, 8, 12, storage=storage)
    states, model, _ = saved(tmp_path / "two/key", storage=storage)
    optimiser = torch.optim.AdamW(model.parameters())
    assert states.restore(model, optimiser).step == 12
    assert model.weight.tolist() == [[12, 12]]
    assert sorted(path.read_text() for path in states.snapshots.iterdir()) == [
        "after 12",
        "after 4",
        "after 8",
    ]
    # The copies are written in turn, so the one of step 8 is still there
    storage.delete("key/snapshots/step-000012.tar")
    progress = StateFolder(tmp_path / "three/key", storage).restore(model, optimiser)
    assert (progress.step, progress.copies) == (8, 2)
    assert "step-000012.tar is missing" in caplog.text
    storage.put(Path(__file__), "key/state-1.tar")
    assert StateFolder(tmp_path / "four/key", storage).restore(model, optimiser) == Progress()


@pytest.mark.parametrize("steps", [[4], [4, 8], [4, 8, 12]])
def test_copies_are_deleted_with_the_states(tmp_path, storage, steps):
    record, key = tmp_path / "results/training/mine/record.json", f"mine-{'0' * 16}"
    states, *_ = saved(tmp_path / "results/cache/training" / key, *steps, storage=storage)
    names = states.copies(Progress(copies=len(steps)))
    assert len(names) == len(steps) + min(len(steps), 2)
    assert all(map(storage.has, names))
    drop_states(record, "mine", names, storage)
    assert not states.folder.exists()
    assert not any(map(storage.has, names))


def test_a_failing_storage_is_told_and_costs_no_training(tmp_path, caplog):
    states, model, optimiser = saved(tmp_path / "key", 4, 8, storage=Storage("none-such", "x://y"))
    assert "could not be stored" in caplog.text
    assert states.restore(model, optimiser).step == 8
    shutil.rmtree(states.folder)
    assert states.restore(model, optimiser) == Progress()
