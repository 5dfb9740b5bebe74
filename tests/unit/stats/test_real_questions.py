"""Intervals and tests on scores of real searches: short forms of benchmarks document_coverage.py and real_nulls.py."""

import numpy as np
import pytest

pytestmark = [pytest.mark.mirror, pytest.mark.slow]


@pytest.fixture(scope="module")
def faquad(mirror):
    from real_scores import real_scores

    return real_scores("faquad", mirror)


def test_intervals_over_documents_cover_new_documents_where_those_over_questions_do_not(faquad):
    from document_coverage import coverage, quantities

    for what, values in quantities(faquad).items():
        found = coverage(values, faquad.clusters, 100, n_samples=400, n_resamples=199, seed=1)
        t, _, clustered_t, clustered_bootstrap = found
        # 99 % band of 400 samples around 95 %: 92.2 to 97.8; percentiles of 199 resamples are a little narrow
        assert 0.922 <= clustered_t <= 0.985, what
        assert clustered_bootstrap >= 0.90, what
        if "analyser" not in what:
            assert t < 0.92, what


def test_tests_hold_their_level_where_real_scores_are_given_to_systems_in_random_order(faquad):
    from real_nulls import family_rates, permuted, single_rates

    drawn = list(permuted(faquad.values[:3], 50, 1000, seed=2))
    t, flips, _ = single_rates(drawn, 299)
    # 99 % band of 1,000 samples; ties, which count, make sign flips cautious
    assert 0.025 <= t <= 0.069
    assert flips <= 0.069
    _, holm_t, holm_flips, randomised, two_way = family_rates(drawn[:500], 299)
    assert max(holm_t, holm_flips, randomised) <= 0.08  # of 500 samples
    assert two_way <= 0.08
    assert np.isfinite([t, flips]).all()
