"""Grades of judgements: how files write them, and negative ones."""

import json

import pytest

import sentflow
from sentflow.api.arguments import ArgumentError
from sentflow.errors import DataError
from sentflow.texts.checks import whole_number
from sentflow.texts.corpora import Corpus
from sentflow.texts.corpus_settings import QuestionSettings, read_of
from sentflow.texts.prepare_questions import prepare_questions


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("P(judged_only=True)@1", 0),
        ("RR(judged_only=True)", 0.5),
        ("Bpref", 0),
        ("RR", 0.5),
        ("nDCG@10", 0.6309),
    ],
)
@pytest.mark.parametrize("grade", [-2, -1, 0])
def test_a_document_of_a_negative_grade_is_judged_and_not_relevant(measure, value, grade):
    found = sentflow.evaluate_run({"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": grade, "b": 1}}, [measure])
    assert found[measure] == pytest.approx(value, abs=1e-4)


def test_the_least_relevant_grade_is_at_least_1():
    with pytest.raises(ArgumentError, match="relevant_grade is 0. Write 1 or more"):
        sentflow.evaluate_run({"q": {"a": 1}}, {"q": {"a": 0}}, relevant_grade=0)


@pytest.mark.parametrize(
    ("written", "number"),
    [("1", 1), ("2.0", 2), ("-1.0", -1), ("+3.", 3), ("0.00", 0)]
    + [(odd, None) for odd in ("1.5", "1_0", "nan", "", "high", "9" * 5000)],
)
def test_whole_numbers_are_taken_in_either_form(written, number):
    assert whole_number(written) == number


def test_trec_files_and_sources_take_grades_in_the_form_of_floats(tmp_path):
    run, qrels = tmp_path / "a.run", tmp_path / "qrels.txt"
    run.write_text("q Q0 a 1 2 x\n", encoding="utf-8")
    qrels.write_text("q 0 a 1.0\nq 0 b -1.0\n", encoding="utf-8")
    assert sentflow.evaluate_run(run, qrels, ["P@1"])["P@1"] == 1
    qrels.write_text("q 0 a 1.5\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"grades that are no whole numbers: row 1 \(1.5\)"):
        sentflow.evaluate_run(run, qrels, ["P@1"])


@pytest.mark.parametrize(("grades", "expected"), [({}, 2), ({"2": 1}, 1), ({"2.0": 3}, 3)])
def test_grades_of_a_question_set_are_named_in_either_form(tmp_path, grades, expected):
    asked, judged = tmp_path / "questions.jsonl", tmp_path / "judgements.tsv"
    asked.write_text(json.dumps({"id": "q", "text": "what?"}), encoding="utf-8")
    judged.write_text("q\td\tg\nq\ta\t2.0\n", encoding="utf-8")
    entry = {
        **{"data_version": "raw", "language": "en", "corpus": "c", "grades": grades},
        "questions": [{"format": "jsonl", "files": [asked.name], "id": "id", "text": "text"}],
        "judgements": [
            {"format": "tsv", "files": [judged.name], "question": "q", "document": "d", "grade": "g"}
        ],
    }
    corpus = Corpus("c", "raw", "en", ["a"], [""], ["x"])
    found = prepare_questions("q", [asked, judged], read_of(QuestionSettings, entry), corpus)
    assert found.by_question() == {"q": {"a": expected}}
