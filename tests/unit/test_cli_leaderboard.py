"""`sentflow leaderboard`: encoders of several runs in one order, or why they cannot be in one."""

import json
from pathlib import Path

import fake_summary
import pytest
from made_scores import write_scores
from small_tasks import make_task
from typer.testing import CliRunner

from sentflow.cli.app import app
from sentflow.compare.score_rows import ScoreRow
from sentflow.files.io import read_json, write_digest, write_json
from sentflow.files.rows import write_rows
from sentflow.files.sealed import write_sealed
from sentflow.texts.table import write_task


def make_run(folder: Path, means: dict[str, dict[str, float]]) -> Path:
    """Results with these scores: ``{task: {encoder: mean}}``."""
    results = folder / "results"
    write_scores(results, {task: dict.fromkeys(models, 0.8) for task, models in means.items()})
    for task, models in means.items():
        for model, mean in models.items():
            change(folder, task, model, mean=mean)
        table = results / f"data/tasks/{task}.parquet"
        write_task(table, make_task(20, name=task))
        write_digest(table)
    return folder


def change(run: Path, task: str, model: str, **values: object) -> None:
    file = run / f"results/scores/{task}/{model}.json"
    write_sealed(file, {**read_json(file), **values})


def ask(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["leaderboard", *map(str, words)])
    return done.exit_code, done.stdout + done.stderr


def boards(*words: object) -> list[dict]:
    code, said = ask(*words, "--json")
    assert code == 0, said
    return json.loads(said)


@pytest.fixture
def runs(tmp_path) -> tuple[Path, Path]:
    mine = make_run(tmp_path / "mine", {"T1": {"a": 0.5, "b": 0.7}, "T2": {"a": 0.9, "b": 0.5}})
    theirs = make_run(tmp_path / "theirs", {"T1": {"c": 0.6}, "T2": {"c": 0.6}, "T3": {"c": 1.0}})
    return mine, theirs


def test_means_and_ranks_are_over_the_tasks_that_all_encoders_have(runs):
    (board,) = boards(*runs)
    assert board["tasks"] == ["T1", "T2"]  # T3 would raise the mean of c alone
    assert [(entry["encoder"], entry["mean"], entry["mean_rank"]) for entry in board["entries"]] == [
        ("a", pytest.approx(0.7), 2.0),
        ("b", pytest.approx(0.6), 2.0),
        ("c", pytest.approx(0.6), 2.0),
    ]
    assert board["left_out"] == {"T3": ["a", "b"]}
    _, said = ask(*runs)
    assert "Left out: T3, which a, b lacks." in said and "over the 2 tasks" in said


def test_an_encoder_with_equal_scores_in_two_runs_is_one_entry(runs, tmp_path):
    mine, _ = runs
    again = make_run(tmp_path / "again", {"T1": {"a": 0.5 + 1e-9}, "T2": {"a": 0.9}})
    other = make_run(tmp_path / "other", {"T1": {"a": 0.4}, "T2": {"a": 0.9}})
    (board,) = boards(mine, again, other)
    found = [(entry["encoder"], entry["runs"]) for entry in board["entries"]]
    assert found == [("a", [str(mine), str(again)]), ("a", [str(other)]), ("b", [str(mine)])]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"protocol": "corrected"}, "protocol published and corrected"),
        ({"data_version": "official"}, "data_version sample data and official"),
        ({"repetitions": 10}, "repetitions 2 and 10"),
        ({"seed": 5}, "seed"),
    ],
)
def test_scores_that_were_measured_in_other_ways_are_refused(runs, values, said):
    change(runs[1], "T1", "c", **values)
    code, told = ask(*runs)
    assert code == 2 and "T1: " in told and "did not measure alike" in told and said in told


def test_another_table_of_the_same_task_is_refused(runs):
    table = runs[1] / "results/data/tasks/T1.parquet"
    write_task(table, make_task(24, name="T1"))
    write_digest(table)
    code, told = ask(*runs)
    assert code == 2 and "tasks/T1 is another table" in told


def test_tasks_of_other_protocols_or_data_have_a_board_of_their_own(tmp_path):
    run = make_run(tmp_path / "run", {"T1": {"a": 0.5}, "T2": {"a": 0.25}, "T3": {"a": 0.75}})
    change(run, "T2", "a", protocol="corrected")
    change(run, "T3", "a", data_version="official")
    found = {(each["protocol"], each["data_version"]): each["tasks"] for each in boards(run)}
    assert found == {
        ("corrected", "sample data"): ["T2"],
        ("published", "official"): ["T3"],
        ("published", "sample data"): ["T1"],
    }


def make_similarity(folder: Path) -> Path:
    for model, value in (("a", 0.5), ("b", 0.75)):
        content = {"pairs": "STS12", "model": model, "data_version": "sample data", "n_pairs": 9}
        write_json(
            folder / f"results/similarity/STS12/{model}.json",
            {**content, "scores": {"cosine": {"all": {"spearman": value}}}},
        )
    return folder


def make_retrieval(folder: Path, measure: str = "nDCG@10", **changes: object) -> Path:
    for retriever, value in (("bm25", 0.5), ("minilm", 0.75)):
        content = {
            "questions": "laws",
            "corpus": "laws",
            "retriever": retriever,
            "n_questions": 9,
            "depth": 100,
        }
        # an encoder alone says how much of the texts it read
        content |= {"reading": {"documents": {"cut": 3}}} if retriever == "minilm" else {"n_unanswered": 2}
        content |= {"groups": {}, **changes}
        means = {"AP@100": {"mean": 1.0 - value}, measure: {"mean": value}}
        write_json(folder / f"results/retrieval/laws/{retriever}.json", {**content, "measures": means})
    return folder


def make_tasks(folder: Path) -> Path:
    return make_run(folder, {"T1": {"a": 0.5, "b": 0.75}})


THINGS = {"scores": "tasks", "similarity": "pair sets", "retrieval": "question sets"}


@pytest.mark.parametrize(
    ("kind", "make", "best"),
    [
        ("scores", make_tasks, "b"),
        ("similarity", make_similarity, "b"),
        ("retrieval", make_retrieval, "minilm"),
    ],
)
def test_a_folder_of_one_kind_alone_has_its_board_and_the_others_are_named(tmp_path, kind, make, best):
    run = make(tmp_path / "run")
    (board,) = boards(run)
    assert (board["kind"], [entry["mean"] for entry in board["entries"]]) == (kind, [0.75, 0.5])
    assert board["entries"][0]["encoder"] == best
    _, said = ask(run)
    others = ", ".join(name for other, name in THINGS.items() if other != kind)
    assert f"No results of any run: {others}." in " ".join(said.split())


def test_folders_of_different_kinds_stand_side_by_side_and_say_what_each_lacks(tmp_path):
    makers = {"scores": make_tasks, "similarity": make_similarity, "retrieval": make_retrieval}
    runs = {kind: make(tmp_path / kind) for kind, make in makers.items()}
    found = {board["kind"]: board["lacking"] for board in boards(*runs.values())}
    assert found == {kind: [str(run) for other, run in runs.items() if other != kind] for kind in makers}
    _, said = ask(*runs.values())
    assert f"Without results on question sets: {runs['scores']}, {runs['similarity']}." in " ".join(
        said.split()
    )
    assert "No results of any run" not in said


def test_searches_of_other_depth_or_without_the_measure_are_not_put_side_by_side(tmp_path):
    one, other = make_retrieval(tmp_path / "one"), make_retrieval(tmp_path / "other", depth=10)
    code, told = ask(one, other)
    assert code == 2 and "laws: " in told and "depth 100 and 10" in told
    code, told = ask(make_retrieval(tmp_path / "third", measure="P@5"))
    assert code == 2 and "no retrieval that nDCG@10 was measured of" in told


def test_encoders_without_a_common_task_have_no_order(tmp_path):
    one = make_run(tmp_path / "one", {"T1": {"a": 0.5}})
    other = make_run(tmp_path / "other", {"T2": {"b": 0.5}})
    code, told = ask(one, other)
    assert (
        code == 2
        and "no task of published is common to all encoders of all runs (T1: not b; T2: not a)" in told
    )


def test_a_kind_without_anything_in_common_does_not_hide_the_others(tmp_path):
    one, other = (make_tasks(tmp_path / name) for name in ("one", "other"))
    make_retrieval(one)
    content = read_json(one / "results/retrieval/laws/bm25.json")
    write_json(other / "results/retrieval/bills/bm25.json", {**content, "questions": "bills"})
    scores, retrieval = boards(one, other)
    assert [entry["encoder"] for entry in scores["entries"]] == ["b", "a"]
    assert (retrieval["tasks"], retrieval["entries"]) == ([], [])
    _, said = ask(one, other)
    assert "No question set is common to all retrievers of all runs." in " ".join(said.split())
    assert "No results of any run: pair sets." in " ".join(said.split())


def test_an_undefined_score_is_last_and_no_number(runs):
    change(runs[1], "T1", "c", mean=None)
    (board,) = boards(*runs)
    assert board["entries"][-1]["encoder"] == "c" and board["entries"][-1]["mean"] is None


def test_scores_that_are_too_low_are_named(runs):
    mine, theirs = runs
    rows = [
        fake_summary.one_row(
            task=task, model=model, n_train=300 if task == "T1" else 900, is_fitted=model == "b", layout="pair",
            dimension=12_000,
        )
        for task in ("T1", "T2")
        for model in ("a", "b")
    ]  # fmt: skip
    write_rows(mine / "results/summary/scores.parquet", ScoreRow, rows)
    (board,) = boards(*runs)
    undertrained, held_back, unknown = board["notes"]
    assert undertrained == "Undertrained, so that scores on them are too low: T1."
    assert held_back.startswith("Held back by the probe: on a pair b has up to 12,000 columns")
    assert unknown.startswith(f"Not known of {theirs}: whether scores are too low")
    _, said = ask(*runs)
    assert undertrained in said
