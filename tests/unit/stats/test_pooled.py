"""Differences over tasks: the random-effects model against other computations and in simulation."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import t as student

from sentflow.stats.pooled import pooled_difference

DIFFERENCES = np.array([0.05, 0.01, 0.09, -0.02, 0.04, 0.12])
ERRORS = np.array([0.02, 0.01, 0.03, 0.02, 0.01, 0.04])
ARGUMENTS = {"level": 0.95}


def restricted_likelihood(tau, covariance_of_sources=0.0):
    """Twice the negative log-likelihood, by dense matrices."""
    covariance = np.diag(ERRORS**2 + tau**2) + covariance_of_sources
    inverse = np.linalg.inv(covariance)
    weight = inverse.sum()
    mean = inverse.sum(axis=0) @ DIFFERENCES / weight
    rest = DIFFERENCES - mean
    return np.linalg.slogdet(covariance)[1] + math.log(weight) + rest @ inverse @ rest, mean, 1 / weight


def test_tasks_of_different_sources_are_the_usual_random_effects_model():
    tau = minimize_scalar(lambda x: restricted_likelihood(x)[0], bounds=(0, 1), method="bounded").x
    _, mean, variance = restricted_likelihood(tau)
    misfit = ((DIFFERENCES - mean) ** 2 / (ERRORS**2 + tau**2)).sum() / 5
    half = student.ppf(0.975, 5) * math.sqrt(variance * max(1, misfit))
    found = pooled_difference(DIFFERENCES, ERRORS, "abcdef", **ARGUMENTS)
    assert (found.between_tasks, found.weighted) == pytest.approx((tau, mean), rel=1e-3)
    assert (found.weighted_low, found.weighted_high) == pytest.approx((mean - half, mean + half), rel=1e-2)


def test_the_plain_mean_has_the_variance_of_its_components():
    found = pooled_difference(DIFFERENCES, ERRORS, "abcdef", **ARGUMENTS)
    mean, of_tasks = DIFFERENCES.mean(), found.between_tasks**2 / 6
    variance = of_tasks + (ERRORS**2).sum() / 36
    half = student.ppf(0.975, 5) * math.sqrt(variance)  # Satterthwaite's 5.7 are more than the sources allow
    assert (found.mean, found.low, found.high) == pytest.approx((mean, mean - half, mean + half))
    reach = student.ppf(0.975, 5) * math.sqrt(variance + found.between_tasks**2)
    assert (found.new_low, found.new_high) == pytest.approx((mean - reach, mean + reach))
    by_source = pooled_difference(DIFFERENCES, ERRORS, "aaabbc", **ARGUMENTS)
    of_sources = by_source.between_sources**2 * (9 + 4 + 1) / 36
    of_tasks = by_source.between_tasks**2 / 6
    variance = of_sources + of_tasks + (ERRORS**2).sum() / 36
    squares = of_sources**2 / (36 / 14 - 1) + of_tasks**2 / 3
    half = student.ppf(0.975, min(2, variance**2 / squares)) * math.sqrt(variance)
    assert (by_source.mean, by_source.high) == pytest.approx((mean, mean + half))


def test_sources_have_a_variance_of_their_own():
    sources = np.array([0, 0, 0, 1, 1, 2])
    found = pooled_difference(DIFFERENCES, ERRORS, sources.tolist(), **ARGUMENTS)
    shared = np.equal.outer(sources, sources)

    def at(tau, omega):
        return restricted_likelihood(tau, omega**2 * shared)[0]

    grid = np.linspace(0, 0.15, 61)
    best = min(at(tau, omega) for tau in grid for omega in grid)
    assert at(found.between_tasks, found.between_sources) <= best + 1e-6
    assert found.n_sources == 3


def test_one_source_has_tasks_as_its_units():
    one = pooled_difference(DIFFERENCES, ERRORS, ["a"] * 6, **ARGUMENTS)
    each = pooled_difference(DIFFERENCES, ERRORS, "abcdef", **ARGUMENTS)
    assert (one.mean, one.low, one.new_low) == (each.mean, each.low, each.new_low)
    assert (one.n_sources, each.n_sources) == (1, 6)
    assert math.isnan(one.between_sources)


def test_task_with_an_unknown_error_counts_with_the_usual_one():
    errors = np.array([0.02, 0.0, 0.02])
    filled = pooled_difference(np.array([0.1, 0.0, 0.05]), errors, "abc", **ARGUMENTS)
    assert filled == pooled_difference(np.array([0.1, 0.0, 0.05]), np.full(3, 0.02), "abc", **ARGUMENTS)


@pytest.mark.parametrize("errors", [[0.1], [0.0, 0.0]])
def test_one_task_or_no_error_at_all_pools_nothing(errors):
    found = pooled_difference(np.zeros(len(errors)), np.array(errors), range(len(errors)), **ARGUMENTS)
    assert math.isnan(found.mean) and math.isnan(found.new_low)
