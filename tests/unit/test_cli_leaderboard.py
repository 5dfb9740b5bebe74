"""`sentflow leaderboard`: encoders of several runs in one order, or why they cannot be in one."""

import json
from pathlib import Path

import fake_comparisons
import pytest
from made_scores import write_scores
from small_tasks import make_task
from typer.testing import CliRunner

import sentflow
from sentflow.cli.app import app
from sentflow.compare.score_rows import ScoreRow
from sentflow.files.io import read_json, write_digest, write_json, write_sealed
from sentflow.files.rows import write_rows
from sentflow.report import claims
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
    assert "Left out: T3, which a, b lacks." in ask(*runs)[1]


def test_an_encoder_with_equal_scores_in_two_runs_is_one_entry(runs, tmp_path):
    mine, _ = runs
    again = make_run(tmp_path / "again", {"T1": {"a": 0.5 + 1e-9}, "T2": {"a": 0.9}})
    other = make_run(tmp_path / "other", {"T1": {"a": 0.4}, "T2": {"a": 0.9}})
    (board,) = boards(mine, again, other)
    found = [(entry["encoder"], entry["runs"]) for entry in board["entries"]]
    assert found == [("a", [str(mine), str(again)]), ("a", [str(other)]), ("b", [str(mine)])]


def test_scores_that_were_measured_in_other_ways_are_refused(runs):
    table = runs[1] / "results/data/tasks/T1.parquet"
    write_task(table, make_task(24, name="T1"))
    write_digest(table)
    code, told = ask(*runs)
    assert code == 2 and "tasks/T1 is another table" in told
    change(runs[1], "T1", "c", protocol="corrected", repetitions=10)
    code, told = ask(*runs)
    assert code == 2 and "protocol published and corrected" in told and "repetitions 2 and 10" in told


def test_pair_sets_and_question_sets_have_boards_of_their_own(tmp_path):
    results = tmp_path / "results"
    for model, value in (("a", 0.5), ("b", 0.75)):
        scores = {"scores": {"cosine": {"all": {"spearman": value}}}, "data_version": "sample data"}
        content = {"pairs": "STS12", "model": model, "n_pairs": 9, **scores}
        write_json(results / f"similarity/STS12/{model}.json", content)
    for retriever, value in (("bm25", 0.5), ("minilm", 0.75)):
        about = {"questions": "laws", "corpus": "laws", "n_questions": 9, "depth": 100, "groups": {}}
        # an encoder alone says how much of the texts it read
        about |= {"reading": {"documents": {"cut": 3}}} if retriever == "minilm" else {"n_unanswered": 2}
        measures = {"AP@100": {"mean": 1.0 - value}, "nDCG@10": {"mean": value}}
        content = {**about, "retriever": retriever, "measures": measures}
        write_json(results / f"retrieval/laws/{retriever}.json", content)
    found = {
        board["kind"]: [(entry["encoder"], entry["mean"]) for entry in board["entries"]]
        for board in boards(tmp_path)
    }
    assert found == {"similarity": [("b", 0.75), ("a", 0.5)], "retrieval": [("minilm", 0.75), ("bm25", 0.5)]}
    assert "No results of any run: tasks." in " ".join(ask(tmp_path)[1].split())


def compared(folder: Path, models: dict[str, float]) -> Path:
    """A finished run over ten tasks, of encoders that answer right with these probabilities."""
    results = folder / "results"
    rows = write_scores(results, {f"T{task}": models for task in range(10)})
    write_rows(results / "summary/scores.parquet", ScoreRow, rows)
    fake_comparisons.write_comparisons(results / "comparisons", rows)
    return folder


def test_page_command_and_api_give_one_verdict_and_runs_together_that_of_one_experiment(tmp_path):
    skills = {"good": 0.9, "better": 0.92, "poor": 0.6}
    whole = compared(tmp_path / "whole", skills)
    ((ranking, _),) = claims.rankings(whole / "results")  # from which the page is drawn
    (board,) = boards(whole)
    (fact,) = claims.facts(whole / "results")
    assert board["verdict"] == fact and "not significant" in fact and "A typical pair needs" in fact
    shown = CliRunner().invoke(app, ["show", str(whole)]).stdout
    assert fact in " ".join(shown.split()) and fact in repr(sentflow.read_results(whole / "results"))
    places = [list(ranking.place(system)) for system in ranking.systems]
    assert [entry["places"] for entry in board["entries"]] == places == [[1, 2], [1, 2], [3, 3]]
    parts = [compared(tmp_path / name, {name: skill}) for name, skill in skills.items()]
    (joint,) = boards(*parts)
    assert [entry["places"] for entry in joint["entries"]] == places
    assert joint["verdict"] == board["verdict"].replace("Title of ", "")
    standing = sentflow.leaderboard(parts)
    assert [[place.own_low, place.own_high] for place in standing.places] == places and standing.n_units == 10
    for part in parts:
        (part / "results/comparisons/omnibus.json").unlink()
    (unknown,) = boards(*parts)
    assert "No test was made" in unknown["verdict"] and unknown["entries"][0]["places"] is None


def test_an_undefined_score_is_last_and_no_number(runs):
    change(runs[1], "T1", "c", mean=None)
    (board,) = boards(*runs)
    assert board["entries"][-1]["encoder"] == "c" and board["entries"][-1]["mean"] is None


def test_results_folders_can_be_written_like_any_board(runs, tmp_path):
    code, said = ask(*runs, "--out", tmp_path / "board")
    assert code == 0, said
    assert said.startswith("2 tasks")
    lines = (tmp_path / "board/scores.csv").read_text().splitlines()
    assert sorted(line.split(",")[:2] for line in lines[1:]) == [[m, t] for m in "abc" for t in ("T1", "T2")]
