"""Means over questions in resamples of questions and of clusters."""

import math

import numpy as np
import pytest
from scipy.stats import binom, binomtest, bootstrap

from sentflow.retrieval.hardest import hardest, most_different
from sentflow.stats.means import ClusteredScores, interval_of_scores, mean_interval, wilson_limits
from sentflow.stats.resampling import Bootstrap

SCORES = np.random.default_rng(4).choice([0, 0.25, 0.5, 1], (3, 80), p=[0.4, 0.2, 0.1, 0.3])
CLUSTERS = [f"law {place // 4}" if place < 60 else None for place in range(80)]


def test_units_are_clusters_and_questions_without_one():
    units = ClusteredScores.of(SCORES, CLUSTERS)
    assert units.grouped
    assert units.sizes.tolist() == [4.0] * 15 + [1.0] * 20
    assert units.totals[:, 2] == pytest.approx(SCORES[:, 8:12].sum(axis=1))
    assert not ClusteredScores.of(SCORES).grouped


def test_replicates_of_clusters_are_ratios_of_what_was_drawn():
    """Two clusters, of one and three questions: a resample has either twice, or both."""
    drawn = ClusteredScores.of(np.array([[1.0, 0.0, 0.0, 0.5]]), ["a", "b", "b", "b"]).replicates(
        n_resamples=400, seed=1
    )
    values, counts = np.unique(np.round(drawn, 12), return_counts=True)
    assert values == pytest.approx([0.5 / 3, 1.5 / 4, 1.0])
    assert counts / 400 == pytest.approx([0.25, 0.5, 0.25], abs=0.1)  # four standard errors


def test_left_out_means_by_hand():
    units = ClusteredScores.of(np.array([[1.0, 0.0, 0.5]]), ["a", "a", "b"])
    assert units.left_out[:, 0].tolist() == [0.5, 0.5]


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_limits_agree_with_scipy_on_questions(method):
    """With other draws: 20,000 of each, whose limits have a standard error below 0.0007."""
    sample = SCORES[2] ** 2
    units = ClusteredScores.of(sample[None])
    drawn = units.replicates(n_resamples=20_000, seed=5)[:, 0]
    found = mean_interval(drawn, float(units.means[0]), units.left_out[:, 0], level=0.95)
    expected = bootstrap(
        (sample,), np.mean, n_resamples=20_000, method=method, rng=np.random.default_rng(6)
    ).confidence_interval
    ours = (found.low, found.high) if method == "percentile" else (found.bca_low, found.bca_high)
    assert ours == pytest.approx((expected.low, expected.high), abs=0.004)


def test_equal_values_have_an_interval_without_width():
    units = ClusteredScores.of(np.full((1, 30), 0.3), [str(place // 2) for place in range(30)])
    drawn = units.replicates(n_resamples=100, seed=1)[:, 0]
    found = mean_interval(drawn, 0.3, units.left_out[:, 0], level=0.99)
    assert (found.low, found.high, found.bca_low, found.bca_high) == (0.3,) * 4


def test_shares_have_wilsons_limits_at_any_number_and_few_other_scores_none():
    draws = Bootstrap(0.95, 1000, 1)
    # Brown, Cai and DasGupta 2001, Statistical Science 16, section 3.1.1: 0 of n reaches z² / (n + z²)
    assert interval_of_scores(np.zeros(10), draws) == pytest.approx((0, 1.959964**2 / (10 + 1.959964**2)))
    assert interval_of_scores(np.array([1.0, 0, 0, 1, 1, 0, 0, 0, 0, 1]), draws) == pytest.approx(
        binomtest(4, 10).proportion_ci(0.95, method="wilson"), abs=1e-9
    )
    # section 4.1.1: the lower limit of one in 50 is the 5 % quantile of a Poisson distribution, 0.0513 / 50
    one, but_one = np.arange(50) == 0, np.arange(50) > 0
    assert interval_of_scores(one.astype(float), draws)[0] == pytest.approx(-math.log(0.95) / 50)
    assert interval_of_scores(but_one.astype(float), draws)[1] == pytest.approx(1 + math.log(0.95) / 50)
    rare = np.where(np.arange(100) < 9, 0.5, 0.0)
    for few in (np.linspace(0, 1, 29), rare):
        assert np.isnan(interval_of_scores(few, draws)).all()
    for enough in (np.linspace(0, 1, 30), np.where(np.arange(100) < 10, 0.5, 0.0)):
        assert np.isfinite(interval_of_scores(enough, draws)).all()


@pytest.mark.parametrize(("n", "share"), [(17, 0.02), (30, 0.99), (100, 0.005), (500, 0.5)])
def test_limits_of_shares_cover_them(n, share):
    ones = np.arange(n + 1)
    low, high = np.array([wilson_limits(int(one), n, 0.95) for one in ones]).T
    assert binom.pmf(ones, n, share)[(low <= share) & (share <= high)].sum() >= 0.92


def test_intervals_of_few_questions_cover_as_they_say():
    generator, draws = np.random.default_rng(2), Bootstrap(0.95, 500, 1)
    truth = np.exp(0.125)  # of the skewed scores
    found = [interval_of_scores(generator.lognormal(0, 0.5, 30), draws) for _ in range(1000)]
    assert np.mean([low <= truth <= high for low, high in found]) >= 0.925


OF_SYSTEMS = np.array(
    [[1.0, 0.0, 0.5, 0.1, 0.3, 0.0], [1.0, 0.0, 0.0, 0.2, 0.2, 0.0], [1.0, 0.0, 0.1, 0.3, 0.1, 1.0]]
)


def test_hardest_have_the_lowest_mean_over_systems():
    # means 1, 0, 0.2, 0.2, 0.2, 1/3: of equal ones the first in the data, though 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1
    assert hardest(OF_SYSTEMS, limit=10).tolist() == [1, 2, 3, 4, 5, 0]
    assert hardest(OF_SYSTEMS[::-1], limit=10).tolist() == [1, 2, 3, 4, 5, 0]
    assert hardest(OF_SYSTEMS, limit=2).tolist() == [1, 2]


def test_most_different_come_first_whoever_is_better():
    # |a − c|: 0, 0, 0.4, 0.2, 0.2, 1
    assert most_different(OF_SYSTEMS, 0, 2, limit=10).tolist() == [5, 2, 3, 4]
    assert most_different(OF_SYSTEMS, 2, 0, limit=10).tolist() == [5, 2, 3, 4]
    assert most_different(OF_SYSTEMS, 0, 2, limit=1).tolist() == [5]


def test_questions_with_equal_scores_never_differ_most():
    assert most_different(np.array([[0.1 + 0.2], [0.3]]), 0, 1, limit=5).tolist() == []
