"""What a training leaves: its state until its outputs are taken, and the snapshot that becomes the encoder."""

import math
import shutil
import tarfile
from functools import partial
from pathlib import Path

import pytest
from tiny_bert import TEXTS, save_tiny_bert
from training_jobs import job_settings, rows_in, start_in

from sentflow.encoders.manifest import checked_folder, read_manifest
from sentflow.encoders.safety import model_files
from sentflow.errors import SentflowError
from sentflow.files.archives.pack import pack
from sentflow.files.io import read_json, read_sealed, write_sealed
from sentflow.files.rows import write_rows
from sentflow.training.jobs import choose_snapshot, train
from sentflow.training.record import HeldOutRow, Made
from sentflow.training.selection import choose as choose_step
from sentflow.training.selection import give_snapshots
from sentflow.training.settings import CUMULATIVE, LAST, SnapshotChoice

SCORES = {0: 0.9, 2: 0.8, 4: 0.7}
MADE = Made(
    resumed_at=(),
    device="cpu",
    device_name="",
    precision="float32",
    threads=1,
    seconds=1,
    tokens_per_second=1,
    memory_mb=1,
)


@pytest.fixture
def snapshots(tmp_path):
    """A snapshot per step, which the contents of a file tell apart."""
    saved = save_tiny_bert(tmp_path / "saved", layers=2)
    for step in SCORES:
        (saved / "vocab.txt").write_text(f"after {step}", encoding="utf-8")
        names = model_files(saved, allow_pickle=False)
        pack(saved, names, tmp_path / f"snapshots/step-{step:06d}.tar")
    return tmp_path / "snapshots"


def vocabulary_in(archive: Path) -> str:
    with tarfile.open(archive) as tar:
        assert {"model.safetensors", "config.json"} < set(tar.getnames())
        return tar.extractfile("vocab.txt").read().decode()


def choose(snapshots: Path, **selection: object) -> Path:
    folder = snapshots.parent
    for step, score in SCORES.items():
        write_sealed(folder / f"{step}.json", {"step": step, "measures": {"spearman": score}})
    MADE.write(folder / "made.json")
    choose_snapshot(
        snapshots=sorted(snapshots.glob("*.tar")),
        record=folder / "record.json",
        made=folder / "made.json",
        scores=[] if "pairs" in selection else [folder / f"{step}.json" for step in SCORES],
        held_out=folder / "held-out.parquet",
        settings=SnapshotChoice(**{"model": "mine", "kind": "trained", "pairs": "STSB-dev", **selection}),
        manifest=folder / "model/manifest.json",
        model_files=folder / "model/weights.tar",
        last=folder / "last.tar",
        selection=folder / "selection.json",
    )
    return folder


@pytest.mark.parametrize("in_one", [False, True])
@pytest.mark.parametrize(("rule", "step"), [("best", 2), ("last", 4)])
def test_the_chosen_and_the_last_snapshot_stay_when_the_others_are_deleted(snapshots, rule, step, in_one):
    if in_one:
        give_snapshots(snapshots, [snapshots.parent / "one/snapshots.tar"])
    folder = choose(snapshots.parent / "one" if in_one else snapshots, rule=rule)
    shutil.rmtree(snapshots)
    assert read_sealed(folder / "selection.json")["step"] == step
    manifest = read_manifest(folder / "model/manifest.json")
    unpacked = checked_folder(manifest, folder / "model/weights.tar")
    assert (unpacked / "vocab.txt").read_text(encoding="utf-8") == f"after {step}"
    assert vocabulary_in(folder / "last.tar") == "after 4"


@pytest.mark.parametrize(("measure", "step"), [("loss", 4), ("average_precision", 2)])
def test_of_held_out_rows_the_lowest_loss_or_the_highest_precision_is_chosen(snapshots, measure, step):
    measured = {"loss": (0.1, 0.5, 0.3), "average_precision": (0.9, 0.8, 0.7)}  # before training, too
    rows = [
        HeldOutRow(step=at, measure=name, value=value, n=1)
        for name, values in measured.items()
        for at, value in zip(SCORES, values, strict=True)
    ]
    write_rows(snapshots.parent / "held-out.parquet", HeldOutRow, rows)
    folder = choose(snapshots, pairs="held-out", measure=measure)
    chosen = read_sealed(folder / "selection.json")
    assert (chosen["step"], chosen["looked_at"]) == (step, [0, 2, 4])
    assert chosen["score"] == (0.3 if measure == "loss" else 0.8)


NAN = math.nan
STEPS = [0, 10, 20, 30, 40]


def _settings(**rule):
    return SnapshotChoice(model="mine", kind="trained", **rule)


def test_the_earliest_of_the_best_after_the_start_is_chosen():
    assert choose_step(_settings(), STEPS, [0.9, 0.2, 0.5, 0.5, 0.1])["step"] == 20


@pytest.mark.parametrize("start", [0.9, NAN])
def test_the_score_before_training_is_never_chosen_and_uses_up_no_patience(start):
    found = choose_step(_settings(patience=1), STEPS, [start, 0.1, NAN, 0.2, 0.3])
    assert found["step"] == 10
    assert found["looked_at"] == ([0, 10] if start == 0.9 else [0, 10, 20])


def test_a_score_that_is_no_number_is_not_the_best_and_the_last_stands_in_where_none_is_known():
    assert choose_step(_settings(), STEPS, [0.1, NAN, 0.2, NAN, NAN])["step"] == 20
    found = choose_step(_settings(), STEPS, [0.1, NAN, NAN, NAN, NAN])
    assert (found["step"], found["score"]) == (40, None)


def test_patience_is_counted_since_the_best_or_over_all_falls():
    scores = [0.1, 0.3, 0.2, 0.4, 0.3]
    assert choose_step(_settings(patience=2), STEPS, scores)["looked_at"] == STEPS
    assert choose_step(_settings(patience=1), STEPS, scores)["looked_at"] == STEPS[:3]
    falls = choose_step(_settings(patience=2, counted=CUMULATIVE, rule=LAST), [*STEPS, 50], [*scores, 0.9])
    assert (falls["looked_at"], falls["step"]) == (STEPS, 40)


def test_its_state_stays_until_the_rule_that_uses_its_weights_begins(tmp_path, monkeypatch):
    monkeypatch.setattr("sentflow.training.leave.Watch.listen", lambda _self: None)
    start, rows = start_in(tmp_path, layers=2), rows_in(tmp_path, {"text": TEXTS})
    settings = job_settings(model="tiny", pooling="cls")
    out, cache = tmp_path / "results/training/tiny", tmp_path / "results/cache/training"
    outputs = {name: out / name for name in ("made", "history", "held_out")}
    outputs |= {"record": out / "record.json", "snapshots": [out / "snapshots/step-000002.tar"]}
    for folder in (given_up := cache / f"tiny-{'0' * 16}", foreign := cache / f"tiny-2-{'0' * 16}"):
        folder.mkdir(parents=True)
    job = partial(train, start=start, rows=rows, **outputs, settings=settings, device="cpu")
    job()
    record = outputs["record"].read_bytes()
    shutil.rmtree(out)  # as Snakemake does where it was killed before it took them
    monkeypatch.setattr("sentflow.training.loop.Trainer._step", pytest.fail)
    job()
    assert outputs["record"].read_bytes() == record
    assert read_json(out / "made")["resumed_at"] == [2]

    choice = {name: out / name for name in ("manifest", "model_files", "selection", "last")}
    taken = {name: outputs[name] for name in ("snapshots", "record", "made", "held_out")}
    assert given_up.exists()
    choose_snapshot(**taken, **choice, settings=SnapshotChoice(model="tiny", kind="trained"))
    assert list(cache.iterdir()) == [foreign]
    assert (out / "last").read_bytes() == (out / "model_files").read_bytes()


def test_an_explained_failure_is_only_said_again_by_later_attempts_of_the_same_run(tmp_path, monkeypatch):
    monkeypatch.setattr("sentflow.training.leave.Watch.listen", lambda _self: None)
    start, rows = start_in(tmp_path), rows_in(tmp_path, {"text": TEXTS})
    outputs = {name: tmp_path / name for name in ("record", "made", "history", "held_out")}
    outputs["snapshots"] = [tmp_path / "snapshots.tar"]
    job = partial(train, start=start, rows=rows, **outputs, device="cpu")
    refused, mended = job_settings(training={"max_tokens": 1000}), job_settings()
    for attempt in (1, 2):
        with pytest.raises(SentflowError, match=r"training\.max_tokens: 1000 is more than"):
            job(attempt=attempt, settings=refused)
        monkeypatch.setattr("sentflow.training.job.Job.run", lambda *_: pytest.fail("it ran"))
    for attempt, settings in ((1, refused), (2, mended)):  # another run, perhaps after a repair
        with pytest.raises(pytest.fail.Exception):
            job(attempt=attempt, settings=settings)
