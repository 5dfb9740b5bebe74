"""Almost stochastic order."""

import numpy as np
import pytest

from sentflow.stats.stochastic_order import least_violation, violation_ratio


def numbers(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (numbers(3, 4), numbers(1, 2), 0.0),
        (numbers(1, 2), numbers(3, 4), 1.0),
        (numbers(1, 2), numbers(2, 1), 0.5),  # the same sample
        (numbers(1, 5), numbers(2, 3), 0.2),  # quantiles differ by 1 against and 2 for: 1 / (1 + 4)
        # thirds against halves: steps end at 1/3, 1/2, 2/3, 1; b − a is 1, −1, 1, −2 there
        (numbers(0, 2, 4), numbers(1, 2), None),
    ],
)
def test_the_ratio_by_hand(a, b, expected):
    if expected is None:  # a: 0, 2, 2, 4; b: 1, 1, 2, 2 on widths 1/3, 1/6, 1/6, 1/3
        expected = (1 / 3) / (1 / 3 + 1 / 6 + 0 + 4 / 3)
    assert violation_ratio(a, b) == pytest.approx(expected, abs=1e-12)


def test_the_two_directions_add_up_to_one_and_the_order_of_scores_is_of_no_account():
    generator = np.random.default_rng(1)
    a, b = generator.standard_normal(7), generator.standard_normal(5)
    assert violation_ratio(a, b) + violation_ratio(b, a) == pytest.approx(1)
    assert violation_ratio(a[::-1], b) == violation_ratio(a, b)


def test_the_ratio_of_normal_distributions_that_differ_in_spread():
    # F⁻¹ − G⁻¹ = μ + (σ − 1) Φ⁻¹ with μ = 0.5, σ = 2: below 0 where z < −0.5; by quadrature of the two integrals
    z = np.linspace(-8, 8, 160_001)
    square = (0.5 + z) ** 2 * np.exp(-(z**2) / 2)
    expected = square[z < -0.5].sum() / square.sum()
    quantiles = (np.arange(200_000) + 0.5) / 200_000
    from scipy.special import ndtri

    b = ndtri(quantiles)
    assert violation_ratio(0.5 + 2 * b, b) == pytest.approx(expected, abs=1e-3)


def test_the_bound_says_better_worse_and_undecided():
    generator = np.random.default_rng(2)
    b = generator.standard_normal(8)
    settings = {"n_resamples": 1000, "seed": 1}
    assert least_violation(b + 10, b, **settings) == 0.0
    assert least_violation(b, b + 10, **settings) == 1.0
    assert least_violation(b + 0.05, generator.standard_normal(8), **settings) > 0.5
    assert least_violation(numbers(1, 1), numbers(1, 1), **settings) == 0.5


def test_more_confidence_needs_more_violation():
    generator = np.random.default_rng(3)
    a, b = generator.standard_normal(10) + 0.8, generator.standard_normal(10)
    bounds = [least_violation(a, b, level=level, n_resamples=2000, seed=4) for level in (0.5, 0.9, 0.99)]
    assert violation_ratio(a, b) == pytest.approx(bounds[0])
    assert bounds[0] < bounds[1] < bounds[2]


def test_one_score_is_not_enough():
    with pytest.raises(ValueError, match="1 and 3 scores"):
        least_violation(numbers(1), numbers(1, 2, 3), n_resamples=10, seed=1)


@pytest.mark.parametrize(
    ("shift", "ratio", "bound"),
    [(0.0, 0.02552875, 0.52540), (0.3, 0.01004657, 0.46849), (0.8, 0.97140432, 1.0), (1.5, 0.0, 0.0)],
)
def test_as_deep_significance_computes_it(shift, ratio, bound):
    """deepsig 1.2.8: compute_violation_ratio(a, b); aso(a, b, num_bootstrap_iterations=4000, seed=1).

    Its integrals are sums of a thousand steps (1e-3), and its resamples are others (4,000 of them; 0.015).
    """
    generator = np.random.default_rng(5)
    for drawn in (0.0, 0.3, 0.8, 1.5):
        a, b = generator.standard_normal(12) + drawn, generator.standard_normal(9)
        if drawn == shift:
            break
    assert violation_ratio(a, b) == pytest.approx(ratio, abs=1e-3)
    assert least_violation(a, b, n_resamples=4000, seed=1) == pytest.approx(bound, abs=0.015)
