"""The variance of a mean over questions and seeds."""

import math

import numpy as np
import pytest

from sentflow.stats.seed_variance import SeedVariance, resampled_seed_variance, seed_variance


def drawn(n_questions: int, n_seeds: int, of_questions: float, of_seeds: float, of_both: float, seed: int):
    generator = np.random.default_rng(seed)
    return (
        of_questions * generator.standard_normal((n_questions, 1))
        + of_seeds * generator.standard_normal(n_seeds)
        + of_both * generator.standard_normal((n_questions, n_seeds))
    )


def split(**changed) -> SeedVariance:
    about = {"mean": 0.1, "n_questions": 100, "n_seeds": 5, "questions": 0.04, "seeds": 0.0, "both": 0.01,
             "negative": (), "freedom": 99.0}  # fmt: skip
    return SeedVariance(**{**about, **changed})


def test_components_by_hand():
    # question means 1, 4; seed means 1, 2.5, 4; mean 2.5; residuals ±0.5, 0, ∓0.5
    found = seed_variance(np.array([[0.0, 1.0, 2.0], [2.0, 4.0, 6.0]]))
    # MS_q = 3 · 2 · 1.5² / 1 = 13.5; MS_s = 2 · 2 · 1.5² / 2 = 4.5; MS_qs = 4 · 0.25 / 2 = 0.5
    assert found.mean == 2.5
    assert (found.questions, found.seeds, found.both) == pytest.approx((13 / 3, 2.0, 0.5))
    assert found.variance == pytest.approx(13 / 6 + 2 / 3 + 0.5 / 6)
    assert found.variance == pytest.approx((13.5 + 4.5 - 0.5) / 6)
    assert found.freedom == pytest.approx(17.5**2 / (13.5**2 / 1 + 4.5**2 / 2 + 0.5**2 / 2))
    assert (found.negative, found.more) == ((), "questions")


@pytest.mark.parametrize(("n_seeds", "of_seeds"), [(3, 0.1), (10, 0.1)])
def test_interval_covers_the_mean_for_other_questions_and_seeds(n_seeds, of_seeds):
    covered = []
    for seed in range(1000):
        low, high = seed_variance(drawn(60, n_seeds, 0.3, of_seeds, 0.2, seed)).interval(0.95)
        covered.append(low <= 0 <= high)
    # 99 % band of 1,000 data sets is 93.1 to 96.7; where seeds hardly matter, their two degrees of freedom make it wide
    assert 0.93 <= np.mean(covered) <= 0.995


def test_seeds_that_differ_less_than_noise_are_said_to_have_no_variance():
    # two seeds with equal means: MS_s = 0 is below MS_qs
    found = seed_variance(np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0]]))
    assert (found.negative, found.seeds) == (("seeds",), 0.0)
    # what is left is the variance of the means of questions
    assert found.variance == pytest.approx(np.var([0.5, 0.5, 3.0], ddof=1) / 3)
    assert found.freedom == pytest.approx(2)


def test_more_of_what_has_the_larger_part():
    assert split(questions=0.04, seeds=0.001).more == "questions"  # 0.0004 against 0.0002
    assert split(questions=0.04, seeds=0.004).more == "seeds"
    assert split(questions=0.0, seeds=0.0).more == "either"


def test_interval_is_that_of_t():
    # √(0.04/100 + 0.01/500) = 0.020494; t(0.975; 99) = 1.98422
    assert split().interval(0.95) == pytest.approx((0.1 - 0.040664, 0.1 + 0.040664), abs=1e-6)


def test_equal_values_have_no_width():
    found = seed_variance(np.full((4, 3), 0.5))
    assert found.interval(0.99) == (0.5, 0.5)
    assert math.isnan(found.freedom)


def resampled_means(values: np.ndarray, n_resamples: int = 4000) -> np.ndarray:
    n = len(values)
    counts = np.random.default_rng(8).multinomial(n, np.full(n, 1 / n), size=n_resamples)
    return counts @ values / n


def test_resamples_of_a_mean_give_what_the_table_of_values_gives():
    """A bootstrap over n units has (n − 1) / n of the variance, and 4,000 resamples 2.3 % of noise in it."""
    values = drawn(200, 6, 0.3, 0.05, 0.2, seed=1)
    exact = seed_variance(values)
    found = resampled_seed_variance(values.mean(axis=0), resampled_means(values), n_units=200)
    assert found.mean == pytest.approx(exact.mean)
    assert found.questions == pytest.approx(exact.questions, rel=0.1)
    assert found.both == pytest.approx(exact.both, rel=0.1)
    assert found.seeds == pytest.approx(exact.seeds, rel=0.05)
    assert found.variance == pytest.approx(exact.variance, rel=0.1)
    assert found.more == exact.more


@pytest.mark.parametrize("level", [0.9, 0.99])
def test_p_is_that_of_the_interval(level):
    found = seed_variance(0.06 + drawn(40, 5, 0.3, 0.02, 0.1, 4))
    low, high = found.interval(level)
    assert (low > 0) == (found.p() < 1 - level)
    assert found.interval(1 - found.p())[0] == pytest.approx(0, abs=1e-9)


def test_p_without_any_spread():
    assert seed_variance(np.zeros((3, 3))).p() == 1
    assert math.isnan(seed_variance(np.ones((3, 3))).p())


def test_two_seeds_give_neither_interval_nor_p():
    found = seed_variance(drawn(40, 2, 0.3, 0.02, 0.1, 4))
    assert math.isfinite(found.mean) and np.isnan([*found.interval(0.95), found.p()]).all()
