"""Means over questions in resamples of questions and of clusters."""

import numpy as np
import pytest
from scipy.stats import bootstrap

from sentflow.stats.means import ClusteredScores, mean_interval

SCORES = np.random.default_rng(4).choice([0, 0.25, 0.5, 1], (3, 80), p=[0.4, 0.2, 0.1, 0.3])
CLUSTERS = [f"law {place // 4}" if place < 60 else None for place in range(80)]


def test_units_are_clusters_and_questions_without_one():
    units = ClusteredScores.of(SCORES, CLUSTERS)
    assert units.grouped
    assert units.sizes.tolist() == [4.0] * 15 + [1.0] * 20
    assert units.totals[:, 2] == pytest.approx(SCORES[:, 8:12].sum(axis=1))
    assert not ClusteredScores.of(SCORES).grouped


def test_means_are_over_questions_not_over_clusters():
    scores = np.array([[1.0, 1.0, 1.0, 0.0]])
    assert ClusteredScores.of(scores, ["a", "a", "a", "b"]).means.tolist() == [0.75]


def test_replicates_of_clusters_are_ratios_of_what_was_drawn():
    """Two clusters, of one and three questions: a resample has either twice, or both."""
    drawn = ClusteredScores.of(np.array([[1.0, 0.0, 0.0, 0.5]]), ["a", "b", "b", "b"]).replicates(
        n_resamples=400, seed=1
    )
    values, counts = np.unique(np.round(drawn, 12), return_counts=True)
    assert values == pytest.approx([0.5 / 3, 1.5 / 4, 1.0])
    assert counts / 400 == pytest.approx([0.25, 0.5, 0.25], abs=0.1)  # four standard errors


def test_spread_of_replicates_is_that_of_the_mean():
    drawn = ClusteredScores.of(SCORES).replicates(n_resamples=20_000, seed=1)
    expected = SCORES.std(axis=1) / 80**0.5  # divisor n: the sample is the population of a bootstrap
    assert drawn.std(axis=0) == pytest.approx(expected, rel=0.03)  # six standard errors
    assert drawn.mean(axis=0) == pytest.approx(SCORES.mean(axis=1), abs=5 * expected.max() / 20_000**0.5)


def test_a_system_sees_the_same_draws_alone_and_beside_others():
    for clusters in (None, CLUSTERS):
        together = ClusteredScores.of(SCORES, clusters).replicates(n_resamples=300, seed=7)
        alone = ClusteredScores.of(SCORES[1:2], clusters).replicates(n_resamples=300, seed=7)
        assert alone[:, 0] == pytest.approx(together[:, 1], rel=1e-12)  # sums of a product of other width


def test_systems_that_differ_by_a_constant_differ_by_it_in_every_resample():
    units = ClusteredScores.of(np.stack([SCORES[0], SCORES[0] + 0.125]), CLUSTERS)
    drawn = units.replicates(n_resamples=500, seed=2)
    assert drawn[:, 1] - drawn[:, 0] == pytest.approx(0.125, rel=1e-12)


def test_copies_in_one_cluster_make_no_interval_narrower():
    single = ClusteredScores.of(SCORES)
    copied = ClusteredScores.of(
        np.repeat(SCORES, 5, axis=1), [str(place) for place in range(80) for _ in range(5)]
    )
    one, other = (units.replicates(n_resamples=500, seed=3) for units in (single, copied))
    assert other == pytest.approx(one, rel=1e-12)
    assert copied.left_out() == pytest.approx(single.left_out(), rel=1e-12)


def test_left_out_means_by_hand():
    units = ClusteredScores.of(np.array([[1.0, 0.0, 0.5]]), ["a", "a", "b"])
    assert units.left_out()[:, 0].tolist() == [0.5, 0.5]


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_limits_agree_with_scipy_on_questions(method):
    """With other draws: 20,000 of each, whose limits have a standard error below 0.0007."""
    sample = SCORES[2] ** 2
    units = ClusteredScores.of(sample[None])
    drawn = units.replicates(n_resamples=20_000, seed=5)[:, 0]
    found = mean_interval(drawn, float(units.means[0]), units.left_out()[:, 0], level=0.95)
    expected = bootstrap(
        (sample,), np.mean, n_resamples=20_000, method=method, rng=np.random.default_rng(6)
    ).confidence_interval
    ours = (found.low, found.high) if method == "percentile" else (found.bca_low, found.bca_high)
    assert ours == pytest.approx((expected.low, expected.high), abs=0.004)


def test_bca_moves_limits_towards_the_long_tail():
    sample = np.r_[np.zeros(60), np.linspace(0, 1, 20) ** 3]
    units = ClusteredScores.of(sample[None])
    drawn = units.replicates(n_resamples=5_000, seed=5)[:, 0]
    found = mean_interval(drawn, float(units.means[0]), units.left_out()[:, 0], level=0.95)
    assert found.bca_low > found.low
    assert found.bca_high > found.high


def test_equal_values_have_an_interval_without_width():
    units = ClusteredScores.of(np.full((1, 30), 0.3), [str(place // 2) for place in range(30)])
    drawn = units.replicates(n_resamples=100, seed=1)[:, 0]
    found = mean_interval(drawn, 0.3, units.left_out()[:, 0], level=0.99)
    assert (found.low, found.high, found.bca_low, found.bca_high) == (0.3,) * 4
