"""The t-test of units that come in clusters."""

import math

import numpy as np
import pytest

from sentflow.stats.effective import effective_clusters
from sentflow.stats.paired import ClusteredT, PairedT

DIFFERENCES = np.random.default_rng(5).normal(0.05, 0.3, 40)


def test_error_by_hand():
    # mean 0.3; without each cluster 0.3, 0.7/3, 1.1/3: moved by 0, −0.2/3, 0.2/3; 4²/(2² + 1 + 1) clusters of one size
    test = ClusteredT(np.array([0.2, 0.4, 0.5, 0.1]), np.array([0, 0, 1, 2]))
    assert (test.mean, test.freedom) == (pytest.approx(0.3), pytest.approx(16 / 6 - 1))
    assert test.error == pytest.approx(math.sqrt(2 / 3 * (0.04 + 0.04) / 9))


def test_error_is_that_of_leaving_out_each_cluster():
    cluster = np.random.default_rng(1).integers(0, 8, 40)
    without = np.array([DIFFERENCES[cluster != one].mean() for one in range(8)])
    jackknife = math.sqrt(7 / 8 * ((without - DIFFERENCES.mean()) ** 2).sum())
    assert ClusteredT(DIFFERENCES, cluster).error == pytest.approx(jackknife, rel=1e-12)


@pytest.mark.parametrize(
    ("sizes", "expected"), [([3, 3, 3, 3], 4), ([1] * 50, 50), ([50, *[1] * 50], 100**2 / 2550), ([7], 1)]
)
def test_a_large_cluster_leaves_few_effective_ones(sizes, expected):
    assert effective_clusters(np.array(sizes)) == pytest.approx(expected)


def test_clusters_of_one_unit_are_independent_units():
    test, single = ClusteredT(DIFFERENCES, np.arange(40)), PairedT(DIFFERENCES)
    assert test.freedom == pytest.approx(single.freedom)
    assert (test.error, test.p()) == pytest.approx((single.error, single.p()), rel=1e-12)
    assert test.interval(0.95) == pytest.approx(single.interval(0.95), rel=1e-12)
    assert test.detectable(0.05) == pytest.approx(single.detectable(0.05), rel=1e-12)


def test_error_of_clusters_of_one_size_is_that_of_statsmodels():
    api = pytest.importorskip("statsmodels.api", reason="optional: envs/requirements-crosscheck.txt")
    cluster = np.arange(40) // 4
    fitted = api.OLS(DIFFERENCES, np.ones(40)).fit(cov_type="cluster", cov_kwds={"groups": cluster})
    # its small-sample factor is C/(C − 1) · (n − 1)/(n − k) with k = 1
    assert ClusteredT(DIFFERENCES, cluster).error == pytest.approx(float(fitted.bse[0]), rel=1e-9)


def test_differences_that_cancel_out_within_clusters_test_nothing():
    test = ClusteredT(np.array([0.5, -0.5, 0.25, -0.25]), np.array([0, 0, 1, 1]))
    assert test.degenerate
    assert test.p() == 1.0
