"""What is said of systems for new documents, on groups of questions, and over seeds."""

import math

import numpy as np
import pytest
from scipy.special import stdtrit
from scipy.stats import ttest_1samp

from sentflow.compare.marks import BEST, Marks
from sentflow.compare.question_sets import LEAST_CLUSTERS, QuestionSet
from sentflow.compare.questions import QuestionSettings
from sentflow.stats.clustered import ClusteredT
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
        "controls": ["random"],
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


def test_all_questions_in_one_cluster_are_no_error():
    asked = made(clusters=["all"] * N)
    assert asked.document_differences() == []
    assert asked.cluster_rows()[0].effective_clusters == 1


def test_questions_in_no_cluster_are_units_of_their_own():
    asked = made(clusters=[None] * N)
    assert {row.n_units for row in asked.document_differences()} == {N}
    expected = ttest_1samp(asked.values[0], 0).confidence_interval(0.95)
    row = asked.cluster_rows()[0]
    assert (row.low, row.high) == pytest.approx((expected.low, expected.high))


def test_without_clusters_nothing_is_said_of_new_documents():
    asked = made(clusters=None)
    assert (asked.document_differences(), asked.cluster_rows()) == ([], [])


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
    assert all(math.isnan(row.p_tukey) == ("random" in (row.model_a, row.model_b)) for row in rows)
    of_six = stdtrit(39, 1 - 0.05 / 2 / 6) * np.std(asked.values[0, 20:] - asked.values[1, 20:], ddof=1)
    assert rows[3].mdd == pytest.approx(of_six / math.sqrt(40))
    assert Marks(rows, asked.systems).mark("faquad/expert", "dense") == BEST


def test_means_of_groups_are_those_of_their_questions():
    asked = made()
    rows = {(row.group, row.model): row for row in asked.group_rows()}
    assert len(rows) == 6
    row = rows["expert", "dense"]
    assert (row.value, row.n_questions) == (pytest.approx(asked.values[1, 20:].mean()), 40)
    assert row.low < row.value < row.high


def test_a_group_of_one_question_has_a_mean_and_no_interval():
    asked = made(groups=["one", *["rest"] * (N - 1)])
    first = asked.group_rows()[0]
    assert (first.group, first.value) == ("one", pytest.approx(asked.values[0, 0]))
    assert math.isnan(first.low)
    assert {row.group for row in asked.group_differences()} == {"rest"}


@pytest.mark.parametrize("groups", [[""] * N, ["only"] * N])
def test_one_group_or_none_is_not_shown_apart(groups):
    assert (made(groups=groups).group_rows(), made(groups=groups).group_differences()) == ([], [])


def seeded(generator, n_seeds=4):
    """A family of seeds, and one system without."""
    questions = 0.3 * generator.standard_normal(N)
    seeds = 0.05 * generator.standard_normal((n_seeds, 1))
    own = 0.5 + questions + seeds + 0.1 * generator.standard_normal((n_seeds, N))
    systems = [f"seed-{number}" for number in range(n_seeds)]
    values = np.vstack([own, 0.4 + questions + 0.1 * generator.standard_normal(N)])
    asked = made(systems=[*systems, "bm25"], controls=[], values=values)
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
    asked, _ = seeded(np.random.default_rng(1), n_seeds=6)
    first = {"1": "seed-0", "2": "seed-1", "3": "seed-2"}
    second = {"3": "seed-3", "2": "seed-4", "4": "seed-5"}
    found = {(row.family, row.other): row for row in asked.seed_rows({"a": second, "b": first})}
    assert list(found) == [("b", ""), ("b", "bm25"), ("a", ""), ("a", "bm25"), ("a", "b")]
    own = asked.values[[4, 3]] - asked.values[[1, 2]]  # seeds 2 and 3, which both have
    paired = found["a", "b"]
    assert (paired.n_seeds, paired.value) == (2, pytest.approx(own.mean()))
    assert (paired.low, paired.high) == pytest.approx(seed_variance(own.T).interval(0.95))
    assert paired.p == pytest.approx(seed_variance(own.T).p())


def test_families_with_one_seed_in_common_are_not_compared():
    asked, _ = seeded(np.random.default_rng(1))
    families = {"a": {"1": "seed-0", "2": "seed-1"}, "b": {"2": "seed-2", "3": "seed-3"}}
    assert [row.family for row in asked.seed_rows(families) if row.other in families] == []


def test_one_seed_is_no_family():
    asked, _ = seeded(np.random.default_rng(1))
    assert asked.seed_rows({"trained": {1: "seed-0"}, "not here": {1: "x", 2: "y"}}) == []


def test_random_orders_with_several_seeds_cover_chance():
    """One relevant document among 40: P@1 is 1/40, and RR is H(40)/40, on average over seeds."""
    generator = np.random.default_rng(7)
    chance = float((1 / np.arange(1, 41)).mean())
    covered, with_zero = [], []
    for _ in range(300):
        ranks = generator.integers(1, 41, (5, N))  # of the relevant document, in random orders
        asked = made(systems=list("abcde"), controls=list("abcde"), values=1 / ranks)
        [row] = asked.seed_rows({"random": dict(enumerate("abcde"))})
        covered.append(row.low <= chance <= row.high)
        with_zero.append(row.seeds_unseen)
    # 99 % band of 300 data sets around 95 %: 91.3 to 98.0; the mean of 300 reciprocal ranks is a little skewed
    assert 0.905 <= np.mean(covered) <= 0.985
    assert np.mean(with_zero) > 0.4  # seeds of a random order differ by noise alone


def test_the_error_of_clusters_is_that_of_their_test():
    asked = made(clusters=[f"d{min(number // 3, 16)}" for number in range(N)])
    unit = np.minimum(np.arange(N) // 3, 16)
    row = asked.document_differences()[0]
    test = ClusteredT(asked.values[0] - asked.values[1], unit)
    assert row.p == pytest.approx(test.p())
    assert (row.low, row.high) == pytest.approx(test.interval(0.95))
