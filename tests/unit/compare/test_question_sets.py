"""What is said of systems for new documents, on groups of questions, and over seeds."""

import math

import numpy as np
import pytest
from scipy.special import stdtrit
from scipy.stats import ttest_1samp, ttest_rel

from sentflow.compare.differences import BEST, Marks, all_differences
from sentflow.compare.questions import LEAST_CLUSTERS, QuestionScores
from sentflow.compare.rows import QuestionDifference
from sentflow.retrieval.settings import QuestionTests
from sentflow.stats.multiplicity import holm
from sentflow.stats.seed_variance import seed_variance

SETTINGS = QuestionTests(level=0.95, alpha=0.05, margin=0.02, n_resamples=499, seed=5)
N = 60


def made(**changed):
    generator = np.random.default_rng(3)
    of_documents = np.repeat(generator.random(20), 3)
    values = np.stack([of_documents + level + 0.2 * generator.random(N) for level in (0.0, 0.03, -0.4)])
    about = {
        "unit_set": "faquad",
        "measure": "nDCG@10",
        "systems": ["bm25", "dense", "random"],
        "questions": [f"q{number}" for number in range(N)],
        "groups": ["log"] * 20 + ["expert"] * 40,
        "clusters": [f"d{number // 3}" for number in range(N)],
        "scores": values,
        "settings": SETTINGS,
    }
    return QuestionScores(**{**about, **changed})


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
    for row, values in zip(asked.cluster_rows(), asked.scores, strict=True):
        low, high = ttest_1samp(values.reshape(20, 3).mean(axis=1), 0).confidence_interval(0.95)
        # clusters of one size: the t interval of their means
        assert (row.low, row.high) == pytest.approx((low, high))
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
    assert first.value == pytest.approx(asked.scores[0].mean())
    # for new questions on the same documents there is a test all the same
    assert len(asked.differences()) == 3


def test_tests_on_groups_are_adjusted_for_all_pairs_on_all_groups():
    asked = made()
    rows = asked.group_differences()
    assert [(row.group, row.unit_set, row.n_questions) for row in rows] == [
        *[("log", "faquad/log", 20)] * 3,
        *[("expert", "faquad/expert", 40)] * 3,
    ]
    assert [row.p_holm for row in rows] == holm([row.p for row in rows])
    alone = asked.parts()["expert"].differences()
    assert [row.p for row in rows[3:]] == [row.p for row in alone]
    assert all(ours.p_holm >= theirs.p_holm for ours, theirs in zip(rows[3:], alone, strict=True))
    quantiles = stdtrit(39, 1 - 0.05 / 2 / 6) + stdtrit(39, 0.8)
    of_six = quantiles * np.std(asked.scores[0, 20:] - asked.scores[1, 20:], ddof=1)
    assert rows[3].mdd_power == pytest.approx(of_six / math.sqrt(40))
    assert Marks(rows, asked.systems).signs("faquad/expert", "dense")[0] == BEST


def test_a_group_of_one_question_has_a_mean_and_no_interval():
    asked = made(groups=["one", *["rest"] * (N - 1)])
    first = asked.group_rows()[0]
    assert (first.group, first.value) == ("one", pytest.approx(asked.scores[0, 0]))
    assert math.isnan(first.low)
    assert {row.group for row in asked.group_differences()} == {"rest"}


def seeded(generator, n_seeds=4):
    """A family of seeds, and one system without."""
    questions = 0.3 * generator.standard_normal(N)
    seeds = 0.05 * generator.standard_normal((n_seeds, 1))
    own = 0.5 + questions + seeds + 0.1 * generator.standard_normal((n_seeds, N))
    systems = [f"seed-{number}" for number in range(n_seeds)]
    values = np.vstack([own, 0.4 + questions + 0.1 * generator.standard_normal(N)])
    asked = made(systems=[*systems, "bm25"], scores=values)
    return asked, {"trained": dict(enumerate(systems))}


def test_a_family_of_seeds_has_a_mean_and_differences_from_systems_without_seeds():
    asked, families = seeded(np.random.default_rng(1))
    mean, difference = asked.seed_rows(families)
    assert (mean.family, mean.other, mean.n_questions, mean.n_seeds) == ("trained", "", N, 4)
    assert mean.value == pytest.approx(asked.scores[:4].mean())
    assert mean.spread_of_seeds == pytest.approx(asked.scores[:4].mean(axis=1).std(ddof=1))
    assert (difference.other, difference.value) == (
        "bm25",
        pytest.approx((asked.scores[:4] - asked.scores[4]).mean()),
    )
    # questions have much in common with the other system
    assert difference.share_of_seeds > mean.share_of_seeds
    assert math.isnan(mean.p)
    assert (difference.p < 0.05) == (difference.low > 0 or difference.high < 0)


def test_two_families_are_compared_seed_by_seed_the_later_less_the_earlier():
    asked, _ = seeded(np.random.default_rng(1), n_seeds=8)
    first = {"1": "seed-0", "2": "seed-1", "3": "seed-2", "4": "seed-3"}
    second = {"4": "seed-4", "3": "seed-5", "2": "seed-6", "5": "seed-7"}
    found = {(row.family, row.other): row for row in asked.seed_rows({"a": second, "b": first})}
    assert list(found) == [("b", ""), ("b", "bm25"), ("a", ""), ("a", "bm25"), ("a", "b")]
    own = asked.scores[[6, 5, 4]] - asked.scores[[1, 2, 3]]  # seeds 2, 3 and 4, which both have
    paired = found["a", "b"]
    assert (paired.n_seeds, paired.value) == (3, pytest.approx(own.mean()))
    assert (paired.low, paired.high) == pytest.approx(seed_variance(own.T).interval(0.95))
    assert paired.p == pytest.approx(seed_variance(own.T).p())


OF_SYSTEMS = QuestionTests(level=0.95, alpha=0.05, margin=0.02, n_resamples=999, seed=5)
SYSTEMS = ["bm25", "dense", "fusion"]
N_SCORED = 90


def scores_of(**changed) -> QuestionScores:
    generator = np.random.default_rng(2)
    shared = generator.choice([0.0, 0.3, 0.6], N_SCORED)
    scores = np.stack([shared + level + 0.1 * generator.random(N_SCORED) for level in (0.0, 0.2, 0.205)])
    about = {
        "unit_set": "cranfield",
        "measure": "nDCG@10",
        "systems": SYSTEMS,
        "questions": [f"q{number}" for number in range(N_SCORED)],
        "scores": scores,
        "settings": OF_SYSTEMS,
    }
    return QuestionScores(**{**about, **changed})


@pytest.fixture(scope="module")
def compared_rows() -> list[QuestionDifference]:
    return all_differences(scores_of())


def test_numbers_of_a_row_are_of_its_two_systems(compared_rows):
    scores, row = scores_of().scores, compared_rows[2]
    expected = ttest_rel(scores[1], scores[2])
    assert (row.value_a, row.value_b) == pytest.approx((scores[1].mean(), scores[2].mean()))
    assert row.difference == pytest.approx(row.value_a - row.value_b)
    assert row.p == pytest.approx(expected.pvalue)
    assert (row.low, row.high) == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert row.wins == (scores[1] > scores[2]).sum()
    assert row.wins + row.ties + row.losses == N_SCORED
    # four standard errors of 999 draws
    assert row.p_sign_flip == pytest.approx(row.p, abs=4 * math.sqrt(row.p * (1 - row.p) / 999))
    assert (row.bootstrap_low, row.bootstrap_high) == pytest.approx(
        (row.low, row.high), abs=0.2 * (row.high - row.low)
    )
    assert row.bca_low < row.difference < row.bca_high
    assert row.p_equivalence < 0.05  # within 0.02 of each other
    assert compared_rows[0].p_equivalence > 0.99


def test_every_p_is_adjusted_for_all_pairs(compared_rows):
    assert [row.p_holm for row in compared_rows] == holm([row.p for row in compared_rows])
    assert [row.p_sign_flip_holm for row in compared_rows] == holm([row.p_sign_flip for row in compared_rows])


def test_the_detectable_difference_is_of_the_family_of_the_marks(compared_rows):
    test = scores_of().paired_t(1, 2)
    alone = 0.05 / 3  # what Holm asks of the smallest p of three pairs
    assert compared_rows[2].mdd_power == pytest.approx(test.detectable(alone))
    by_two = all_differences(scores_of(systems=SYSTEMS[1:], scores=scores_of().scores[1:]))[0]
    assert by_two.mdd_power == pytest.approx(test.detectable(0.05))


def test_marks_follow_the_tests(compared_rows):
    best = "dense" if compared_rows[2].difference > 0 else "fusion"
    marks = Marks(compared_rows, SYSTEMS)
    assert (marks.mark("cranfield", best), marks.mark("cranfield", "bm25")) == (BEST, "")


def test_questions_of_a_cluster_count_together():
    single = scores_of()
    copied = scores_of(
        scores=np.repeat(single.scores, 4, axis=1),
        questions=[f"q{number}" for number in range(4 * N_SCORED)],
        clusters=[f"law {number // 4}" for number in range(4 * N_SCORED)],
    )
    for one, other in zip(all_differences(single), all_differences(copied), strict=True):
        assert (other.n_questions, other.n_units, other.grouped) == (4 * N_SCORED, N_SCORED, True)
        assert (other.wins, other.ties, other.losses) == (4 * one.wins, 4 * one.ties, 4 * one.losses)
        for name in ("p", "p_holm", "p_sign_flip", "low", "high", "mdd_power", "bootstrap_low", "bca_high"):
            assert getattr(other, name) == pytest.approx(getattr(one, name), rel=1e-9), name


@pytest.mark.parametrize("noise", [0.0, 1e-15], ids=["equal", "equal but for rounding"])
def test_equal_systems_are_equal_by_every_test(noise):
    first = scores_of().scores[0]
    second = first + noise * np.random.default_rng(1).normal(0.3, 1, N_SCORED)
    row = all_differences(scores_of(systems=["one", "copy"], scores=np.stack([first, second])))[0]
    assert (row.difference, row.p, row.p_sign_flip, row.p_equivalence) == (0, 1, 1, 0)
    assert (row.ties, row.degenerate) == (N_SCORED, True)
    assert np.isnan([row.low, row.high, row.bca_low, row.mdd_power]).all()


@pytest.mark.parametrize(("n", "hits"), [(29, 29), (100, 9)])
def test_few_or_rare_differences_have_no_interval_and_a_p_of_sign_flips(n, hits):
    scores = np.full((2, n), 0.5)
    scores[0, :hits] += np.linspace(0.1, 0.4, hits)
    own = scores_of(systems=["a", "b"], scores=scores, questions=[str(k) for k in range(n)], clusters=None)
    (row,) = all_differences(own)
    assert np.isnan([row.low, row.bootstrap_low, row.bca_high, row.mdd_power, row.p_equivalence]).all()
    assert row.p == row.p_sign_flip < 0.05
    assert np.isnan(own.interval(0)).all()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"systems": ["a", "b", "a"]}, "systems: 'a' occurs twice; name each once"),
        ({"questions": ["q"] * N_SCORED}, "questions: 'q' occurs twice"),
        (
            {"clusters": ["law"] * N_SCORED},
            "cranfield: all questions are in one cluster; nothing can be tested",
        ),
        ({"questions": ["q"], "scores": np.zeros((3, 1))}, "cranfield: 1 questions; nothing can be tested"),
    ],
)
def test_what_does_not_fit_is_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        all_differences(scores_of(**changed))
