"""`sentflow resources --configfile`: what trainings would take, before any of them runs."""

from pathlib import Path

import yaml
from pytest import mark
from typer.testing import CliRunner

from sentflow.cli.app import app
from sentflow.cli.collected_rows import collected_rows
from sentflow.cli.training_estimate import TOKENS_PER_SECOND, WEIGHTS_MB
from sentflow.graph.config.experiment import load_experiment

REPOSITORY = Path(__file__).parents[3]

TRAINED = {
    "kind": "trained", "recipe": "simcse", "start": "minilm-l6", "data": "wiki-10k",
    "training": {"steps": 100, "batch_size": 32, "max_tokens": 50, "learning_rate": 1e-5, "snapshots": 25},
    "selection": {"pairs": "STSB-dev"},
}  # fmt: skip
ONE_EPOCH = {"epochs": 1, "batch_size": 64, "max_tokens": 50, "learning_rate": 1e-5}


def run(folder, models, *words, **more):
    file = folder / "mine.yaml"
    select = {
        "models": list(models),
        "tasks": [],
        "pair_sets": ["STSB-test"],
        "sweeps": [],
        "retrievers": ["bm25"],
    }
    file.write_text(yaml.safe_dump({"models": models, "select": select, **more}), encoding="utf-8")
    return CliRunner().invoke(app, ["resources", "--configfile", str(file), *map(str, words)])


def printed(*given, **more) -> str:
    result = run(*given, **more)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def line(text: str, *names: str) -> list[str]:
    (found,) = (one.split() for one in text.splitlines() if one.split()[: len(names)] == list(names))
    return found[len(names) :]


def test_hours_are_those_of_all_seeds_at_the_stated_speed(tmp_path):
    text = printed(tmp_path, {"mine": {**TRAINED, "seeds": [1, 2, 3]}}, "--tokens-per-second", 20)
    # 3 trainings × 100 steps × 32 texts × 2 views × 50 tokens = 960,000 tokens: 13.3 hours; steps 0, 25, … 100
    assert line(text, "simcse", "minilm-l6") == ["3", "300", "1.0", "13.3", "15"]
    assert "at 20 tokens/s (as you state)" in text and "estimate" in text


def test_disk_is_that_of_trainings_at_work_and_of_the_best_and_last_snapshots_of_others(tmp_path):
    models = {"mine": {**TRAINED, "seeds": [1, 2, 3]}}
    one = printed(tmp_path, models, "--weights-mb", 1000)
    assert "Disk for snapshots at peak: 9 GB, 9 of 1,000 MB" in one  # 5 + 2 × 2
    assert "All of them together would be 15 GB" in one
    assert "at peak: 12 GB, 12 of" in printed(tmp_path, models, "--weights-mb", 1000, "--at-a-time", 2)
    kept = printed(tmp_path, models, "--weights-mb", 1000, training={"keep_snapshots": True})
    assert "at peak: 15 GB, 15 of" in kept and "all of them stay" in kept


def test_epochs_count_where_the_rows_are_stated_and_are_named_where_not(tmp_path):
    (tmp_path / "my.txt").write_text("one\n", encoding="utf-8")
    known = {key: value for key, value in TRAINED.items() if key != "selection"} | {"training": ONE_EPOCH}
    models = {"known": {**known, "seed": 1}, "unknown": {**known, "seed": 1, "data": "my"}}
    text = printed(tmp_path, models, training_data={"my": {"file": str(tmp_path / "my.txt")}})
    assert line(text, "simcse", "minilm-l6")[:2] == ["1", "157"]  # 10,000 rows in batches of 64
    assert "Not in the sums, because nothing states how many rows an epoch has: unknown." in text


QUESTIONS = {"form": "labelled", "questions": ["zalo-2021-train"]}  # 3,196 questions, 3,298 judgements
NEGATIVES = {"retriever": "bm25", "ranks": [1, 20]}


@mark.parametrize(
    ("data", "n_rows"),
    [
        ({"form": "texts", "collections": {"corpora": ["zalo-2021"]}}, 61_425),
        (
            {
                "form": "texts",
                "collections": {"corpora": ["zalo-2021"], "question_sets": ["zalo-2021-train"]},
            },
            64_621,
        ),
        ({"form": "spans", "collections": {"corpora": ["zalo-2021"]}}, 61_425),
        ({"form": "pairs", "questions": ["zalo-2021-train"]}, 3298),
        ({**QUESTIONS, "negatives": {**NEGATIVES, "number": "all"}}, 3298 + 20 * 3196),
        ({**QUESTIONS, "negatives": {**NEGATIVES, "number": 2}}, 3298 + 2 * 3196),
        ({**QUESTIONS, "form": "triplets", "negatives": {**NEGATIVES, "number": 5}}, 5 * 3298),
        ({"form": "texts", "collections": {"question_sets": ["juristcu-clicks"]}}, 3054),
        ({"form": "texts", "dataset": "mine"}, None),
    ],
)
def test_rows_of_corpora_and_questions_are_counted_before_they_are_read(data, n_rows):
    config = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
    assert collected_rows(data, load_experiment(config, REPOSITORY / "workflow").entries) == n_rows


@mark.parametrize(
    ("recipe", "data", "views"),
    [
        ("mlm", {"form": "texts", "collections": {"corpora": ["zalo-subset"]}}, 1),
        ("cocondenser", {"form": "spans", "collections": {"corpora": ["zalo-subset"]}}, 2),
        ("bi-encoder", {**QUESTIONS, "questions": ["zalo-subset-train"], "negatives": NEGATIVES}, 2),
    ],
)
def test_a_language_model_reads_a_text_once_and_others_two_texts_of_a_row(recipe, data, views, tmp_path):
    data = {"title": "Mine", "language": "vi", "data_version": "raw", **data}
    steps = {"steps": 1000, "batch_size": 10, "max_tokens": 100, "learning_rate": 1e-5}
    entry = {
        "kind": "trained",
        "recipe": recipe,
        "start": "minilm-l6",
        "data": "mine",
        "seed": 1,
        "training": steps,
    }
    settings = {"settings": {"loss": "contrastive"}} if recipe == "bi-encoder" else {}
    text = printed(tmp_path, {"mine": {**entry, **settings}}, training_data={"mine": data})
    assert line(text, recipe, "minilm-l6")[:3] == ["1", "1,000", f"{views}.0"]  # 1,000 × 10 × 100 tokens


def test_larger_weights_than_those_of_bert_base_take_longer_and_more_memory(tmp_path):
    models = {"mine": {**TRAINED, "seed": 1}}
    text = printed(tmp_path, models, "--device", "gpu", "--weights-mb", 4 * WEIGHTS_MB)
    assert "at 7,500 tokens/s" in text and "here for 1,760 MB of weights" in text  # 30,000 / 4
    assert "Memory of the device: 7.0 GB" in text  # 4 × 1,760 MB
    stated = printed(tmp_path, models, "--weights-mb", 4 * WEIGHTS_MB, "--tokens-per-second", 20)
    assert "at 20 tokens/s (as you state)" in stated


@mark.parametrize("device", TOKENS_PER_SECOND)
def test_what_is_assumed_of_a_device_is_said(tmp_path, device):
    text = printed(tmp_path, {"mine": {**TRAINED, "seed": 1}}, "--device", device)
    speed, source = TOKENS_PER_SECOND[device]
    assert f"{device.upper()} hours" in text
    assert f"at {speed:,.0f} tokens/s ({source})" in text


@mark.parametrize(
    ("words", "said"),
    [
        (["--device", "tpu"], "--device tpu: write cpu or gpu."),
        (["--tokens-per-second", "0"], "--tokens-per-second 0: write a number above 0."),
        (["--weights-mb", "nan", "--at-a-time", "-1"], "--weights-mb nan, --at-a-time -1: write"),
    ],
)
def test_impossible_numbers_and_devices_are_refused(tmp_path, words, said):
    result = run(tmp_path, {"mine": {**TRAINED, "seed": 1}}, *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_an_experiment_without_trainings_has_nothing_to_estimate(tmp_path):
    result = run(tmp_path, {"random": {"kind": "random"}})
    assert result.exit_code == 2 and "selects no trained encoder" in result.stderr


def test_a_snapshot_weighs_as_much_as_bert_base_where_nothing_else_is_said(tmp_path):
    assert f"of {WEIGHTS_MB:,.0f} MB (--weights-mb; {WEIGHTS_MB:g} is BERT-base)" in printed(
        tmp_path, {"mine": {**TRAINED, "seed": 1}}
    )
