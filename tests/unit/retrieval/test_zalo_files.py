"""Files of the Zalo challenge, and grades of judgements in every form."""

import json

import numpy as np
import pytest

import sentflow
from sentflow.api.arguments import ArgumentError
from sentflow.config.collections import QuestionSettings
from sentflow.errors import DataError
from sentflow.exports.submission import article_list, article_texts, repaired_law, submission, text_lines
from sentflow.texts.checks import whole_number
from sentflow.texts.corpora import Corpus, Questions
from sentflow.texts.prepare_collections import prepare_questions

LAWS = Corpus(
    "laws", "raw", "vi",
    ["45/2019/qh14|9", "45/2019/qh14|10", "1_2|3", "1|2_3"],
    ["Điều 9. Quyền", "", "Điều 3", "Điều 2"],
    ["1. Một\n2. Hai\u2028ba", "Không tên", "trước", "sau"],
)  # fmt: skip


def test_a_line_is_an_article_and_then_a_question():
    none = np.zeros(0, dtype=np.int64)
    asked = Questions("q", "laws", "raw", "vi", 1, ["1", "2"], ["Hỏi\ngì?", "Ai?"], ["", ""], none, [], none)
    lines = [*text_lines(LAWS, [asked])]
    assert lines[:2] == ["Điều 9. Quyền. 1. Một 2. Hai ba", "Không tên"]
    assert lines[4:] == ["Hỏi gì?", "Ai?"]


def test_articles_are_listed_in_order_and_the_first_of_two_with_one_key_stays():
    found = article_texts(LAWS)
    assert found["45/2019/qh14_9"] == {"title": "Điều 9. Quyền", "text": "1. Một\n2. Hai\u2028ba"}
    assert (found["1_2_3"]["text"], len(found)) == ("trước", 3)
    listed = article_list(LAWS)
    assert [one[:2] for one in listed[1:]] == [("45/2019/qh14", "10"), ("1_2", "3"), ("1", "2_3")]
    assert listed[0] == ("45/2019/qh14", "9", "Điều 9. Quyền 1. Một\n2. Hai\u2028ba")
    with pytest.raises(DataError, match="document 'd1' is no article of a law"):
        article_list(Corpus("c", "raw", "vi", ["d1"], [""], ["x"]))


def test_numbers_of_laws_are_repaired_as_published():
    for written, right in (
        ("100/2019/nd-cp", "100/2019/nđ-cp"),
        ("100/2019/nđ-", "100/2019/nđ-cp"),
        ("100/2019/nð-cp", "100/2019/nđ-cp"),
        ("100/2019/nđ-cp", "100/2019/nđ-cp"),
        ("09/2014/ttlt-btp-tandtc-vksndtc", "09/2014/ttlt-btp-tandtc-vksndtc-btc"),
        ("10/2014/ttlt-btp-tandtc-vksndtc", "10/2014/ttlt-btp-tandtc-vksndtc"),
        ("45/2019/qh14", "45/2019/qh14"),
    ):
        assert repaired_law(written) == right


def test_a_submission_has_every_question_and_no_article_twice():
    found = submission(["q1", "q2"], {"q1": ["1/nd-cp|2", "1/nđ-cp|2", "45/2019/qh14|9"]})
    articles = [{"law_id": "1/nđ-cp", "article_id": "2"}, {"law_id": "45/2019/qh14", "article_id": "9"}]
    assert found == [
        {"question_id": "q1", "relevant_articles": articles},
        {"question_id": "q2", "relevant_articles": []},
    ]
    with pytest.raises(DataError, match="document 'd1' is no article of a law"):
        submission(["q1"], {"q1": ["d1"]})


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
    found = prepare_questions("q", [asked, judged], QuestionSettings.from_parts(entry), corpus)
    assert found.by_question() == {"q": {"a": expected}}
