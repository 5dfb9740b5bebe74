"""What people get of a published board: the command, its files, and `sentflow.leaderboard`."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import sentflow
from sentflow.boards.scores import Options, scores_of
from sentflow.boards.standing import Standing, standing_of
from sentflow.cli.app import app
from sentflow.errors import DataError
from sentflow.report.board import figure
from sentflow.report.board.files import write
from sentflow.report.figure import canvas
from sentflow.report.figure.inspection import inspect

HOSTILE = (
    "<script>alert(1)</script>",
    r"\input{secret}",
    "=HYPERLINK(1)",
    "a|b *c* [d](http://e) $f_g$",
    "x" * 300,
)


def ask(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["leaderboard", *map(str, words)])
    return done.exit_code, done.stdout + done.stderr


def table(folder: Path, n_tasks: int, n_models: int = 4) -> Path:
    """Percentages of models m0, m1, …; m0 leads on every task by about 10, the others are alike."""
    noise = np.random.default_rng(1).normal(0, 1, (n_models, n_tasks))
    scores = 50 + noise + 10 * (np.arange(n_models) == 0)[:, None]
    names = pd.Index([f"m{at}" for at in range(n_models)], name="model")
    path = folder / "board.csv"
    pd.DataFrame(scores, names, [f"task {at}" for at in range(n_tasks)]).to_csv(path)
    return path


def standing(names: tuple[str, ...], n_tasks: int = 8) -> Standing:
    values = np.random.default_rng(2).normal(50, 5, (len(names), n_tasks)) - np.arange(len(names))[:, None]
    rows = [
        {"model": name, "task": f"task {at}", "score": value, "unit": "percent", "higher_is_better": True}
        for name, own in zip(names, values.tolist(), strict=True)
        for at, value in enumerate(own)
    ]
    return standing_of(scores_of(rows), Options(title="<b>&\\b{}"))


def test_the_command_names_who_is_first_and_what_it_holds_for(tmp_path):
    code, said = ask(table(tmp_path, 10), "--json", "--separate", "m0", "m1", "--title", "Mine")
    assert code == 0
    board = json.loads(said)
    assert (board["title"], board["units"], board["n_units"]) == ("Mine", "task", 10)
    assert [one["tied_for_first"] for one in board["models"]] == [True, False, False, False]
    assert [(one["own_low"], one["own_high"]) for one in board["models"]] == [(1, 1)] + 3 * [(2, 4)]
    assert np.shape(board["p"]) == (4, 4)
    assert 0 < board["least_separable"] < 10
    assert board["pairs"][0]["difference"] == pytest.approx(10, abs=1)


def test_the_verdict_comes_first_and_long_boards_are_cut(tmp_path):
    code, said = ask(table(tmp_path, 10), "--rows", 2)
    assert code == 0
    assert said.startswith("For new tasks")
    assert re.search(r"\bm0\b.*\n", said)
    assert "2 of 4 rows" in said


def test_too_few_tasks_are_ranked_and_not_tested(tmp_path):
    code, said = ask(table(tmp_path, 5), "--out", tmp_path / "out", "--json")
    board = json.loads(said)
    assert code == 0
    assert board["refusal"]
    assert board["models"][0]["model"] == "m0"
    assert {one["own_low"] for one in board["models"]} == {None}
    assert {file.name for file in (tmp_path / "out").iterdir()} == {
        f"board.{form}" for form in ("csv", "md", "tex", "svg", "png")
    } | {"index.html", "scores.csv"}
    assert "glossary" not in (tmp_path / "out/index.html").read_text()  # which would be empty


def test_the_written_scores_repeat_the_board(tmp_path):
    """With directions, groups and units, and tasks whose columns would count as a description."""
    groups = tmp_path / "groups.csv"
    names = ["size", "year", *(f"task {at}" for at in range(10))]
    groups.write_text("task,group\n" + "".join(f"{name},{at // 2}\n" for at, name in enumerate(names)))
    values = np.random.default_rng(0).normal(5, 1, (12, 6)) + np.arange(6)
    rows = [f"m{m},{name},{own[m]}" for name, own in zip(names, values, strict=True) for m in range(6)]
    given = tmp_path / "given.csv"
    given.write_text("\n".join(["model,task,score", *rows]))
    options = ("--groups", groups, "--unit", "percent", *(f"--lower={name}" for name in names))
    _, first = ask(given, *options, "--out", tmp_path / "out", "--json")
    _, again = ask(tmp_path / "out/scores.csv", "--json")
    assert json.loads(first) == json.loads(again)
    assert json.loads(first)["models"][0]["model"] == "m0"
    assert json.loads(first)["n_units"] == 6
    assert r"\label{tab:board}" in (tmp_path / "out/board.tex").read_text()


@pytest.mark.parametrize(
    ("text", "words"),
    [("task,source\na,b\n", "task and group"), ("task,group\na,b\na,c\n", "'a'"), (None, "groups.csv")],
)
def test_groups_that_cannot_be_read_are_refused(tmp_path, text, words):
    if text is not None:
        (tmp_path / "groups.csv").write_text(text)
    code, said = ask(table(tmp_path, 6), "--groups", tmp_path / "groups.csv")
    assert code == 2
    assert words in said


@pytest.mark.parametrize(
    "words",
    [("--separate", "m0", "nobody"), ("--metric", "a=b", "--metric", "a=c"), ("--population", "models")],
)
def test_what_no_board_has_is_refused(tmp_path, words):
    assert ask(table(tmp_path, 6), *words)[0] == 2


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    path = table(tmp_path, 6)
    before = path.read_bytes()
    assert ask(path, "--out", path)[0] == 2
    assert path.read_bytes() == before


def test_models_with_gaps_are_named_and_in_the_table(tmp_path):
    path = table(tmp_path, 8)
    with path.open("a") as stream:
        stream.write("partial,50,50,50,,50,50,50,50\n")
    code, _ = ask(path, "--out", tmp_path / "out")
    assert code == 0
    with (tmp_path / "out/board.csv").open() as stream:
        rows = {row["model"]: row for row in csv.DictReader(stream)}
    assert (rows["partial"]["place"], rows["partial"]["tasks_missing"]) == ("", "1")
    assert (rows["m0"]["place"], rows["m0"]["tasks_missing"]) == ("1", "0")
    assert "task 3" in (tmp_path / "out/index.html").read_text()


def test_names_of_others_are_texts_in_every_format(tmp_path):
    board = standing(HOSTILE)
    for _ in range(2):  # equal boards give equal bytes
        written = {file.name: file.read_bytes() for file in write(board, tmp_path, "1")}
    again = {file.name: file.read_bytes() for file in write(board, tmp_path / "again", "1")}
    assert again == written
    page, tex, md = (written[name].decode() for name in ("index.html", "board.tex", "board.md"))
    assert "<script>alert" not in page
    assert "<b>&\\b" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert r"\input" not in tex
    assert "<script>" not in md.replace(r"\<script\>", "")
    assert "](http" not in md
    with (tmp_path / "board.csv").open() as stream:
        assert {row["model"] for row in csv.DictReader(stream)} == {
            *HOSTILE[:2],
            *HOSTILE[3:],
            "'=HYPERLINK(1)",
        }
    assert not re.search(r'(src|href)="(?!#|data:)', page)


@pytest.mark.parametrize("n_models", [2, 20, 61])
def test_the_figure_can_be_read(n_models):
    names = tuple(f"organisation/an embedding model with a long name, version {at}" for at in range(n_models))
    with canvas.style():
        assert inspect(figure.draw(standing(names))).problems == []


def test_lanes_keep_brackets_apart():
    spans = [(0, 3), (2, 5), (4, 8), (6, 9)]
    placed = [*figure.lanes(spans)]
    assert [(first, last) for first, last, _ in placed] == spans
    for first, last, lane in placed:
        assert not any(
            lane == other and first <= end and start <= last and (first, last) != (start, end)
            for start, end, other in placed
        )
    assert len({lane for *_, lane in placed}) == 2


def test_notebooks_get_a_frame(tmp_path):
    board = sentflow.leaderboard(table(tmp_path, 8), without=["m3"])
    frame = board.frame()
    assert frame["model"].tolist()[0] == "m0"
    assert len(frame) == 3
    assert frame["tied_for_first"].tolist() == [True, False, False]
    assert board.plot()._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(DataError, match="no-such"):
        sentflow.leaderboard(tmp_path / "no-such.csv")
    with pytest.raises(DataError, match="--population seeds"):
        sentflow.leaderboard(table(tmp_path, 8), population="seeds")


def test_one_metric_for_each_task(tmp_path):
    rows = "".join(
        f"{model},t{at},{metric},{value}\n"
        for at in range(6)
        for model, metric, value in (("a", "acc", 0.9), ("b", "acc", 0.1), ("a", "f1", 0.1), ("b", "f1", 0.9))
    )
    path = tmp_path / "long.csv"
    path.write_text(f"model,task,metric,score\n{rows}")
    assert ask(path)[0] == 2
    _, said = ask(
        path, "--metric", "acc", *(word for at in range(6) for word in ("--metric", f"t{at}=f1")), "--json"
    )
    assert [one["model"] for one in json.loads(said)["models"]] == ["b", "a"]
