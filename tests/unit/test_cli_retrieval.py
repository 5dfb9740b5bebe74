"""`sentflow evaluate`: runs against judgements; `sentflow search`: its files of answers."""

import csv
import gzip
import json

import numpy as np
import pytest
from called import printed, refused

import sentflow
from sentflow.api.arguments import ArgumentError
from sentflow.cli.search import write_answers
from sentflow.retrieval.ranking import Ranked, Run, read_run
from sentflow.texts.corpora import Corpus

RUNS = {"good": {"q1": "ab", "q2": "cd", "q3": "ac"}, "other": {"q1": "ba", "q2": "dc", "q3": "ca"}}
JUDGED = {"q1": "a", "q2": "c", "q3": "a"}


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
    assert "good    1.000 [0.273, 1.000]   1.000 [0.273, 1.000]" in text  # three ones: χ²(6) at 5 % / 2 / 3
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


def test_commas_of_parameters_separate_no_measures(files):
    text = printed("evaluate", "good.run", "qrels.txt", "--measures", "RR@10,P(rel=1,judged_only=True)@5,AP")
    assert "P(rel=1,judged_only=True)@5" in text and "AP" in text


def test_questions_that_are_documents_are_told_and_left_out(files):
    lines = ["a Q0 a 1 9 x", "a Q0 b 2 8 x", "b Q0 b 1 9 x", "b Q0 c 2 8 x", "b Q0 a 3 7 x"]
    (files / "own.run").write_text("\n".join(lines), encoding="utf-8")
    (files / "own.txt").write_text("a 0 b 1\nb 0 a 1\nb 0 b 0\n", encoding="utf-8")
    kept = printed("evaluate", "own.run", "own.txt", "--measures", "RR@10")
    assert "0.417" in kept and "2 questions" in kept and "--same-ids exclude" in kept
    left = printed("evaluate", "own.run", "own.txt", "--measures", "RR@10", "--same-ids", "exclude")
    assert "0.750" in left and "same-ids" not in left
    # a document with the name of its question may be its answer
    (files / "own.txt").write_text("a 0 a 1\nb 0 b 1\n", encoding="utf-8")
    assert "same-ids" not in printed("evaluate", "own.run", "own.txt")


def test_a_run_that_equal_scores_decide_on_shows_its_range_and_is_not_tested(files):
    # the relevant document is first of 1, 2 and 4 equal ones: RR is 1, at worst (1 + 1/2 + 1/4) / 3
    lines = [
        f"{question} Q0 {one} 1 7 x"
        for question, found in zip(JUDGED, ("a", "cx", "axyz"), strict=True)
        for one in found
    ]
    (files / "equal.run").write_text("\n".join(lines), encoding="utf-8")
    words = ("evaluate", "equal.run", "good.run", "other.run", "qrels.txt", "--measures", "RR")
    text = printed(*words)
    assert "1.000 [0.273, 1.000] ties 0.583–1.000" in text
    assert "good − other" in text and "equal − " not in text and "--ties mean" in text
    # the mean of 1, (1 + 1/2) / 2 and (1 + 1/2 + 1/3 + 1/4) / 4
    found = json.loads(printed(*words, "--ties", "mean", "--json"))
    assert found["runs"]["equal"]["measures"]["RR"]["mean"] == pytest.approx((1 + 3 / 4 + 25 / 48) / 3)
    assert len(found["differences"]) == 3
    assert "ties 0" not in printed(*words, "--ties", "mean")
    # x and z stand before c and a there
    found = json.loads(printed(*words, "--ties", "trec_eval", "--json"))
    assert found["runs"]["equal"]["measures"]["RR"]["mean"] == pytest.approx((1 + 1 / 2 + 1 / 4) / 3)
    with pytest.raises(ArgumentError, match=r"equal.*ties=\"mean\""):
        equal, good = (
            sentflow.evaluate_run(f"{name}.run", "qrels.txt", name=name) for name in ("equal", "good")
        )
        equal.compare(good, "RR@10")


def test_packed_files_are_named_without_both_endings_and_scores_that_trec_eval_takes_for_equal_told(files):
    lines = ["q1 Q0 a 1 1.0000000001 t", "q1 Q0 b 2 1 t"]
    (files / "near.run.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    (files / "qrels.gz").write_bytes(gzip.compress((files / "qrels.txt").read_bytes()))
    text = printed("evaluate", "near.run.gz", "qrels.gz", "--measures", "RR")
    assert "near: different scores of 1 question" in text
    assert "different scores" not in printed("evaluate", "near.run.gz", "qrels.gz", "--ties", "trec_eval")


def test_json_lines_need_no_judgements_and_passages_are_named_by_a_file(files):
    expected = {"q1": "a", "q2": "c", "q3": "a"}
    for name, found in (
        ("one", {"q1": ["a1"], "q2": ["c2"], "q3": ["c1", "a2", "a1"]}),
        ("two", {"q1": ["a1"], "q2": [], "q3": []}),
    ):
        objects = [
            {"question": one, "expected": [expected[one]], "retrieved": own} for one, own in found.items()
        ]
        (files / f"{name}.jsonl").write_text("\n".join(map(json.dumps, objects)), encoding="utf-8")
    (files / "map.tsv").write_text("a1\ta\na2\ta\nc1\tc\nc2\tc\n", encoding="utf-8")
    words = ("evaluate", "one.jsonl", "two.jsonl", "--measures", "RR")
    found = json.loads(printed(*words, "--passages", "map.tsv", "--json"))
    assert [found["runs"][name]["measures"]["RR"]["mean"] for name in ("one", "two")] == pytest.approx(
        [5 / 6, 1 / 3]
    )
    assert (len(found["differences"]), found["runs"]["one"]["n_further"]) == (1, 1)
    text = printed(*words, "--passages", "map.tsv")
    assert "one: 1 further passage of documents" in text and "two: 0 further" in text
    assert "further" not in printed("evaluate", "one.jsonl", "--measures", "RR")
    assert "one: none of the first 10 documents" in printed(*words)
    of_qrels = json.loads(
        printed("evaluate", "one.jsonl", "qrels.txt", "--measures", "RR", "--passages", "^.", "--json")
    )
    assert of_qrels["runs"]["one"] == found["runs"]["one"]
    (files / "other.jsonl").write_text(
        '{"question": "q1", "expected": ["b"], "retrieved": []}', encoding="utf-8"
    )
    assert "one.jsonl and other.jsonl expect other documents" in refused(
        "evaluate", "one.jsonl", "other.jsonl"
    )
    assert "passage, tab, document" in refused(*words, "--passages", "qrels.txt")


def test_mistakes_are_refused(files):
    (files / "folder").mkdir()
    (files / "folder" / "bad.txt").write_text("q1 0 a\n", encoding="utf-8")
    (files / "folder" / "other.txt").write_text("x 0 a 1\n", encoding="utf-8")
    for words, said in (
        (["good.run"], "judgements last"),
        (["qrels.txt", "qrels.txt"], "six fields"),
        (["good.run", "qrels.txt", "--measures", "nDGC@10"], "'nDGC@10'"),
        (["good.run", "qrels.txt", "--measures", "nDCG@0"], "cutoff is 0"),
        (["good.run", "qrels.txt", "--measures", ","], "names no measure"),
        (["good.run", "qrels.txt", "--passages", 300 * "("], "is no regular expression"),
        (["good.run", "qrels.txt", "--measures", "NumRel", "--relevant-grade", "2"], "'NumRel'"),
        (["good.run", "good.run", "qrels.txt"], "'good.run'"),
        (["good.run", "qrels.txt", "--relevant-grade", "3"], "qrels.txt: no document has the grade 3"),
        (["good.run", "folder/bad.txt"], "folder/bad.txt is no file of judgements"),
        (["good.run", "folder/other.txt"], "good.run and folder/other.txt share no question"),
    ):
        assert said in refused("evaluate", *words)


CORPUS = Corpus("c", "raw", "en", ["a|1", "a|2", "b|1"], ["One", "", ""], ["of one", "two", "three " * 100])
FIRST, SECOND = Ranked(np.array([2, 0, 1]), np.array([3.0, 2.0, 1.0])), Ranked(np.array([1]), np.array([0.5]))
FOUND = Run(CORPUS.ids, {"q1": FIRST, "q2": SECOND})


def written(path):
    write_answers(path, FOUND, ("q1", "q2", "q3"), retriever="bm25")
    return path


def test_a_submission_has_every_question_and_runs_are_those_of_the_pipeline_or_of_trec(tmp_path):
    found = json.loads(written(tmp_path / "submission.json").read_text(encoding="utf-8"))
    assert [one["question_id"] for one in found] == ["q1", "q2", "q3"]
    assert found[1]["relevant_articles"] == [{"law_id": "a", "article_id": "2"}]
    assert found[2]["relevant_articles"] == []
    about, run = read_run(written(tmp_path / "a.parquet"), CORPUS.ids)
    assert (about["retriever"], run.documents("q1")) == ("bm25", ["b|1", "a|1", "a|2"])
    lines = written(tmp_path / "a.run").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "q1 Q0 b|1 1 3.0 bm25"
    assert len(lines) == 4
