"""`sentflow compare`: two runs are equal, equal within a tolerance, or different for a first cause."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from made_scores import write_scores, write_table
from typer.testing import CliRunner

from sentflow.cli.app import app
from sentflow.files.io import read_json, write_digest, write_json, write_sealed, write_text

CONFIG = "experiment: {{title: {title}}}\nprobe: {{seed: {seed}}}\n"
VERSIONS = {
    **{"git": {"commit": "a" * 40, "dirty": False}, "libraries": {"numpy": "2.4.6", "torch": "2.13.0"}},
    **{"platform": "Linux x86_64", "processor": "A Processor AVX2", "python": "3.11.7"},
}
TASKS, MODELS = ("T1", "T2"), ("near", "far")
VECTORS = {"shape": [4, 2], "files_sha256": "f" * 64, "text_order_sha256": "e" * 64}


def write_vectors(results: Path, model: str, values: np.ndarray) -> None:
    file = results / f"embeddings/{model}/texts.npy"
    file.parent.mkdir(parents=True, exist_ok=True)
    np.save(file, values)
    digest = f"{abs(hash(values.tobytes())):064x}"
    write_json(
        file.with_suffix(".json"), {**VECTORS, "sha256": digest, "encode_settings": {"pooling": "mean"}}
    )
    write_json(file.with_suffix(".made.json"), {"seconds": 1.0, "versions": {"torch": "2.13.0"}})


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    results = tmp_path_factory.mktemp("run") / "results"
    write_scores(results, {task: dict.fromkeys(MODELS, 0.8) for task in TASKS})
    for task in TASKS:
        table = results / f"data/tasks/{task}.parquet"
        table.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(results / f"tasks/{task}.parquet", table)
        write_digest(table)
    write_json(results / "data/of-somebody.json", {"n": 1})  # no table
    for model in MODELS:
        write_vectors(results, model, np.ones((4, 2), dtype=np.float32))
    write_text(results / "record/config.yaml", CONFIG.format(title="A", seed=1))
    write_json(results / "record/versions.json", VERSIONS)
    return results


@pytest.fixture
def runs(made, tmp_path) -> tuple[Path, Path]:
    """Two folders with equal results."""
    return tuple(shutil.copytree(made, tmp_path / name / "results").parent for name in ("a", "b"))


def compared(runs, *options: str, code: int) -> str:
    done = CliRunner().invoke(app, ["compare", *map(str, runs), *options])
    assert (done.exit_code, done.stderr) == (code, "")
    return done.stdout


def move_score(run: Path, task: str, model: str, by: float) -> None:
    file = run / f"results/scores/{task}/{model}.json"
    content = read_json(file)
    write_sealed(file, {**content, "mean": content["mean"] + by})


def verdict(said: str) -> str:
    return said.strip().splitlines()[-1]


def test_runs_are_equal_to_the_last_bit_or_within_the_tolerance(runs):
    write_text(runs[1] / "results/record/config.yaml", CONFIG.format(title="B", seed=1))
    said = compared(runs, code=0)  # the title has no effect
    assert "experiment.title" in said and verdict(said) == "Equal to the last bit: 4 results."
    move_score(runs[1], "T1", "near", 1e-8)
    assert verdict(compared(runs, code=0)).startswith("Equal within 1e-06: 4 results. First cause: unknown.")
    assert "Different: 1 of 4 results" in compared(runs, "--tolerance", "1e-9", code=1)


def test_the_score_its_difference_and_the_folds_that_differ_are_named(runs):
    move_score(runs[1], "T1", "near", -0.25)
    folds = [(repetition, fold) for repetition in (1, 2) for fold in range(1, 6)]
    for run, first in zip(runs, (0.5, 0.125), strict=True):
        write_table(run / "results/scores/T1/near.parquet", folds, [first, *[0.75] * 9])
    (found,) = json.loads(compared(runs, "--json", code=1))["differences"]
    assert found["result"] == "scores/T1/near" and found["values"].keys() == {"mean"}
    assert found["score"][1] - found["score"][0] == pytest.approx(-0.25)
    assert found["folds"] == [{"repetition": 1, "fold": 1, "score": [0.5, 0.125]}]
    said = compared(runs, code=1)
    assert "0.25" in said and "1 of 10, by 0.38 at most" in said


def test_the_first_cause_is_the_first_of_the_chain(runs):
    """Each change stands before those that were made earlier."""
    _, b = runs
    move_score(b, "T1", "near", 0.1)
    versions = dict(VERSIONS)
    for key, value, stage in (
        ("processor", "Another AVX-512", "processor"),
        ("libraries", {"numpy": "2.4.6", "torch": "2.14.0"}, "library"),
        ("git", {"commit": "b" * 40, "dirty": False}, "code"),
    ):
        versions[key] = value
        write_json(b / "results/record/versions.json", versions)
        assert f"First cause: {stage}. " in verdict(compared(runs, code=1))
    write_vectors(b / "results", "near", np.full((4, 2), 1.25, dtype=np.float32))
    assert "First cause: vectors. near/texts: from the same texts" in verdict(compared(runs, code=1))
    assert "values differ by 0.2 at most" in compared(runs, code=1)
    write_text(b / "results/record/config.yaml", CONFIG.format(title="B", seed=2))
    assert "First cause: settings. probe.seed 1 → 2" in verdict(compared(runs, code=1))
    table = b / "results/data/tasks/T1.parquet"
    table.write_bytes(table.read_bytes() + b"another")
    write_digest(table)
    assert "First cause: data. tasks/T1: another table" in verdict(compared(runs, code=1))


def test_results_of_one_run_alone_are_a_difference_unless_common_ones_are_asked_for(runs):
    (runs[1] / "results/scores/T2/far.json").unlink()
    assert "Only in A: scores/T2/far." in compared(runs, code=1)
    assert verdict(compared(runs, "--common", code=0)) == "Equal to the last bit: 3 results."


def test_what_cannot_be_compared_is_refused(runs, tmp_path):
    (tmp_path / "empty").mkdir()
    write_sealed(tmp_path / "other/results/scores/T9/x.json", {"mean": 0.5})
    for other, said in (("empty", "no results"), ("other", "no result in common")):
        done = CliRunner().invoke(app, ["compare", str(runs[0]), str(tmp_path / other)])
        assert (done.exit_code, done.stdout) == (2, "") and said in done.stderr
