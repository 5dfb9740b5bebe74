"""Sign flips: against SciPy, all sign vectors, and what must not matter."""

import numpy as np
import pytest
from scipy.stats import permutation_test

from sentflow.stats import sign_flips
from sentflow.stats.paired import PairedT
from sentflow.stats.sign_flips import least_sign_flip_p, sign_flip_p_values


def p_of(differences, *, n_resamples=9999, seed=1) -> float:
    return float(sign_flip_p_values(np.array([differences]), n_resamples=n_resamples, seed=seed)[0])


@pytest.fixture
def discrete() -> np.ndarray:
    """(6, 300) differences of reciprocal ranks, many of them 0 and many tied."""
    ranks = np.array([0, 1, 1 / 2, 1 / 3, 1 / 4, 1 / 5])
    first, second = np.random.default_rng(2).choice(ranks, (2, 6, 300))
    return first - second + 0.02 * (np.arange(6) % 3)[:, None]


def test_p_by_hand():
    # of 8 sign vectors only +++ and −−− reach 6
    assert p_of([1.0, 2.0, 3.0]) == 2 / 8
    # |Σ| = 2; ±1±2±3: 6, 0, 2, 4 and their negatives: six of eight reach 2
    assert p_of([1.0, -2.0, 3.0]) == 6 / 8


@pytest.mark.parametrize("n", [4, 8, 11])
def test_few_units_are_looked_at_completely_as_scipy_does(n):
    differences = np.random.default_rng(n).normal(0.4, 1, n)
    expected = permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert p_of(differences) == pytest.approx(expected.pvalue, rel=1e-12)


def test_drawn_signs_agree_with_all_of_them():
    differences = np.random.default_rng(9).normal(0.35, 1, 16)
    exact = p_of(differences, n_resamples=2**16)
    drawn = p_of(differences, n_resamples=2**16 - 1)
    assert 0.01 < exact < 0.9
    # four standard errors of 65,535 draws
    assert drawn == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 2**16) ** 0.5)
    assert drawn != exact


def test_units_without_a_difference_change_nothing():
    differences = [0.3, -0.1, 0.25, 0.4, 0.05]
    assert p_of([*differences, *[0.0] * 500]) == p_of(differences)


def test_sums_that_tie_but_for_rounding_count():
    # 0.1 + 0.2 − 0.3 is 5.6e-17: each of the eight sums is at least as far from 0
    assert p_of([0.1, 0.2, -0.3]) == 1.0


@pytest.mark.parametrize("n_resamples", [2**13, 2**13 - 1], ids=["all", "drawn"])
def test_tenths_have_the_p_of_whole_numbers(n_resamples):
    tenths = np.random.default_rng(7).integers(1, 10, 13) * np.resize([1, 1, 1, -1], 13)
    found = p_of(tenths / 10, n_resamples=n_resamples)
    assert found == p_of(tenths.astype(float), n_resamples=n_resamples)
    assert 0 < found < 1


def test_equal_systems_have_p_1():
    assert p_of(np.zeros(1000)) == 1.0


def test_smallest_p_is_that_of_the_draws():
    assert p_of(np.ones(1000), n_resamples=999) == 1 / 1000


def test_every_pair_sees_the_same_draws(discrete):
    together = sign_flip_p_values(discrete, n_resamples=999, seed=3)
    alone = [p_of(one, n_resamples=999, seed=3) for one in discrete]
    assert together.tolist() == alone


def test_order_of_a_pair_does_not_matter(discrete):
    there, back = (sign_flip_p_values(sign * discrete, n_resamples=999, seed=3) for sign in (1, -1))
    assert there.tolist() == back.tolist()


def test_blocks_change_no_draw(discrete, monkeypatch):
    whole = sign_flip_p_values(discrete, n_resamples=999, seed=3)
    monkeypatch.setattr(sign_flips, "_CELLS_AT_ONCE", 301)
    assert sign_flip_p_values(discrete, n_resamples=999, seed=3).tolist() == whole.tolist()


def test_another_seed_draws_other_signs(discrete):
    one, other = (sign_flip_p_values(discrete, n_resamples=999, seed=seed) for seed in (3, 4))
    assert one.tolist() != other.tolist()


def test_many_units_have_about_the_p_of_the_t_test():
    differences = np.random.default_rng(6).normal(0.02, 0.3, 1000)
    expected = PairedT(differences).p()
    assert p_of(differences) == pytest.approx(expected, abs=4 * (expected * (1 - expected) / 9999) ** 0.5)


@pytest.mark.parametrize("n", [1, 2, 5, 6, 8])
def test_the_least_p_is_that_of_differences_of_one_sign(n):
    found = sign_flip_p_values(np.arange(1.0, n + 1)[None], n_resamples=1000, seed=1)[0]
    assert least_sign_flip_p(n) == found == 2 / 2**n


def test_five_seeds_cannot_reach_five_percent_and_six_can():
    assert least_sign_flip_p(5) > 0.05 >= least_sign_flip_p(6)
    assert least_sign_flip_p(0) == 1
