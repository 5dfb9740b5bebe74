"""`sentflow evaluate`, `catalog` and `show` of what was searched."""

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import sentflow
from sentflow.cli.app import app
from sentflow.files.rows import write_rows
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.families.retrieval.summary import retrieval_rows
from sentflow.retrieval.results import write_results
from sentflow.stats.resampling import Bootstrap

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
    assert "Runs against qrels.txt" in text
    assert "good    1.000 [1.000, 1.000]   1.000 [1.000, 1.000]" in text
    assert "other   0.500 [0.500, 0.500]" in text
    assert "Means over 3 questions with a relevant document; 95% intervals for other questions" in text
    assert "Differences in RR@10" in text
    assert "good − other" in text
    assert "3/0/0" in text


def test_one_run_is_not_compared_and_json_and_csv_have_all_digits(files):
    found = json.loads(printed("evaluate", "good.run", "qrels.txt", "--json", "--level", "0.9"))
    assert found["differences"] == []
    expected = sentflow.evaluate_run("good.run", "qrels.txt", level=0.9)
    assert found["runs"]["good"]["measures"] == expected.means
    rows = list(
        csv.DictReader(printed("evaluate", "good.run", "other.run", "qrels.txt", "--csv").splitlines())
    )
    assert {(row["run"], row["measure"]): float(row["mean"]) for row in rows}["other", "RR@10"] == 0.5


def test_the_value_of_every_question_is_written(files):
    printed("evaluate", "other.run", "qrels.txt", "--measures", "RR@10", "--per-question", "values.csv")
    rows = list(csv.reader((files / "values.csv").read_text(encoding="utf-8").splitlines()))
    assert rows[:2] == [["run", "question", "measure", "value"], ["other", "q1", "RR@10", "0.5"]]
    assert len(rows) == 4


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["good.run"], "give one run or more, and the judgements last"),
        (["none.run", "qrels.txt"], "none.run cannot be read"),
        (["qrels.txt", "qrels.txt"], "do not have the six fields question Q0 document rank score tag"),
        (["good.run", "qrels.txt", "--measures", "nDGC@10"], "'nDGC@10' is no measure"),
        (["good.run", "qrels.txt", "--level", "99"], "write a share between 0 and 1"),
        (["good.run", "good.run", "qrels.txt"], "two runs are called 'good.run'"),
        (["good.run", "qrels.txt", "--relevant-grade", "3"], "no document has the grade 3"),
    ],
)
def test_mistakes_are_one_paragraph(words, said, files):
    assert said in refused("evaluate", *words)


def test_sections_of_the_catalog_are_listed():
    assert "question_sets" in printed("catalog")
    assert "legalquad" in printed("catalog", "question-sets")
    assert json.loads(printed("catalog", "retrievers", "--json"))["bm25"]["analyser"] == "long-words"
    assert "Did you mean retrievers?" in refused("catalog", "retriever")


@pytest.fixture
def results(tmp_path):
    """Score files of two retrievers on a question set."""
    documents = ["one", "two", "three"]
    for name, k in (("bm25", 3), ("other", 1)):
        run = sentflow.retrieve(["one", "two"], documents, "bm25", k=k)
        found = sentflow.evaluate_run(run, {0: [0], 1: [2]}).found
        folder = tmp_path / "results/retrieval/asked"
        folder.mkdir(parents=True, exist_ok=True)
        about = {"questions": "asked", "retriever": name, "corpus": "c", "n_documents": 3, "depth": k}
        write_results(
            folder / f"{name}.json", folder / f"{name}.parquet", found, about, Bootstrap(0.9, 50, 1)
        )
    return tmp_path / "results"


@pytest.mark.parametrize("place", [".", "retrieval", "retrieval/asked"])
def test_scores_of_retrievers_are_a_table(results, place):
    text = printed("show", results / place)
    assert "asked: asked (2 questions, 3 documents)" in text
    assert [line.split()[0] for line in text.splitlines() if "0.500 [" in line] == ["bm25", "other"]


def test_a_summary_of_retrieval_is_shown_with_its_titles(results):
    scores = [json.loads(file.read_text()) for file in sorted((results / "retrieval/asked").glob("*.json"))]
    titles = {"control": False, "position": 0, "model": "", "model_title": ""}
    settings = {
        "order": [["asked"], ["bm25", "other"]],
        "question_sets": {"asked": {"title": "What was asked", "data_version": "raw", "language": "en"}},
        "corpora": {"c": {"title": "C"}},
        "retrievers": {"bm25": {"title": "BM twenty-five", **titles}, "other": {"title": "Other", **titles}},
        "measures": ["nDCG@10"],
        "main": "nDCG@10",
    }
    rows = retrieval_rows(scores, settings)
    (results / "summary").mkdir()
    write_rows(results / "summary/retrieval.parquet", RetrievalRow, rows)
    text = printed("show", results)
    assert "asked: What was asked (2 questions, 3 documents)" in text
    assert "BM twenty-five" in text
    assert np.isclose(rows[0].value, 0.5)


def test_help_says_in_which_order_files_are_given():
    text = CliRunner().invoke(app, ["evaluate", "--help"]).stdout
    assert "RUN... QRELS" in text
