"""Weights that are chosen on training questions: grids, folds, what is chosen and what it is worth."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentflow.errors import DataError
from sentflow.files.io import write_digest
from sentflow.retrieval.fusion import FusionSettings, fused
from sentflow.retrieval.measures import cutoff_of
from sentflow.retrieval.ranking import Ranked
from sentflow.retrieval.training_questions import training_questions
from sentflow.retrieval.tuned_fusion import (
    read_chosen,
    read_weighed,
    weigh,
    weight_grid,
    write_chosen,
    write_weighed,
)
from sentflow.retrieval.tuning import choose, clusters_of, folds_of
from sentflow.texts.corpora import Questions


def test_weights_of_two_and_of_three_runs():
    assert weight_grid(2, 4) == [(1, 0), (0.75, 0.25), (0.5, 0.5), (0.25, 0.75), (0, 1)]
    three = weight_grid(3, 10)
    assert len(three) == len(set(three)) == math.comb(12, 2)
    assert all(sum(one) == pytest.approx(1) and min(one) >= 0 for one in three)


def test_the_best_of_equal_candidates_is_the_first():
    values = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.2, 0.2 + 1e-16]])
    assert choose(values, np.array([0, 1, 2])).best == 0


def test_what_is_chosen_by_folds_and_how_much_the_choice_flatters_itself():
    # chosen on all: the second, mean 0.6. Without the first question the first candidate is better.
    values = np.array([[0.0, 0.5, 0.5], [1.0, 0.4, 0.4]])
    found = choose(values, np.array([0, 1, 2]))
    assert found.best == 1
    assert found.best_without.tolist() == [0, 1, 1]
    assert found.held_out.tolist() == [0.0, 0.4, 0.4]
    assert found.optimism == pytest.approx(0.6 - 0.8 / 3)
    assert found.near(0.3) == [0, 1]
    assert found.near(0.1) == [1]


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
    clusters = clusters_of(relevant)
    sizes = np.bincount(clusters)
    if sizes.max() <= math.ceil(len(relevant) / n_folds) and len(sizes) >= n_folds:
        assert all(len(set(folds[clusters == one])) == 1 for one in range(len(sizes)))
    else:
        assert np.ptp(np.bincount(folds)) <= 1
    assert folds.tolist() == folds_of(relevant, n_folds, seed).tolist()


def test_questions_share_a_cluster_through_others():
    assert clusters_of([["a"], ["b"], ["a", "c"], ["c"], ["b"]]).tolist() == [0, 1, 0, 0, 1]


def test_nothing_is_tuned_on_one_question():
    with pytest.raises(DataError, match="1 training questions with a relevant document"):
        folds_of([["a"]], 5, 1)


@pytest.mark.parametrize(
    ("measure", "cutoff"),
    [("nDCG@10", 10), ("R@100", 100), ("AP", None), ("nDCG(judged_only=True)@10", None)],
)
def test_how_deep_a_measure_looks(measure, cutoff):
    assert cutoff_of(measure) == cutoff


# --- fusions ----------------------------------------------------------------------------------------------------------

N = 12
DOCUMENTS = [f"d{row}" for row in range(N)]
RULE = FusionSettings("sum", (1.0, 1.0))


def questions(name="train", n=N):
    rows = np.arange(n)
    return Questions(
        name, "c", "raw", "en", 1, [f"{name}-{row}" for row in rows], [f"{name} text {row}" for row in rows],
        [""] * n, rows, [f"d{row}" for row in rows], np.ones(n, dtype=np.int64),
    )  # fmt: skip


def runs(asked, seed=1):
    """Two runs: scores of the right document above noise; the second with more noise."""
    generator = np.random.default_rng(seed)
    found = []
    for noise in (0.6, 1.2):
        run = {}
        for row, name in enumerate(asked.ids):
            scores = noise * generator.standard_normal(N) + (np.arange(N) == row)
            order = np.argsort(-scores)
            run[name] = Ranked(order, scores[order])
        found.append(run)
    return found


def weighed(asked, *, depth=N, measure="RR@10", steps=10):
    return weigh(
        runs(asked), DOCUMENTS, asked, RULE,
        retriever="both", candidates=weight_grid(2, steps), measure=measure, depth=depth,
    )  # fmt: skip


def test_at_the_ends_of_the_grid_each_run_ranks_alone():
    asked = questions()
    found = weighed(asked)
    for candidate, run in ((0, 0), (-1, 1)):
        ranks = [1 + runs(asked)[run][name].rows.tolist().index(row) for row, name in enumerate(asked.ids)]
        expected = [1 / rank if rank <= 10 else 0 for rank in ranks]
        assert found.values[candidate].tolist() == pytest.approx(expected)


def test_values_are_those_of_the_fusion_that_is_run():
    asked = questions()
    found = weighed(asked, measure="nDCG@10")
    given_runs = runs(asked)
    for weights, values in zip(found.candidates, found.values, strict=True):
        for row, name in enumerate(asked.ids):
            whole = fused([run[name] for run in given_runs], FusionSettings("sum", weights), N)
            rank = 1 + whole.rows.tolist().index(row)
            assert values[row] == pytest.approx(1 / math.log2(1 + rank) if rank <= 10 else 0)


def test_weights_are_read_as_they_were_written(tmp_path):
    found = weighed(questions())
    write_weighed(tmp_path / "w.parquet", found)
    write_digest(tmp_path / "w.parquet")
    again = read_weighed(tmp_path / "w.parquet")
    assert (again.question_set, again.retriever, again.measure) == ("train", "both", "RR@10")
    assert (again.candidates, again.questions, again.relevant) == (
        found.candidates, found.questions, found.relevant,
    )  # fmt: skip
    assert np.array_equal(again.values, found.values)


def test_a_question_is_fused_by_weights_that_were_chosen_without_it(tmp_path):
    asked = questions()
    found = weighed(asked)
    choice = choose(found.values, folds_of(found.relevant, 4, 1))
    about = write_chosen(
        tmp_path / "c.parquet", choice, [found], training_questions(asked), row_ids=[], margin=0.01
    )
    told, chosen = read_chosen(tmp_path / "c.parquet")
    assert told["nested"] == about["nested"] == choice.nested
    assert chosen.weights == found.candidates[choice.best]
    for row, name in enumerate(asked.ids):
        weights = chosen.of("train", name)
        assert weights == found.candidates[choice.best_without[choice.fold_of[row]]]
        assert choice.held_out[row] == found.values[found.candidates.index(weights), row]
    assert chosen.of("test", "train-0") == chosen.weights
    assert [one.id for one in chosen.training] == asked.ids
    # no text is in the file, which is published
    assert b"text 1" not in (tmp_path / "c.parquet").read_bytes()
