"""Correlations, their bootstrap, and tests of two of them."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sentflow.similarity.bootstrap import bootstrap
from sentflow.similarity.correlations import pearson, spearman
from sentflow.stats.dependent import williams_p, williams_t

# few distinct values, so that there are ties
columns = arrays(np.float64, 30, elements=st.integers(-4, 4).map(lambda value: value / 2))


@given(first=columns, second=columns)
def test_correlations_are_those_of_scipy(first, second):
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        assert math.isnan(pearson(first, second))
        assert math.isnan(spearman(first, second))
        return
    assert pearson(first, second) == pytest.approx(scipy.stats.pearsonr(first, second).statistic, abs=1e-14)
    assert spearman(first, second) == pytest.approx(scipy.stats.spearmanr(first, second).statistic, abs=1e-14)


def test_monotone_transform_changes_pearson_alone():
    generator = np.random.default_rng(0)
    similarities, gold = generator.normal(size=50), generator.normal(size=50)
    assert spearman(np.exp(similarities), gold) == spearman(similarities, gold)
    assert pearson(np.exp(similarities), gold) != pytest.approx(pearson(similarities, gold), abs=1e-3)


def test_values_that_differ_by_rounding_have_no_correlation():
    almost_one = np.array([1.0, 1 - 1e-16, 1.0, 1 - 3e-16])
    assert math.isnan(spearman(almost_one, np.arange(4.0)))
    assert math.isnan(pearson(almost_one, np.arange(4.0)))


def test_one_pair_has_no_correlation():
    assert math.isnan(spearman(np.array([0.5]), np.array([3.0])))


def test_values_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match="finite"):
        spearman(np.array([0.1, np.nan]), np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="same length"):
        pearson(np.zeros(3), np.zeros(4))


def draws(n, n_resamples, seed):
    """The pairs of each resample, as `bootstrap` draws them where one block holds all."""
    return np.random.default_rng(seed).integers(0, n, (n_resamples, n))


@settings(max_examples=40)
@given(gold=columns, column=columns, seed=st.integers(0, 5))
def test_bootstrap_ranks_each_resample_anew(gold, column, seed):
    found = bootstrap(gold, [column, -2 * column], n_resamples=8, seed=seed)
    for rows, rank, linear in zip(draws(30, 8, seed), found["spearman"], found["pearson"], strict=True):
        assert rank[0] == pytest.approx(spearman(column[rows], gold[rows]), abs=1e-12, nan_ok=True)
        assert linear[0] == pytest.approx(pearson(column[rows], gold[rows]), abs=1e-9, nan_ok=True)
        assert rank[1] == pytest.approx(
            -rank[0], abs=1e-12, nan_ok=True
        )  # the same resamples for all columns


def test_blocks_do_not_show(monkeypatch):
    """Generators draw the same numbers in one block or in many."""
    generator = np.random.default_rng(1)
    gold, column = generator.normal(size=40), generator.normal(size=40)
    whole = bootstrap(gold, [column], n_resamples=30, seed=2)
    monkeypatch.setattr("sentflow.similarity.bootstrap._CELLS_AT_ONCE", 40 * 7)
    in_blocks = bootstrap(gold, [column], n_resamples=30, seed=2)
    assert in_blocks["spearman"] == pytest.approx(whole["spearman"], abs=1e-12)
    assert in_blocks["pearson"] == pytest.approx(whole["pearson"], abs=1e-12)


@pytest.mark.slow
def test_intervals_of_95_percent_cover_95_percent():
    generator = np.random.default_rng(3)
    rho, n, covered, n_sets = 0.6, 150, 0, 400
    truth = (
        6 / math.pi * math.asin(rho / 2)
    )  # Spearman's ρ of normal variables with Pearson's r: Pearson 1907
    for seed in range(n_sets):
        gold = generator.normal(size=n)
        column = rho * gold + math.sqrt(1 - rho**2) * generator.normal(size=n)
        low, high = np.quantile(
            bootstrap(gold, [column], n_resamples=400, seed=seed)["spearman"][:, 0], [0.025, 0.975]
        )
        covered += low <= truth <= high
    # four standard errors of a share of 400, and half a point for the bias of percentile intervals
    assert 0.90 <= covered / n_sets <= 0.99


def test_williams_t_by_hand():
    # n = 103, r = .4 and .5 with gold, .1 with each other. R = 1 − .16 − .25 − .01 + 2 · .4 · .5 · .1 = .62
    # t = −.1 · √(102 · 1.1 / (2 · .62 · 102/100 + .45² · .9³)) = −.1 · √(112.2 / 1.4124225) = −.891287
    assert williams_t(0.4, 0.5, 0.1, n=103) == pytest.approx(-0.891280, abs=1e-6)
    # r.test(n = 103, r12 = .4, r23 = .1, r13 = .5) of R's psych prints t = -0.89 and p < 0.37
    assert williams_p(0.4, 0.5, 0.1, n=103) == pytest.approx(0.375, abs=0.001)


def test_williams_p_is_symmetric_and_defined_at_the_borders():
    assert williams_p(0.7, 0.5, 0.6, n=50) == pytest.approx(williams_p(0.5, 0.7, 0.6, n=50), rel=1e-12)
    assert williams_p(0.5, 0.5, 0.9, n=50) == 1.0
    assert williams_p(0.5, 0.5, 1.0, n=50) == 1.0
    assert math.isnan(williams_p(math.nan, 0.5, 0.3, n=50))
    assert math.isnan(williams_p(0.4, 0.5, 0.3, n=3))


@pytest.mark.slow
def test_williams_errs_as_often_as_it_says():
    generator = np.random.default_rng(4)
    n, n_sets, rejected = 60, 2000, 0
    for _ in range(n_sets):
        gold, shared, own_a, own_b = generator.normal(size=(4, n))
        a, b = gold + shared + own_a, gold + shared + own_b
        rejected += williams_p(pearson(a, gold), pearson(b, gold), pearson(a, b), n=n) <= 0.05
    assert 0.03 <= rejected / n_sets <= 0.07  # four standard errors are 0.02
