"""What is given as an answer, and what it is worth, against values computed by hand."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentflow.errors import ConfigError, DataError
from sentflow.exports.submission import repaired_law, submission, submission_text
from sentflow.retrieval.decision_files import (
    evaluate_decided,
    read_decided,
    read_decision_values,
    write_decided,
    write_decision_values,
)
from sentflow.retrieval.decisions import Decision, decided, grid
from sentflow.retrieval.ranking import Ranked, Run
from sentflow.retrieval.set_measures import SET_MEASURES, f2, of_means, set_values
from sentflow.retrieval.training_questions import refuse_shared, training_questions
from sentflow.retrieval.tuned_decision import tune_decision
from sentflow.stats.resampling import Bootstrap
from sentflow.texts.corpora import Questions

IDS = ["a", "b", "c", "d"]


def ranked(*scores):
    return Ranked(np.arange(len(scores)), np.array(scores, dtype=np.float64))


def questions(name, judged, *, corpus="c", least=1, texts=None):
    names = list(judged)
    pairs = [
        (row, document, grade) for row, one in enumerate(names) for document, grade in judged[one].items()
    ]
    return Questions(
        name, corpus, "raw", "en", least, names, texts or [f"{one}?" for one in names], [""] * len(names),
        np.array([row for row, _, _ in pairs], dtype=np.int64),
        [document for _, document, _ in pairs],
        np.array([grade for _, _, grade in pairs], dtype=np.int64),
    )  # fmt: skip


# --- set measures -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_documents", "gold", "expected"),
    [
        # F2 = 5PR / (4P + R)
        (["a"], "a", (1, 1, 1, 1)),
        (["a", "x"], "a", (5 / 6, 0.5, 1, 5 / 6)),  # P 1/2, R 1
        (["a"], "ab", (5 / 9, 1, 0.5, 0.5)),  # P 1, R 1/2; the published count: 1 right, 1 wrong, so P 1/2
        (["a", "b"], "ab", (1, 1, 1, 5 / 6)),  # published: 2 right, 2 wrong, so P 1/2, R 1
        (["x"], "ab", (0, 0, 0, 0)),
        ([], "a", (0, 0, 0, 0)),
        (["a", "a"], "a", (1, 1, 1, 1)),  # a repeated document counts once
    ],
)
def test_set_measures_by_hand(given_documents, gold, expected):
    found = set_values({"q": given_documents}, {"q": dict.fromkeys(gold, 1)})
    assert tuple(found) == SET_MEASURES
    assert [float(found[name][0]) for name in SET_MEASURES] == pytest.approx(expected)


def test_a_question_without_a_decision_counts_as_zero_and_grades_below_the_least_do_not_count():
    grades = {"q1": {"a": 2, "b": 1}, "q2": {"a": 2}}
    found = set_values({"q1": ["a", "b"]}, grades, relevant_grade=2)
    assert found["SetP"].tolist() == [0.5, 0]
    assert found["F2"].tolist() == pytest.approx([5 / 6, 0])


def test_f2_of_means_is_another_number_than_the_mean_f2():
    values = set_values({"q1": ["a", "x"], "q2": ["x"]}, {"q1": {"a": 1}, "q2": {"b": 1}})
    # P 1/4, R 1/2 on average: 5/8 / (1 + 1/2)
    assert of_means(values) == pytest.approx(0.625 / 1.5)
    assert float(values["F2"].mean()) == pytest.approx(5 / 12)
    assert f2(0, 0) == 0


# --- decisions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decision", "scores", "n_kept"),
    [
        (Decision(most=2), (9, 8, 7), 2),
        (Decision(window=2.6), (9, 6.5, 6.4, 6.3), 3),
        (Decision(window=2.6, most=2), (9, 6.5, 6.4, 6.3), 2),
        (Decision(least=20), (21, 20, 19), 2),
        (Decision(least=20), (19, 18), 0),
        (Decision(share=0.9), (20, 18, 17.9), 2),
        (Decision(share=0.9), (-20, -22, -23), 2),
        (Decision(share=1), (5, 5, 4), 2),
        (Decision(window=0), (), 0),
        # the published rule of two
        (Decision(most=2, window=2.7, least=20), (30, 28, 28), 2),
        (Decision(most=2, window=2.7, least=20), (30, 27), 1),
        (Decision(most=2, window=2.7, least=20), (21, 19), 1),
        (Decision(most=2, window=2.7, least=20), (19.9, 19), 0),
    ],
)
def test_what_is_kept(decision, scores, n_kept):
    found = decision.kept(ranked(*scores))
    assert found.rows.tolist() == list(range(n_kept))
    assert found.scores.tolist() == list(scores[:n_kept])


@given(
    # sums of powers of two: other units round nothing
    st.lists(st.integers(-800, 800).map(lambda n: n / 8), min_size=1, max_size=12),
    st.integers(0, 16).map(lambda n: n / 16),
    st.sampled_from([0.25, 0.5, 4.0, 1024.0]),
)
def test_a_share_keeps_the_best_and_does_not_depend_on_the_units_of_scores(scores, share, factor):
    falling = np.sort(np.array(scores))[::-1]
    decision = Decision(share=share)
    n_kept = len(decision.kept(ranked(*falling)))
    assert n_kept >= 1
    assert len(decision.kept(ranked(*(factor * falling)))) == n_kept


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        (Decision(), "it keeps everything"),
        (Decision(most=0), "most: 0"),
        (Decision(window=-1.0), "window: -1.0"),
        (Decision(share=1.5), "share: 1.5"),
    ],
)
def test_parameters_that_cannot_be_meant(decision, message):
    with pytest.raises(ConfigError, match=message):
        decision.check("decisions.x")


def test_a_grid_has_both_ends_and_every_pair_of_values():
    found = grid({"most": {"from": 1, "to": 2, "step": 1}, "window": {"from": 0, "to": 0.3, "step": 0.1}})
    assert [(one.most, one.window) for one in found[:5]] == [(1, 0), (1, 0.1), (1, 0.2), (1, 0.3), (2, 0)]
    assert len(found) == 8
    assert grid({"least": 20}) == [Decision(least=20)]


# --- tuned decisions --------------------------------------------------------------------------------------------------


def asked(n, name="train"):
    """Questions whose gold is the first document for even ones, the first two for odd ones; gaps tell which."""
    judged = {
        f"{name}-{row}": {f"{name}-{row}-a": 1, **({f"{name}-{row}-b": 1} if row % 2 else {})}
        for row in range(n)
    }
    documents = [f"{name}-{row}-{letter}" for row in range(n) for letter in "ab"]
    run = Run(
        documents,
        {
            f"{name}-{row}": Ranked(
                np.array([2 * row, 2 * row + 1]), np.array([10.0, 9.0 if row % 2 else 4.0])
            )
            for row in range(n)
        },
    )
    return questions(name, judged), run


def test_the_window_that_training_questions_need_is_found():
    training = asked(20)
    candidates = grid({"window": {"from": 0, "to": 8, "step": 0.5}})
    tuned = tune_decision(candidates, [training], n_folds=5, seed=1)
    # from 1 on both documents of odd questions are kept, from 6 on one too many of even ones; the first of equals
    assert tuned.best == Decision(window=1.0)
    told = tuned.told(0.01)
    assert (told["in_sample"], told["nested"], told["optimism"]) == (1, 1, 0)
    assert told["within_margin"] == [{"window": 0.5 * n} for n in range(2, 12)]
    assert len(told["grid"]) == 17
    test, run = asked(4, "test")
    kept = tuned.decided(run, test.name)
    assert [len(found) for found in kept.values()] == [1, 2, 1, 2]


def test_training_questions_are_decided_by_what_was_chosen_without_them():
    # the wide window is best for all three; without q3, which needs it, the narrow one is
    judged = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1, "d": 1}}
    run = Run(
        IDS,
        {
            "q1": Ranked(np.array([0, 1]), np.array([9.0, 1.0])),
            "q2": Ranked(np.array([1, 2]), np.array([9.0, 1.0])),
            "q3": Ranked(np.array([2, 3]), np.array([9.0, 1.0])),
        },
    )
    candidates = [Decision(window=0.0), Decision(window=8.0)]
    tuned = tune_decision(candidates, [(questions("q", judged), run)], n_folds=3, seed=1)
    assert tuned.best == Decision(window=8.0)
    kept = tuned.decided(run, "q")
    assert len(kept["q3"]) == 1
    # without q1, wide (5/6 + 1) / 2 against narrow (1 + 5/9) / 2
    assert len(kept["q1"]) == 2
    values = [5 / 6, 5 / 6, 5 / 9]
    assert tuned.choice.nested == pytest.approx(np.mean(values))
    assert tuned.choice.optimism == pytest.approx((5 / 6 + 5 / 6 + 1) / 3 - np.mean(values))


def test_a_test_set_may_share_no_question_with_what_is_tuned_on():
    training = questions("train", {"t1": {"a": 1}, "t2": {"a": 1}}, texts=["Who pays?", "Other"])
    refuse_shared(questions("test", {"s1": {"a": 1}}), training_questions(training), "decisions.x")
    same_text = questions("test", {"s1": {"a": 1}}, texts=["who   PAYS"])
    with pytest.raises(DataError, match=r"decisions.x.tuned_on: test shares .*1 with train: s1\)"):
        refuse_shared(same_text, training_questions(training), "decisions.x")
    same_id = questions("test", {"t2": {"a": 1}}, texts=["else"])
    with pytest.raises(DataError, match="1 with train: t2"):
        refuse_shared(same_id, training_questions(training), "decisions.x")
    # numbers of rows say nothing, nor do ids of questions to another corpus
    refuse_shared(same_id, training_questions(training, ids_are_rows=True), "decisions.x")
    elsewhere = questions("test", {"t2": {"a": 1}}, texts=["else"], corpus="other")
    refuse_shared(elsewhere, training_questions(training), "decisions.x")
    # the training set itself is judged by folds
    refuse_shared(training, training_questions(training), "decisions.x")


# --- files ------------------------------------------------------------------------------------------------------------


def test_decisions_and_their_values_are_read_as_they_were_written(tmp_path):
    run = Run(IDS, {"q1": ranked(3, 2, 1), "q2": ranked(1)})
    about = {
        "questions": "q", "retriever": "r", "decision": "first", "corpus": "c", "parameters": {"most": 1},
    }  # fmt: skip
    path = tmp_path / "decided.parquet"
    write_decided(path, decided(run, Decision(most=1)), IDS, about)
    told = json.loads((tmp_path / "decided.json").read_text())
    assert (told["parameters"], told["file"]) == ({"most": 1}, "decided.parquet")
    found = read_decided(path)
    assert found.documents == {"q1": ["a"], "q2": ["a"]}
    gold = questions("q", {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"b": 1}, "q4": {"b": 0}})
    values = evaluate_decided(found, gold)
    assert (values.questions, values.values["F2"].tolist()) == (["q1", "q2", "q3"], [1, 0, 0])
    output, rows = tmp_path / "s.json", tmp_path / "s.parquet"
    write_decision_values(output, rows, [(found, values)], len(gold), Bootstrap(0.95, 100, 1))
    [stated] = json.loads(output.read_text())
    assert (stated["n_questions"], stated["n_left_out"], stated["n_empty"]) == (3, 1, 1)
    assert stated["measures"]["F2"]["mean"] == pytest.approx(1 / 3)
    assert stated["documents_per_question"] == pytest.approx(2 / 3)
    [again] = read_decision_values(rows)
    assert (again.system, again.values["SetR"].tolist()) == ("r/first", [1, 0, 0])


# --- submissions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("100/2019/nd-cp", "100/2019/nđ-cp"),
        ("100/2019/nđ-", "100/2019/nđ-cp"),
        ("100/2019/nð-cp", "100/2019/nđ-cp"),
        ("100/2019/nđ-cp", "100/2019/nđ-cp"),
        ("09/2014/ttlt-btp-tandtc-vksndtc", "09/2014/ttlt-btp-tandtc-vksndtc-btc"),
        ("10/2014/ttlt-btp-tandtc-vksndtc", "10/2014/ttlt-btp-tandtc-vksndtc"),
        ("45/2019/qh14", "45/2019/qh14"),
    ],
)
def test_numbers_of_laws_are_repaired_as_published(written, right):
    assert repaired_law(written) == right


def test_a_submission_has_every_question_and_no_article_twice():
    found = submission(["q1", "q2"], {"q1": ["1/nd-cp|2", "1/nđ-cp|2", "45/2019/qh14|9"]})
    assert found == [
        {
            "question_id": "q1",
            "relevant_articles": [
                {"law_id": "1/nđ-cp", "article_id": "2"},
                {"law_id": "45/2019/qh14", "article_id": "9"},
            ],
        },
        {"question_id": "q2", "relevant_articles": []},
    ]
    with pytest.raises(DataError, match="document 'd1' is no article of a law"):
        submission(["q1"], {"q1": ["d1"]})


@pytest.mark.mirror
def test_a_submission_has_the_bytes_of_a_real_one(mirror):
    """CuongNN218/zalo_ltr_2021@b63aa805, submission.json: 511 questions."""
    [file] = mirror.glob("github/CuongNN218/zalo_ltr_2021/*/submission.json")
    real = file.read_text(encoding="utf-8")
    answers = {
        one["question_id"]: [
            f"{article['law_id']}|{article['article_id']}" for article in one["relevant_articles"]
        ]
        for one in json.loads(real)
    }
    assert len(answers) == 511
    assert submission_text(submission([*answers], answers)) == real
