"""Paired tests, what difference they detect, and their adjustment for many."""

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats
from scipy.stats import binomtest, false_discovery_control, permutation_test

from sentflow.compare.comparisons import n_needed
from sentflow.stats.multiplicity import benjamini_hochberg, holm, least_sign_flip_p, sign_flip_p_values
from sentflow.stats.paired import CorrectedT, PairedT, mcnemar

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
    assert test.wins() == (2, 2, 1)
    assert test.wins(0.01) == (1, 3, 1)


def test_documents_cost_degrees_of_freedom():
    found = CorrectedT(DIFFERENCES, folds=5, documents=8.0)
    assert found.freedom == 7
    assert found.error == CorrectedT(DIFFERENCES, folds=5).error
    assert found.p() == pytest.approx(2 * scipy_stats.t.sf(abs(found.mean) / found.error, 7))
    quantiles = scipy_stats.t.ppf([0.975, 0.8], 7).sum()
    assert found.detectable(0.05) == pytest.approx(quantiles * found.error)


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


def test_holm_by_hand():
    # sorted 0.01, 0.02, 0.03, 0.04 of four: 4 · 0.01, 3 · 0.02, then 2 · 0.03 = 0.06, 1 · 0.04 raised to 0.06
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])


def test_undefined_test_counts_as_one_of_the_family():
    adjusted = holm([0.01, math.nan, 0.02])
    assert adjusted[0] == pytest.approx(0.03) and adjusted[2] == pytest.approx(0.04)
    assert math.isnan(adjusted[1])


def test_holm_is_that_of_statsmodels():
    multitest = pytest.importorskip(
        "statsmodels.stats.multitest", reason="optional: envs/requirements-crosscheck.txt"
    )
    p_values = np.random.default_rng(1).random(20) ** 3
    assert holm(p_values.tolist()) == pytest.approx(multitest.multipletests(p_values, method="holm")[1])


def test_benjamini_hochberg_is_that_of_scipy():
    p_values = [0.03, 0.001, 0.4, 0.02, 0.9]
    assert benjamini_hochberg(p_values) == pytest.approx(list(false_discovery_control(p_values)))


def test_undefined_test_is_one_of_the_family_of_benjamini_and_hochberg():
    found = benjamini_hochberg([0.01, math.nan])
    assert found[0] == pytest.approx(0.02) and math.isnan(found[1])
    assert benjamini_hochberg([]) == []


def p_of(differences, *, n_resamples=9999, seed=1) -> float:
    return float(sign_flip_p_values(np.array([differences]), n_resamples=n_resamples, seed=seed)[0])


def test_p_of_sign_flips_by_hand():
    # of 8 sign vectors only +++ and −−− reach 6
    assert p_of([1.0, 2.0, 3.0]) == 2 / 8
    # |Σ| = 2; ±1±2±3: 6, 0, 2, 4 and their negatives: six of eight reach 2
    assert p_of([1.0, -2.0, 3.0]) == 6 / 8


@pytest.mark.parametrize("n", [4, 11])
def test_few_units_are_looked_at_completely_as_scipy_does(n):
    differences = np.random.default_rng(n).normal(0.4, 1, n)
    expected = permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert p_of(differences) == pytest.approx(expected.pvalue, rel=1e-12)


def test_sums_that_tie_but_for_rounding_count():
    # 0.1 + 0.2 − 0.3 is 5.6e-17: each of the eight sums is at least as far from 0
    assert p_of([0.1, 0.2, -0.3]) == 1.0


@pytest.mark.parametrize("n_resamples", [2**13, 2**13 - 1], ids=["all", "drawn"])
def test_tenths_have_the_p_of_whole_numbers(n_resamples):
    tenths = np.random.default_rng(7).integers(1, 10, 13) * np.resize([1, 1, 1, -1], 13)
    found = p_of(tenths / 10, n_resamples=n_resamples)
    assert found == p_of(tenths.astype(float), n_resamples=n_resamples)
    assert 0 < found < 1


@pytest.mark.parametrize("n", [1, 2, 5, 6, 8])
def test_the_least_p_is_that_of_differences_of_one_sign(n):
    found = sign_flip_p_values(np.arange(1.0, n + 1)[None], n_resamples=1000, seed=1)[0]
    assert least_sign_flip_p(n) == found == 2 / 2**n
