"""Runs and what they are worth: files, measures, ties, duplicates, questions that do not count."""

import json

import numpy as np
import pytest

from sentflow.errors import ConfigError, DataError
from sentflow.retrieval.evaluation import evaluate
from sentflow.retrieval.measures import check_measures, per_question
from sentflow.retrieval.ranking import Ranked, Run
from sentflow.retrieval.results import read_values, write_results
from sentflow.retrieval.runs import read_run, write_run
from sentflow.retrieval.trec import read_trec_run
from sentflow.stats.resampling import Bootstrap
from sentflow.texts.corpora import Corpus, Questions

IDS = ["a", "b", "c", "d"]
CORPUS = Corpus("c", "raw", "en", IDS, [""] * 4, ["x", "y", "z", " Y "])
MEASURES = ["nDCG@10", "R@1", "RR@10", "P@2"]


def questions(judged, *, least=1, groups=None):
    names = list(judged)
    pairs = [
        (row, document, grade) for row, name in enumerate(names) for document, grade in judged[name].items()
    ]
    return Questions(
        "q", "c", "raw", "en", least, names, [f"{name}?" for name in names], groups or [""] * len(names),
        np.array([row for row, _, _ in pairs], dtype=np.int64),
        [document for _, document, _ in pairs],
        np.array([grade for _, _, grade in pairs], dtype=np.int64),
    )  # fmt: skip


def run_of(**found):
    return Run(
        IDS,
        {
            name: Ranked(
                np.array([IDS.index(document) for document in scores]), np.array([*scores.values()], float)
            )
            for name, scores in found.items()
        },
    )


def test_measures_by_hand():
    found = per_question({"q": ["a", "b", "c"]}, {"q": {"b": 1, "c": 1}}, MEASURES)
    gain = 1 / np.log2(3) + 1 / np.log2(4)
    ideal = 1 + 1 / np.log2(3)
    assert {name: float(values[0]) for name, values in found.items()} == pytest.approx(
        {"nDCG@10": gain / ideal, "R@1": 0, "RR@10": 0.5, "P@2": 0.5}
    )


def test_measures_of_the_first_documents_are_those_of_ir_measures_on_all():
    import ir_measures

    names = [
        "nDCG@2",
        "nDCG",
        "RR@3",
        "AP@4",
        "P(judged_only=True)@2",
        "R@5",
        "Judged@3",
        "SetP",
        "Success@1",
    ]
    grades = {"q": {"a": 0, "d": 2, "f": 1, "h": 1}, "r": {"c": 1, "b": 0}}
    ranking = {"q": list("bacdgefh"), "r": list("cab")}
    run = {name: {document: -rank for rank, document in enumerate(own)} for name, own in ranking.items()}
    found = per_question(ranking, grades, names)
    for name in names:
        measure = ir_measures.parse_measure(name)
        expected = {value.query_id: value.value for value in ir_measures.iter_calc([measure], grades, run)}
        assert found[name].tolist() == [expected["q"], expected["r"]], name


def test_questions_without_an_answer_count_as_zero_and_those_without_gold_do_not_count():
    asked = questions({"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"b": 0}})
    found = evaluate(run_of(q1={"a": 2.0}, q3={"b": 1.0}), asked, CORPUS, MEASURES)
    assert found.questions == ["q1", "q2"]
    assert found.values["nDCG@10"].tolist() == [1, 0]
    assert (found.n_left_out, found.n_unanswered) == (1, 1)


def test_the_grade_from_which_a_document_is_relevant():
    asked = questions({"q1": {"a": 1, "b": 2}}, least=2)
    found = evaluate(run_of(q1={"a": 2.0, "b": 1.0}), asked, CORPUS, MEASURES)
    assert found.values["RR@10"][0] == 0.5
    assert found.values["nDCG@10"][0] == pytest.approx((1 + 2 / np.log2(3)) / (2 + 1 / np.log2(3)))


def test_ties_have_bounds():
    asked = questions({"q1": {"b": 1}})
    found = evaluate(run_of(q1={"a": 1.0, "b": 1.0, "c": 1.0}), asked, CORPUS, ["RR@10"])
    assert (
        found.worst_order["RR@10"][0],
        found.values["RR@10"][0],
        found.best_order["RR@10"][0],
    ) == pytest.approx((1 / 3, 1 / 2, 1))


def test_copies_of_a_relevant_document_count_where_they_are_asked_for():
    asked = questions({"q1": {"b": 1}})
    found = evaluate(run_of(q1={"d": 2.0, "b": 1.0}), asked, CORPUS, ["RR@10"])
    assert (found.values["RR@10"][0], found.with_duplicates["RR@10"][0]) == (0.5, 1)


def test_without_judged_negatives_nothing_is_said_of_unjudged_documents():
    positive = questions({"q1": {"b": 1}})
    graded = questions({"q1": {"b": 1, "c": 0}})
    run = run_of(q1={"a": 3.0, "c": 2.0, "b": 1.0})
    assert evaluate(run, positive, CORPUS, ["RR@10"]).condensed == {}
    assert evaluate(run, graded, CORPUS, ["RR@10"]).condensed["RR@10"][0] == 0.5
    assert evaluate(run, graded, CORPUS, ["RR@10"]).judged_share == pytest.approx(2 / 3)


def test_measures_that_do_not_exist():
    with pytest.raises(ConfigError, match="retrieval.measures: 'MAPP@3' is no measure"):
        check_measures(["MAPP@3"], "retrieval.measures")


def test_a_run_is_read_as_it_was_written(tmp_path):
    run = Run(
        IDS,
        {
            "q1": Ranked(np.array([2, 0]), np.array([2.5, 1.0]), 3),
            "q2": Ranked(np.array([1]), np.array([0.1])),
        },
    )
    write_run(tmp_path / "run.parquet", run, {"questions": "q", "retriever": "r"})
    about, found = read_run(tmp_path / "run.parquet", IDS)
    assert (about["questions"], about["retriever"]) == ("q", "r")
    assert {
        name: (one.rows.tolist(), one.scores.tolist(), one.tied_at_cut) for name, one in found.ranked.items()
    } == {
        "q1": ([2, 0], [2.5, 1.0], 3),
        "q2": ([1], [0.1], 0),
    }


def test_a_run_of_another_engine_is_ranked_by_our_rule(tmp_path):
    path = tmp_path / "run.trec"
    path.write_text(
        "# made elsewhere\nq1 Q0 c 1 0.5 tag\nq1 Q0 b 2 0.5 tag\nq1 Q0 a 3 0.9 tag\n", encoding="utf-8"
    )
    run = read_trec_run(path, questions({"q1": {"a": 1}}), IDS, 2)
    assert run.documents("q1") == ["a", "b"]
    assert run.ranked["q1"].tied_at_cut == 1


def test_all_mistakes_of_a_run_are_told_at_once(tmp_path):
    path = tmp_path / "run.trec"
    path.write_text(
        "q1 Q0 a 1\nq1 Q0 a 1 nan t\nq9 Q0 a 1 1 t\nq1 Q0 z 1 1 t\nq1 Q0 b 1 1 t\nq1 Q0 b 2 1 t\n",
        encoding="utf-8",
    )
    with pytest.raises(DataError) as raised:
        read_trec_run(path, questions({"q1": {"a": 1}}), IDS, 10)
    said = str(raised.value)
    for part in (
        "lines that do not have the six fields question Q0 document rank score tag: row 1",
        "scores that are no finite numbers: row 2 (nan)",
        "questions that q does not have: row 3 (q9)",
        "documents that c does not have: row 4 (z)",
        "documents that occur twice for a question: row 6 (b for q1)",
    ):
        assert part in said


def test_clean_and_leaked_questions_are_groups_where_training_sets_are_named(tmp_path):
    asked = questions({"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}, groups=["x", "x", ""])
    run = run_of(q1={"a": 1.0}, q2={"b": 1.0}, q3={"a": 1.0})

    def groups(leaked):
        found = evaluate(run, asked, CORPUS, ["R@1"], leaked=leaked)
        about = {"questions": "q", "retriever": "r"}
        write_results(tmp_path / "r.json", tmp_path / "r.parquet", found, about, Bootstrap(0.95, 200, 1))
        stated = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["groups"]
        return {name: (part["n_questions"], part["measures"]["R@1"]) for name, part in stated.items()}

    assert groups(None) == {"x": (2, 1)}
    assert groups(["q3"]) == {"x": (2, 1), "clean": (2, 1), "leaked": (1, 0)}
    assert groups([]) == {"x": (2, 1), "clean": (3, pytest.approx(2 / 3))}


def test_a_group_called_leaked_is_refused_where_training_sets_are_named(tmp_path):
    asked = questions({"q1": {"a": 1}}, groups=["leaked"])
    found = evaluate(run_of(q1={"a": 1.0}), asked, CORPUS, ["R@1"], leaked=[])
    with pytest.raises(DataError, match="A group of questions is called 'leaked'"):
        write_results(
            tmp_path / "r.json",
            tmp_path / "r.parquet",
            found,
            {"questions": "q", "retriever": "r"},
            Bootstrap(0.95, 200, 1),
        )


def test_results_hold_means_with_intervals_and_groups(tmp_path):
    asked = questions({"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}, groups=["x", "y", "y"])
    run = run_of(q1={"a": 1.0}, q2={"b": 1.0}, q3={"a": 1.0})
    found = evaluate(run, asked, CORPUS, MEASURES)
    about = {"questions": "q", "retriever": "r"}
    write_results(tmp_path / "r.json", tmp_path / "r.parquet", found, about, Bootstrap(0.95, 200, 1))
    values = read_values(tmp_path / "r.parquet")
    assert (values.question_set, values.retriever, values.questions) == ("q", "r", ["q1", "q2", "q3"])
    assert values.values["R@1"].tolist() == [1, 1, 0]
    stated = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert stated["groups"]["y"] == {
        "n_questions": 2,
        "measures": dict.fromkeys(MEASURES, 0.5) | {"P@2": 0.25},
    }
    mean = stated["measures"]["R@1"]
    assert mean["mean"] == pytest.approx(2 / 3)
    assert mean["low"] <= mean["mean"] <= mean["high"]
