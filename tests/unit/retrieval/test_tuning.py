"""What is given as an answer and what it is worth, and decisions and weights that are chosen on training questions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_questions import questions
from retrievers import fusion_settings

from sentflow.config.collections import Decision as DecisionSettings
from sentflow.config.model import refuse_wrong
from sentflow.errors import ConfigError, DataError
from sentflow.retrieval.decisions import Decision, grid, tune_decision
from sentflow.retrieval.ranking import Ranked, Run
from sentflow.retrieval.retrievers.fusion import fused, read_chosen, weigh, weight_grid, write_chosen
from sentflow.retrieval.tuning import (
    SET_MEASURES,
    choose,
    f2,
    folds_of,
    linked_by,
    of_means,
    refuse_shared,
    set_values,
    training_questions,
)

IDS = ["a", "b", "c", "d"]


def ranked(*scores, rows=None):
    return Ranked(
        np.arange(len(scores)) if rows is None else np.array(rows), np.array(scores, dtype=np.float64)
    )


def ranges(**parameters):
    tuned = {"tuned_on": ["t"]} if any(isinstance(one, dict) for one in parameters.values()) else {}
    return refuse_wrong(DecisionSettings, {**parameters, **tuned}, where="d")


def test_set_measures_by_hand():
    for given_documents, gold, expected in (
        # F2 = 5PR / (4P + R)
        (["a"], "a", (1, 1, 1, 1)),
        (["a", "x"], "a", (5 / 6, 0.5, 1, 5 / 6)),  # P 1/2, R 1
        (["a"], "ab", (5 / 9, 1, 0.5, 0.5)),  # P 1, R 1/2; the published count: 1 right, 1 wrong, so P 1/2
        (["a", "b"], "ab", (1, 1, 1, 5 / 6)),  # published: 2 right, 2 wrong, so P 1/2, R 1
        (["x"], "ab", (0, 0, 0, 0)),
        ([], "a", (0, 0, 0, 0)),
        (["a", "a"], "a", (1, 1, 1, 1)),  # a repeated document counts once
    ):
        found = set_values({"q": given_documents}, {"q": dict.fromkeys(gold, 1)})
        assert tuple(found) == SET_MEASURES
        assert [float(found[name][0]) for name in SET_MEASURES] == pytest.approx(expected)
    # a question without a decision counts as zero, and grades below the least do not count
    found = set_values({"q1": ["a", "b"]}, {"q1": {"a": 2, "b": 1}, "q2": {"a": 2}}, relevant_grade=2)
    assert found["SetP"].tolist() == [0.5, 0]
    assert found["F2"].tolist() == pytest.approx([5 / 6, 0])


def test_f2_of_means_is_another_number_than_the_mean_f2():
    values = set_values({"q1": ["a", "x"], "q2": ["x"]}, {"q1": {"a": 1}, "q2": {"b": 1}})
    # P 1/4, R 1/2 on average: 5/8 / (1 + 1/2)
    assert of_means(values) == pytest.approx(0.625 / 1.5)
    assert float(values["F2"].mean()) == pytest.approx(5 / 12)
    assert f2(0, 0) == 0


def test_what_is_kept():
    published = Decision(most=2, window=2.7, least=20)  # the published rule of two
    for decision, scores, n_kept in (
        (Decision(most=2), (9, 8, 7), 2),
        (Decision(window=2.6), (9, 6.5, 6.4, 6.3), 3),
        (Decision(least=20), (21, 20, 19), 2),
        (Decision(share=0.9), (20, 18, 17.9), 2),
        (Decision(share=0.9), (-20, -22, -23), 2),
        (Decision(share=1), (5, 5, 4), 2),
        (Decision(window=0), (), 0),
        (published, (30, 28, 28), 2),
        (published, (30, 27), 1),
        (published, (21, 19), 1),
        (published, (19.9, 19), 0),
    ):
        found = decision.kept(ranked(*scores))
        assert found.rows.tolist() == list(range(n_kept))
        assert found.scores.tolist() == list(scores[:n_kept])
    with pytest.raises(ConfigError, match="share: from 0.5 to 1.5"):
        ranges(share={"from": 0.5, "to": 1.5, "step": 0.5})


def test_a_grid_has_both_ends_and_every_pair_of_values():
    found = grid(ranges(most={"from": 1, "to": 2, "step": 1}, window={"from": 0, "to": 0.3, "step": 0.1}))
    assert [(one.most, one.window) for one in found[:5]] == [(1, 0), (1, 0.1), (1, 0.2), (1, 0.3), (2, 0)]
    assert len(found) == 8
    assert grid(ranges(least=20)) == [Decision(least=20)]


def test_what_is_chosen_by_folds_and_how_much_the_choice_flatters_itself():
    # chosen on all: the second, mean 0.6. Without the first question the first candidate is better.
    found = choose(np.array([[0.0, 0.5, 0.5], [1.0, 0.4, 0.4]]), np.array([0, 1, 2]))
    assert found.best == 1
    assert found.best_without.tolist() == [0, 1, 1]
    assert found.held_out.tolist() == [0.0, 0.4, 0.4]
    assert found.optimism == pytest.approx(0.6 - 0.8 / 3)
    assert found.near(0.3) == [0, 1]
    assert found.near(0.1) == [1]
    equal = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.2, 0.2 + 1e-16]])
    assert choose(equal, np.array([0, 1, 2])).best == 0  # the first of equals


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.sampled_from("abcdefghijkl"), min_size=1, max_size=2), min_size=2, max_size=40),
    st.integers(2, 10),
    st.integers(0, 9),
)
def test_folds_hold_every_question_and_keep_clusters_together_where_they_fit(relevant, n_folds, seed):
    folds = folds_of(relevant, n_folds, seed)
    n_folds = min(n_folds, len(relevant))
    assert sorted(set(folds.tolist())) == list(range(n_folds))
    clusters = linked_by(relevant)
    sizes = np.bincount(clusters)
    if sizes.max() <= math.ceil(len(relevant) / n_folds) and len(sizes) >= n_folds:
        assert all(len(set(folds[clusters == one])) == 1 for one in range(len(sizes)))
    else:
        assert np.ptp(np.bincount(folds)) <= 1
    assert folds.tolist() == folds_of(relevant, n_folds, seed).tolist()


def test_questions_share_a_cluster_through_others_and_one_alone_tunes_nothing():
    assert linked_by([["a"], ["b"], ["a", "c"], ["c"], ["b"]]).tolist() == [0, 1, 0, 0, 1]
    with pytest.raises(DataError, match="1 training questions with a relevant document"):
        folds_of([["a"]], 5, 1)


def test_the_window_that_training_questions_need_is_found():
    """Gold is the first document of even questions, the first two of odd ones; gaps of scores tell which."""

    def asked(n, name):
        names = [f"{name}-{row}" for row in range(n)]
        judged = {
            one: {f"{one}-{letter}": 1 for letter in "ab"[: 1 + row % 2]} for row, one in enumerate(names)
        }
        found = {
            one: ranked(10.0, 9.0 if row % 2 else 4.0, rows=[2 * row, 2 * row + 1])
            for row, one in enumerate(names)
        }
        return questions(judged, name=name), Run(
            [f"{one}-{letter}" for one in names for letter in "ab"], found
        )

    candidates = grid(ranges(window={"from": 0, "to": 8, "step": 0.5}))
    tuned = tune_decision(candidates, [asked(20, "train")], n_folds=5, seed=1)
    # from 1 on both documents of odd questions are kept, from 6 on one too many of even ones; the first of equals
    assert tuned.best == Decision(window=1.0)
    told = tuned.facts(0.01)
    assert (told["in_sample"], told["nested"], told["optimism"]) == (1, 1, 0)
    assert told["within_margin"] == [{"window": 0.5 * n} for n in range(2, 12)]
    test, run = asked(4, "test")
    assert [len(found) for found in tuned.decided(run, test.name).values()] == [1, 2, 1, 2]


def test_training_questions_are_decided_by_what_was_chosen_without_them():
    # the wide window is best for all three; without q3, which needs it, the narrow one is
    judged = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1, "d": 1}}
    run = Run(IDS, {f"q{row + 1}": ranked(9.0, 1.0, rows=[row, row + 1]) for row in range(3)})
    candidates = [Decision(window=0.0), Decision(window=8.0)]
    tuned = tune_decision(candidates, [(questions(judged), run)], n_folds=3, seed=1)
    assert tuned.best == Decision(window=8.0)
    kept = tuned.decided(run, "q")
    # without q1, wide (5/6 + 1) / 2 against narrow (1 + 5/9) / 2
    assert (len(kept["q1"]), len(kept["q3"])) == (2, 1)
    values = [5 / 6, 5 / 6, 5 / 9]
    assert tuned.choice.nested == pytest.approx(np.mean(values))
    assert tuned.choice.optimism == pytest.approx((5 / 6 + 5 / 6 + 1) / 3 - np.mean(values))


def test_a_test_set_may_share_no_question_with_what_is_tuned_on():
    training = questions({"t1": {"a": 1}, "t2": {"a": 1}}, name="train", texts=["Who pays?", "Other"])
    known = training_questions(training)
    refuse_shared(questions({"s1": {"a": 1}}, name="test"), known, "decisions.x")
    with pytest.raises(DataError, match=r"decisions.x.tuned_on: test shares .*1 with train: s1\)"):
        refuse_shared(questions({"s1": {"a": 1}}, name="test", texts=["who   PAYS"]), known, "decisions.x")
    same_id = questions({"t2": {"a": 1}}, name="test", texts=["else"])
    with pytest.raises(DataError, match="1 with train: t2"):
        refuse_shared(same_id, known, "decisions.x")
    # numbers of rows say nothing, nor do ids of questions to another corpus; the training set is judged by folds
    refuse_shared(same_id, training_questions(training, ids_are_rows=True), "decisions.x")
    refuse_shared(
        questions({"t2": {"a": 1}}, name="test", texts=["else"], corpus="other"), known, "decisions.x"
    )
    refuse_shared(training, known, "decisions.x")


N = 12
RULE = fusion_settings()


def test_weights_of_two_and_of_three_runs():
    assert weight_grid(2, 4) == [(1, 0), (0.75, 0.25), (0.5, 0.5), (0.25, 0.75), (0, 1)]
    three = weight_grid(3, 10)
    assert len(three) == len(set(three)) == math.comb(12, 2)
    assert all(sum(one) == pytest.approx(1) and min(one) >= 0 for one in three)


@pytest.fixture
def asked():
    return questions({f"train-{row}": {f"d{row}": 1} for row in range(N)}, name="train")


@pytest.fixture
def runs(asked):
    """Two runs: scores of the right document above noise; the second with more noise."""
    generator = np.random.default_rng(1)
    found = []
    for noise in (0.6, 1.2):
        run = {}
        for row, name in enumerate(asked.ids):
            scores = noise * generator.standard_normal(N) + (np.arange(N) == row)
            order = np.argsort(-scores)
            run[name] = ranked(*scores[order], rows=order)
        found.append(run)
    return found


def weighed(runs, asked, measure):
    settings = {"retriever": "both", "candidates": weight_grid(2, 10), "measure": measure, "depth": N}
    return weigh(runs, [f"d{row}" for row in range(N)], asked, RULE, **settings)


def test_values_are_those_of_the_fusion_that_is_run(runs, asked):
    found = weighed(runs, asked, "nDCG@10")
    for weights, values in zip(found.about["candidates"], found.values, strict=True):
        for row, name in enumerate(asked.ids):
            whole = fused([run[name] for run in runs], fusion_settings(), weights, N)
            rank = 1 + whole.rows.tolist().index(row)
            assert values[row] == pytest.approx(1 / math.log2(1 + rank) if rank <= 10 else 0)


def test_a_question_is_fused_by_weights_that_were_chosen_without_it(runs, asked, tmp_path):
    found = weighed(runs, asked, "RR@10")
    choice = choose(found.values, folds_of(found.relevant, 4, 1))
    path = tmp_path / "c.parquet"
    about = write_chosen(path, choice, [found], training_questions(asked), row_ids=[], margin=0.01)
    told, without, _ = read_chosen(path)
    assert told["nested"] == about["nested"] == choice.nested
    assert tuple(told["weights"]) == found.about["candidates"][choice.best]
    for row, name in enumerate(asked.ids):
        weights = without["train", name]
        assert weights == found.about["candidates"][choice.best_without[choice.fold_of[row]]]
        assert choice.held_out[row] == found.values[found.about["candidates"].index(weights), row]
    assert b"train-1?" not in path.read_bytes()  # no text is in the file, which is published
