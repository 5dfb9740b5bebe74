"""`sentflow evaluate`: runs against judgements."""

import csv
import json

import pytest
from typer.testing import CliRunner

import sentflow
from sentflow.cli.app import app

RUNS = {
    "good": {"q1": "ab", "q2": "cd", "q3": "ac"},
    "other": {"q1": "ba", "q2": "dc", "q3": "ca"},
}
JUDGED = {"q1": "a", "q2": "c", "q3": "a"}


def printed(*words):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def refused(*words):
    result = CliRunner().invoke(app, list(words))
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, found in RUNS.items():
        lines = [
            f"{question} Q0 {document} {rank} {1 / rank} {name}\n"
            for question, documents in found.items()
            for rank, document in enumerate(documents, 1)
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "qrels.txt").write_text(
        "".join(f"{question} 0 {document} 1\n" for question, document in JUDGED.items()), encoding="utf-8"
    )
    return tmp_path


def test_runs_are_held_against_judgements_and_tested_against_each_other(files):
    text = printed("evaluate", "good.run", "other.run", "qrels.txt", "--measures", "RR@10,P@1")
    assert "good    1.000 [0.439, 1.000]   1.000 [0.439, 1.000]" in text  # Wilson: 3 / (3 + 1.96²)
    assert "other   0.500 —" in text
    assert "good − other" in text and "3/0/0" in text


def test_one_run_is_not_compared_and_json_and_csv_have_all_digits(files):
    found = json.loads(printed("evaluate", "good.run", "qrels.txt", "--json", "--level", "0.9"))
    assert found["differences"] == []
    expected = sentflow.evaluate_run("good.run", "qrels.txt", level=0.9)
    assert found["runs"]["good"]["measures"] == expected.means
    rows = list(
        csv.DictReader(printed("evaluate", "good.run", "other.run", "qrels.txt", "--csv").splitlines())
    )
    assert {(row["run"], row["measure"]): float(row["mean"]) for row in rows}["other", "RR@10"] == 0.5


def test_mistakes_are_refused(files):
    for words, said in (
        (["good.run"], "judgements last"),
        (["qrels.txt", "qrels.txt"], "six fields"),
        (["good.run", "qrels.txt", "--measures", "nDGC@10"], "'nDGC@10'"),
        (["good.run", "good.run", "qrels.txt"], "'good.run'"),
        (["good.run", "qrels.txt", "--relevant-grade", "3"], "grade 3"),
    ):
        assert said in refused("evaluate", *words)
