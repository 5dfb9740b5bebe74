"""Correlations, their bootstrap, and tests of two of them."""

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from made_graphs import stars, unshared

from sentflow.similarity.measures import pearson, spearman
from sentflow.similarity.scores import bootstrap
from sentflow.stats.pair_graph import PairGraph

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


def test_values_that_differ_by_rounding_have_no_correlation():
    almost_one = np.array([1.0, 1 - 1e-16, 1.0, 1 - 3e-16])
    assert math.isnan(spearman(almost_one, np.arange(4.0)))
    assert math.isnan(pearson(almost_one, np.arange(4.0)))


def test_values_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match="finite"):
        spearman(np.array([0.1, np.nan]), np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="same length"):
        pearson(np.zeros(3), np.zeros(4))


# each sentence but the ends is in two pairs, so that pairs weigh the product of two draws
PATH = PairGraph(np.arange(120), np.arange(1, 121))


def draws(n, n_resamples, seed):
    """The pairs of each resample, as `bootstrap` draws them where one block holds all."""
    return np.random.default_rng(seed).integers(0, n, (n_resamples, n))


@settings(max_examples=40)
@given(gold=columns, column=columns, seed=st.integers(0, 5))
def test_bootstrap_ranks_each_resample_anew(gold, column, seed):
    found = bootstrap(gold, [column, -2 * column], unshared(30).units, n_resamples=8, seed=seed)
    for rows, rank, linear in zip(draws(30, 8, seed), found["spearman"], found["pearson"], strict=True):
        assert rank[0] == pytest.approx(spearman(column[rows], gold[rows]), abs=1e-12, nan_ok=True)
        assert linear[0] == pytest.approx(pearson(column[rows], gold[rows]), abs=1e-9, nan_ok=True)
        # the same resamples for all columns
        assert rank[1] == pytest.approx(-rank[0], abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("graph", [stars(60, 2), stars(12, 10), PATH], ids=["components", "stars", "path"])
def test_a_resample_of_units_is_the_correlation_of_pairs_as_often_as_they_weigh(graph):
    """Units are drawn as pairs are, and each pair is repeated."""
    generator = np.random.default_rng(3)
    gold, column = generator.integers(0, 6, 120).astype(float), generator.integers(0, 9, 120).astype(float)
    units = graph.units
    found = bootstrap(gold, [column], units, n_resamples=20, seed=4)
    for drawn, rank, linear in zip(
        draws(units.n_units, 20, 4), found["spearman"], found["pearson"], strict=True
    ):
        weights = units.weights(np.bincount(drawn, minlength=units.n_units)[None])[0]
        rows = np.repeat(np.arange(120), weights)
        assert rank[0] == pytest.approx(scipy.stats.spearmanr(column[rows], gold[rows]).statistic, abs=1e-12)
        assert linear[0] == pytest.approx(scipy.stats.pearsonr(column[rows], gold[rows]).statistic, abs=1e-9)
