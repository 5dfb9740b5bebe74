"""The best snapshot becomes the encoder, and the last stays beside it."""

import shutil
from pathlib import Path

import pytest
from tiny_bert import save_tiny_bert

from sentflow.encoders.manifest import read_manifest
from sentflow.files.sealed import read_sealed, write_sealed
from sentflow.training.jobs import choose_snapshot
from sentflow.training.settings import SnapshotChoice

SCORES = {0: 0.9, 2: 0.8, 4: 0.7}


@pytest.fixture
def snapshots(tmp_path):
    """A snapshot per step, which the name of a file tells apart."""
    saved = save_tiny_bert(tmp_path / "saved", layers=2)
    for step in SCORES:
        folder = shutil.copytree(saved, tmp_path / f"snapshots/step-{step:06d}")
        (folder / f"after-{step}.txt").write_text("", encoding="utf-8")
    return tmp_path / "snapshots"


def choose(snapshots: Path, **selection: object) -> Path:
    folder = snapshots.parent
    for step, score in SCORES.items():
        write_sealed(folder / f"{step}.json", {"step": step, "measures": {"spearman": score}})
    choose_snapshot(
        state=folder / "state",
        snapshots=snapshots,
        record=folder / "record.json",
        scores=[folder / f"{step}.json" for step in SCORES],
        settings=SnapshotChoice(model="mine", kind="trained", pairs="STSB-dev", **selection),
        manifest=folder / "model/manifest.json",
        last=folder / "last",
        selection=folder / "selection.json",
    )
    return folder


@pytest.mark.parametrize(("rule", "step"), [("best", 2), ("last", 4)])
def test_the_chosen_and_the_last_snapshot_stay_when_the_others_are_deleted(snapshots, rule, step):
    folder = choose(snapshots, rule=rule)
    shutil.rmtree(snapshots)
    assert read_sealed(folder / "selection.json")["step"] == step
    manifest = read_manifest(folder / "model/manifest.json")
    assert (folder / f"model/weights/after-{step}.txt").is_file()
    assert all((folder / "model/weights" / name).is_file() for name in manifest.files)
    assert (folder / "last/after-4.txt").is_file()
    assert (folder / "last/model.safetensors").is_file()
