"""Sign flips: against SciPy, all sign vectors, and what must not matter."""

import numpy as np
import pytest
from scipy.stats import permutation_test

from sentflow.stats.sign_flips import least_sign_flip_p, sign_flip_p_values


def p_of(differences, *, n_resamples=9999, seed=1) -> float:
    return float(sign_flip_p_values(np.array([differences]), n_resamples=n_resamples, seed=seed)[0])


def test_p_by_hand():
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
