"""Corrected and paired t-tests, minimum detectable difference, and how much data would lower it."""

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats
from scipy.stats import binomtest

from sentflow.compare.comparisons import n_needed
from sentflow.stats.paired import CorrectedT, PairedT, Wins, mcnemar

DIFFERENCES = np.random.default_rng(0).normal(0.02, 0.05, 50)


@pytest.fixture
def test() -> CorrectedT:
    return CorrectedT(DIFFERENCES, folds=5)


def test_p_by_hand():
    # 1, 2, 3, 4: mean 2.5, s = √(5/3); two folds, so the ratio is 1/(2 − 1) and t = 2.5 / (s · √(1/4 + 1)) = √3
    found = CorrectedT(np.array([1.0, 2.0, 3.0, 4.0]), folds=2)
    assert found.mean / found.error == pytest.approx(math.sqrt(3))
    # P(T₃ ≤ t) = 1/2 + (t / (√3 (1 + t²/3)) + arctan(t/√3)) / π
    assert found.p() == pytest.approx(1 - 2 * (math.atan(1) + 0.5) / math.pi)


@pytest.mark.parametrize(("alpha", "true"), [(0.05, 1.4854), (0.01, 1.8337)])
def test_detectable_differences_of_the_design(test, alpha, true):
    """(t(1 − α/2; 49) + t(0.80; 49)) · √0.27, in units of the spread."""
    spread = DIFFERENCES.std(ddof=1)
    assert test.detectable(alpha) / spread == pytest.approx(true, abs=6e-4)


FIRST, SECOND = np.random.default_rng(3).random((2, 60))
QUESTIONS = PairedT(FIRST - SECOND + 0.02)


def test_p_and_interval_of_independent_units_are_those_of_scipy():
    expected = scipy_stats.ttest_rel(FIRST + 0.02, SECOND)
    assert QUESTIONS.p() == pytest.approx(expected.pvalue, rel=1e-12)
    assert QUESTIONS.mean / QUESTIONS.error == pytest.approx(expected.statistic, rel=1e-12)
    for level in (0.9, 0.99):
        assert QUESTIONS.interval(level) == pytest.approx(
            tuple(expected.confidence_interval(level)), rel=1e-12
        )


def test_needed_by_hand():
    # an MDD of .03 is 1.5 times .02, so 2.25 times as many are needed
    assert n_needed(400, 0.03) == pytest.approx(900)
    assert n_needed(400, 0.01) == pytest.approx(100)
    assert math.isnan(n_needed(400, math.nan))


def test_effect_size_does_not_grow_with_the_number_of_units():
    twice = PairedT(np.tile(QUESTIONS.differences, 2))
    # s² of twice the same: 2 Σ / (2n − 1) instead of Σ / (n − 1)
    assert twice.effect_size == pytest.approx(QUESTIONS.effect_size * math.sqrt(119 / 118))
    assert QUESTIONS.effect_size == pytest.approx(QUESTIONS.mean / QUESTIONS.differences.std(ddof=1))


def test_equivalence_is_the_larger_of_two_one_sided_tests():
    d, margin = QUESTIONS.differences, 0.05
    expected = max(
        scipy_stats.ttest_1samp(d, -margin, alternative="greater").pvalue,
        scipy_stats.ttest_1samp(d, margin, alternative="less").pvalue,
    )
    assert QUESTIONS.p_equivalence(margin) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("margin", [-0.1, math.nan])
def test_equivalence_needs_a_margin(margin):
    assert math.isnan(QUESTIONS.p_equivalence(0.0))
    with pytest.raises(ValueError, match=f"margin: {margin}"):
        QUESTIONS.p_equivalence(margin)


def test_equal_scores_on_every_unit_are_equivalent_and_other_constant_differences_undefined():
    same, other = PairedT(np.zeros(5)), PairedT(np.full(5, 0.1))
    assert (same.p(), same.p_equivalence(0.01), same.interval(0.95)) == (1.0, 0.0, (0.0, 0.0))
    assert all(map(math.isnan, (other.p(), other.p_equivalence(0.2), other.effect_size)))
    assert (other.mean, other.degenerate) == (0.1, True)


def test_differences_of_rounding_are_ties():
    # 0.1 + 0.2 is 0.30000000000000004
    test = PairedT(np.array([0.1 + 0.2 - 0.3, 0.0, 0.5, -0.25, 1e-3]))
    assert test.wins() == Wins(a=2, ties=2, b=1)
    assert test.wins(0.01) == Wins(a=1, ties=3, b=1)


def test_documents_cost_degrees_of_freedom():
    found = CorrectedT(DIFFERENCES, folds=5, documents=8.0)
    assert found.freedom == 7
    assert found.error == CorrectedT(DIFFERENCES, folds=5).error
    assert found.p() == pytest.approx(2 * scipy_stats.t.sf(abs(found.mean) / found.error, 7))
    quantiles = scipy_stats.t.ppf([0.975, 0.8], 7).sum()
    assert found.detectable(0.05) == pytest.approx(quantiles * found.error)


def test_of_too_few_documents_only_the_mean_is_said():
    found = CorrectedT(DIFFERENCES, folds=5, documents=2.0)
    assert found.mean == DIFFERENCES.mean()
    said = (found.p(), found.detectable(0.05), *found.interval(0.95), found.p_equivalence(0.01))
    assert np.isnan(said).all()


def right(both: int, only_first: int, only_second: int, none: int) -> tuple[np.ndarray, np.ndarray]:
    first = np.repeat([True, True, False, False], [both, only_first, only_second, none])
    second = np.repeat([True, False, True, False], [both, only_first, only_second, none])
    return first, second


def test_p_of_mcnemar_by_hand():
    # 1 against 5: 2 · (1 + 6) / 2⁶
    assert mcnemar(*right(10, 1, 5, 7)) == pytest.approx(14 / 64)


def test_texts_on_which_both_agree_do_not_count():
    assert mcnemar(*right(1000, 2, 9, 1000)) == pytest.approx(mcnemar(*right(0, 2, 9, 0)))
    assert mcnemar(*right(0, 2, 9, 0)) == pytest.approx(binomtest(2, 11).pvalue)


@pytest.mark.parametrize("counts", [(5, 0, 0, 5), (5, 4, 4, 5)])
def test_no_difference_has_p_one_of_mcnemar(counts):
    assert mcnemar(*right(*counts)) == 1.0
