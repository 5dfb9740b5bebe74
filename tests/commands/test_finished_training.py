"""A training whose outputs Snakemake has not taken yet is not lost."""

import json
import shutil
from dataclasses import asdict

import pytest
from tiny_bert import TEXTS, save_tiny_bert

from sentflow.commands import choose_snapshot, train
from sentflow.encoders.manifest import Manifest, write_manifest
from sentflow.files.io import file_sha256, read_json
from sentflow.training.data.table import TrainingData, write_training_data
from sentflow.training.recipes.table import RECIPES
from sentflow.training.settings import TrainingSettings


def options(**values: object) -> list[str]:
    return [word for name, value in values.items() for word in (f"--{name.replace('_', '-')}", str(value))]


def test_its_state_stays_until_the_rule_that_uses_its_weights_begins(tmp_path, monkeypatch):
    monkeypatch.setattr("sentflow.training.job.Leave.listen", lambda _self: None)
    weights = save_tiny_bert(tmp_path / "weights", layers=2)
    files = {file.name: file_sha256(file) for file in weights.iterdir()}
    source = {"folder": str(weights), "sha256": files}
    write_manifest(tmp_path / "manifest.json", Manifest("transformers", 8, source, files=files))
    write_training_data(tmp_path / "rows.parquet", TrainingData("own", "texts", {"text": TEXTS}), {})
    training = TrainingSettings(learning_rate=1e-3, steps=2, batch_size=2, max_tokens=12)
    settings = {
        **{
            "model": "tiny",
            "recipe": "simcse",
            "module": RECIPES["simcse"].module,
            "seed": 1,
            "pooling": "cls",
        },
        **{"settings": RECIPES["simcse"].settings, "training": asdict(training), "start": {"name": "start"}},
        "least_rows": 2,
        "data": {"name": "own", "form": "texts"},
    }
    out, state = tmp_path / "out", tmp_path / "state"
    outputs = {name: out / name for name in ("record", "made", "history", "held_out", "snapshots")}
    inputs = {"start": tmp_path / "manifest.json", "data": tmp_path / "rows.parquet", "state": state}
    words = options(**inputs, **outputs, settings=json.dumps(settings), device='"cpu"')
    train.main(words)
    record = (out / "record").read_bytes()
    shutil.rmtree(out)  # as Snakemake does where it was killed before it took them
    monkeypatch.setattr("sentflow.training.loop._step", pytest.fail)
    train.main(words)
    assert (out / "record").read_bytes() == record
    assert read_json(out / "made")["resumed_at"] == [2]

    choice = {name: out / name for name in ("manifest", "selection", "last")}
    taken = {"snapshots": outputs["snapshots"], "record": outputs["record"], "state": state}
    choose_snapshot.main(options(**taken, **choice, settings=json.dumps({"model": "tiny"})))
    assert not state.exists()
    assert (out / "last/model.safetensors").is_file()
