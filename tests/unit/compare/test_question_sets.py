"""What is said of systems for new documents, on groups of questions, and over seeds."""

import math

import numpy as np
import pytest
from scipy.special import stdtrit
from scipy.stats import ttest_1samp

from sentflow.compare.marks import BEST, Marks
from sentflow.compare.question_sets import LEAST_CLUSTERS, QuestionSet
from sentflow.compare.questions import QuestionSettings
from sentflow.stats.multiplicity import holm
from sentflow.stats.seed_variance import seed_variance

SETTINGS = QuestionSettings(level=0.95, alpha=0.05, margin=0.02, n_resamples=499, seed=5)
N = 60


def made(**changed):
    generator = np.random.default_rng(3)
    of_documents = np.repeat(generator.random(20), 3)
    values = np.stack([of_documents + level + 0.2 * generator.random(N) for level in (0.0, 0.03, -0.4)])
    about = {
        "name": "faquad",
        "measure": "nDCG@10",
        "systems": ["bm25", "dense", "random"],
        "questions": [f"q{number}" for number in range(N)],
        "groups": ["log"] * 20 + ["expert"] * 40,
        "clusters": [f"d{number // 3}" for number in range(N)],
        "values": values,
        "settings": SETTINGS,
    }
    return QuestionSet(**{**about, **changed})


def test_new_questions_and_new_documents_have_tests_of_their_own():
    asked = made()
    questions, documents = asked.differences(), asked.document_differences()
    assert [(row.model_a, row.model_b) for row in documents] == [
        (row.model_a, row.model_b) for row in questions
    ]
    assert {(row.n_questions, row.n_units, row.grouped) for row in questions} == {(N, N, False)}
    assert {(row.n_questions, row.n_units, row.grouped) for row in documents} == {(N, 20, True)}
    assert [row.difference for row in documents] == pytest.approx([row.difference for row in questions])
    assert [row.p_holm for row in documents] == holm([row.p for row in documents])


def test_the_interval_for_new_documents_is_wider_where_these_decide():
    asked = made()
    for row, values in zip(asked.cluster_rows(), asked.values, strict=True):
        low, high = ttest_1samp(values.reshape(20, 3).mean(axis=1), 0).confidence_interval(0.95)
        assert (row.low, row.high) == pytest.approx(
            (low, high)
        )  # clusters of one size: the t interval of their means
        single = ttest_1samp(values, 0).confidence_interval(0.95)
        assert row.high - row.low > 1.4 * (single.high - single.low)
    assert (row.n_clusters, row.effective_clusters, row.largest_cluster) == (20, pytest.approx(20), 3 / N)


def test_one_giant_cluster_says_nothing_of_new_documents():
    asked = made(clusters=["giant"] * 31 + [f"d{number}" for number in range(29)])
    assert asked.document_differences() == []
    [first, *_] = asked.cluster_rows()
    assert (first.n_clusters, first.largest_cluster) == (30, pytest.approx(31 / 60))
    assert first.effective_clusters < LEAST_CLUSTERS
    assert math.isnan(first.low)
    assert math.isnan(first.high)
    assert first.value == pytest.approx(asked.values[0].mean())
    assert (
        len(asked.differences()) == 3
    )  # for new questions on the same documents there is a test all the same


def test_tests_on_groups_are_adjusted_for_all_pairs_on_all_groups():
    asked = made()
    rows = asked.group_differences()
    assert [(row.group, row.unit_set, row.n_questions) for row in rows] == [
        *[("log", "faquad/log", 20)] * 3,
        *[("expert", "faquad/expert", 40)] * 3,
    ]
    assert [row.p_holm for row in rows] == holm([row.p for row in rows])
    alone = asked.parts()[1][1].differences()
    assert [row.p for row in rows[3:]] == [row.p for row in alone]
    assert all(ours.p_holm >= theirs.p_holm for ours, theirs in zip(rows[3:], alone, strict=True))
    quantiles = stdtrit(39, 1 - 0.05 / 2 / 6) + stdtrit(39, 0.8)
    of_six = quantiles * np.std(asked.values[0, 20:] - asked.values[1, 20:], ddof=1)
    assert rows[3].mdd_power == pytest.approx(of_six / math.sqrt(40))
    assert Marks(rows, asked.systems).mark("faquad/expert", "dense") == BEST


def test_a_group_of_one_question_has_a_mean_and_no_interval():
    asked = made(groups=["one", *["rest"] * (N - 1)])
    first = asked.group_rows()[0]
    assert (first.group, first.value) == ("one", pytest.approx(asked.values[0, 0]))
    assert math.isnan(first.low)
    assert {row.group for row in asked.group_differences()} == {"rest"}


def seeded(generator, n_seeds=4):
    """A family of seeds, and one system without."""
    questions = 0.3 * generator.standard_normal(N)
    seeds = 0.05 * generator.standard_normal((n_seeds, 1))
    own = 0.5 + questions + seeds + 0.1 * generator.standard_normal((n_seeds, N))
    systems = [f"seed-{number}" for number in range(n_seeds)]
    values = np.vstack([own, 0.4 + questions + 0.1 * generator.standard_normal(N)])
    asked = made(systems=[*systems, "bm25"], values=values)
    return asked, {"trained": dict(enumerate(systems))}


def test_a_family_of_seeds_has_a_mean_and_differences_from_systems_without_seeds():
    asked, families = seeded(np.random.default_rng(1))
    mean, difference = asked.seed_rows(families)
    assert (mean.family, mean.other, mean.n_questions, mean.n_seeds) == ("trained", "", N, 4)
    assert mean.value == pytest.approx(asked.values[:4].mean())
    assert mean.spread_of_seeds == pytest.approx(asked.values[:4].mean(axis=1).std(ddof=1))
    assert (difference.other, difference.value) == (
        "bm25",
        pytest.approx((asked.values[:4] - asked.values[4]).mean()),
    )
    assert (
        difference.share_of_seeds > mean.share_of_seeds
    )  # questions have much in common with the other system
    assert math.isnan(mean.p)
    assert (difference.p < 0.05) == (difference.low > 0 or difference.high < 0)


def test_two_families_are_compared_seed_by_seed_the_later_less_the_earlier():
    asked, _ = seeded(np.random.default_rng(1), n_seeds=8)
    first = {"1": "seed-0", "2": "seed-1", "3": "seed-2", "4": "seed-3"}
    second = {"4": "seed-4", "3": "seed-5", "2": "seed-6", "5": "seed-7"}
    found = {(row.family, row.other): row for row in asked.seed_rows({"a": second, "b": first})}
    assert list(found) == [("b", ""), ("b", "bm25"), ("a", ""), ("a", "bm25"), ("a", "b")]
    own = asked.values[[6, 5, 4]] - asked.values[[1, 2, 3]]  # seeds 2, 3 and 4, which both have
    paired = found["a", "b"]
    assert (paired.n_seeds, paired.value) == (3, pytest.approx(own.mean()))
    assert (paired.low, paired.high) == pytest.approx(seed_variance(own.T).interval(0.95))
    assert paired.p == pytest.approx(seed_variance(own.T).p())
