"""Systems on the questions of a collection: rows, marks, clusters, and what is refused."""

import math

import numpy as np
import pytest
from scipy.stats import ttest_rel

from sentflow.compare.differences import all_differences
from sentflow.compare.marks import BEST, mark
from sentflow.compare.question_rows import QuestionDifference
from sentflow.compare.questions import QuestionScores, QuestionSettings
from sentflow.stats.multiplicity import holm

SETTINGS = QuestionSettings(level=0.95, alpha=0.05, margin=0.02, n_resamples=999, seed=5)
SYSTEMS = ["bm25", "dense", "fusion"]
N = 90


def made(**changed) -> QuestionScores:
    generator = np.random.default_rng(2)
    shared = generator.choice([0.0, 0.3, 0.6], N)
    scores = np.stack([shared + level + 0.1 * generator.random(N) for level in (0.0, 0.2, 0.205)])
    about = {
        "unit_set": "cranfield",
        "measure": "nDCG@10",
        "systems": SYSTEMS,
        "questions": [f"q{number}" for number in range(N)],
        "scores": scores,
        "settings": SETTINGS,
    }
    return QuestionScores(**{**about, **changed})


@pytest.fixture(scope="module")
def rows() -> list[QuestionDifference]:
    return all_differences(made())


def test_numbers_of_a_row_are_of_its_two_systems(rows):
    scores, row = made().scores, rows[2]
    expected = ttest_rel(scores[1], scores[2])
    assert (row.value_a, row.value_b) == pytest.approx((scores[1].mean(), scores[2].mean()))
    assert row.difference == pytest.approx(row.value_a - row.value_b)
    assert row.p == pytest.approx(expected.pvalue)
    assert (row.low, row.high) == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert row.wins == (scores[1] > scores[2]).sum()
    assert row.wins + row.ties + row.losses == N
    # four standard errors of 999 draws
    assert row.p_sign_flip == pytest.approx(row.p, abs=4 * math.sqrt(row.p * (1 - row.p) / 999))
    assert (row.bootstrap_low, row.bootstrap_high) == pytest.approx(
        (row.low, row.high), abs=0.2 * (row.high - row.low)
    )
    assert row.bca_low < row.difference < row.bca_high
    assert row.p_equivalence < 0.05  # within 0.02 of each other
    assert rows[0].p_equivalence > 0.99


def test_every_p_is_adjusted_for_all_pairs(rows):
    assert [row.p_holm for row in rows] == holm([row.p for row in rows])
    assert [row.p_sign_flip_holm for row in rows] == holm([row.p_sign_flip for row in rows])


def test_the_detectable_difference_is_of_the_family_of_the_marks(rows):
    test = made().paired_t(1, 2)
    alone = 0.05 / 3  # what Holm asks of the smallest p of three pairs
    assert rows[2].mdd_power == pytest.approx(test.detectable(alone))
    by_two = all_differences(made(systems=SYSTEMS[1:], scores=made().scores[1:]))[0]
    assert by_two.mdd_power == pytest.approx(test.detectable(0.05))


def test_marks_follow_the_tests(rows):
    best = "dense" if rows[2].difference > 0 else "fusion"
    assert mark(rows, "cranfield", best) == BEST
    assert mark(rows, "cranfield", "bm25") == ""


def test_questions_of_a_cluster_count_together():
    single = made()
    copied = made(
        scores=np.repeat(single.scores, 4, axis=1),
        questions=[f"q{number}" for number in range(4 * N)],
        clusters=[f"law {number // 4}" for number in range(4 * N)],
    )
    for one, other in zip(all_differences(single), all_differences(copied), strict=True):
        assert (other.n_questions, other.n_units, other.grouped) == (4 * N, N, True)
        assert (other.wins, other.ties, other.losses) == (4 * one.wins, 4 * one.ties, 4 * one.losses)
        for name in ("p", "p_holm", "p_sign_flip", "low", "high", "mdd_power", "bootstrap_low", "bca_high"):
            assert getattr(other, name) == pytest.approx(getattr(one, name), rel=1e-9), name


@pytest.mark.parametrize("noise", [0.0, 1e-15], ids=["equal", "equal but for rounding"])
def test_equal_systems_are_equal_by_every_test(noise):
    first = made().scores[0]
    second = first + noise * np.random.default_rng(1).normal(0.3, 1, N)
    row = all_differences(made(systems=["one", "copy"], scores=np.stack([first, second])))[0]
    assert (row.difference, row.p, row.p_sign_flip, row.p_equivalence) == (0, 1, 1, 0)
    assert (row.ties, row.degenerate) == (N, True)
    assert np.isnan([row.low, row.high, row.bca_low, row.mdd_power]).all()


@pytest.mark.parametrize(("n", "hits"), [(29, 29), (100, 9)])
def test_few_or_rare_differences_have_no_interval_and_a_p_of_sign_flips(n, hits):
    scores = np.full((2, n), 0.5)
    scores[0, :hits] += np.linspace(0.1, 0.4, hits)
    own = made(systems=["a", "b"], scores=scores, questions=[str(k) for k in range(n)], clusters=None)
    (row,) = all_differences(own)
    assert np.isnan([row.low, row.bootstrap_low, row.bca_high, row.mdd_power, row.p_equivalence]).all()
    assert row.p == row.p_sign_flip < 0.05
    assert math.isnan(own.interval(0).low)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"systems": ["a", "b", "a"]}, "systems: 'a' occurs twice; name each once"),
        ({"questions": ["q"] * N}, "questions: 'q' occurs twice"),
        ({"clusters": ["law"] * N}, "cranfield: all questions are in one cluster; nothing can be tested"),
        ({"questions": ["q"], "scores": np.zeros((3, 1))}, "cranfield: 1 questions; nothing can be tested"),
    ],
)
def test_what_does_not_fit_is_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        made(**changed)
