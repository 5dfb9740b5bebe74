"""The t-test of units that come in clusters."""

import math

import numpy as np
import pytest

from sentflow.stats.clustered import ClusteredT
from sentflow.stats.paired import PairedT

DIFFERENCES = np.random.default_rng(5).normal(0.05, 0.3, 40)


def test_error_by_hand():
    # mean 0.3; sums of d − d̄: −0.1 + 0.1 = 0 (first), 0.2, −0.2: √(3/2 · 0.08) / 4
    test = ClusteredT(np.array([0.2, 0.4, 0.5, 0.1]), np.array([0, 0, 1, 2]))
    assert (test.mean, test.freedom) == (pytest.approx(0.3), 2)
    assert test.error == pytest.approx(math.sqrt(0.12) / 4)


def test_clusters_of_one_unit_are_independent_units():
    test, single = ClusteredT(DIFFERENCES, np.arange(40)), PairedT(DIFFERENCES)
    assert test.freedom == single.freedom
    assert (test.error, test.p()) == pytest.approx((single.error, single.p()), rel=1e-12)
    assert test.interval(0.95) == pytest.approx(single.interval(0.95), rel=1e-12)
    assert test.detectable(0.05) == pytest.approx(single.detectable(0.05), rel=1e-12)


def test_copies_of_a_question_in_one_cluster_teach_nothing():
    copied = ClusteredT(np.repeat(DIFFERENCES, 7), np.repeat(np.arange(40), 7))
    single = PairedT(DIFFERENCES)
    assert (copied.mean, copied.error, copied.p()) == pytest.approx((single.mean, single.error, single.p()))
    assert PairedT(copied.differences).error < 0.4 * single.error  # √(1/7)


def test_numbers_of_clusters_do_not_matter():
    cluster = np.random.default_rng(1).integers(0, 8, 40)
    renamed = np.random.default_rng(2).permutation(8)[cluster]
    assert ClusteredT(DIFFERENCES, cluster).p() == pytest.approx(ClusteredT(DIFFERENCES, renamed).p())


def test_error_is_that_of_statsmodels():
    api = pytest.importorskip("statsmodels.api", reason="optional: envs/requirements-crosscheck.txt")
    cluster = np.arange(40) // 3
    fitted = api.OLS(DIFFERENCES, np.ones(40)).fit(cov_type="cluster", cov_kwds={"groups": cluster})
    # its small-sample factor is C/(C − 1) · (n − 1)/(n − k) with k = 1
    assert ClusteredT(DIFFERENCES, cluster).error == pytest.approx(float(fitted.bse[0]), rel=1e-9)


def test_differences_that_cancel_out_within_clusters_test_nothing():
    test = ClusteredT(np.array([0.5, -0.5, 0.25, -0.25]), np.array([0, 0, 1, 1]))
    assert test.degenerate
    assert test.p() == 1.0


def test_one_cluster_is_refused():
    with pytest.raises(ValueError, match="all units are in one cluster; give two or more"):
        ClusteredT(DIFFERENCES, np.zeros(40, np.int64))
