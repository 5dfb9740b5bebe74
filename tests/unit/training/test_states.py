"""States of a training: the newest is gone on with, and nothing that was changed on disk is believed."""

import json
import shutil

import pytest
import torch
from safetensors.torch import save_file

from sentflow.training.loop import Progress, StateFolder


def saved(folder, *steps):
    states, model, optimiser = StateFolder(folder), torch.nn.Linear(2, 1), None
    for step in steps:
        optimiser = torch.optim.AdamW(model.parameters())
        torch.nn.init.constant_(model.weight, step)
        states.save(model, optimiser, Progress(step=step, history=[{"step": step, "loss": float("nan")}]))
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
