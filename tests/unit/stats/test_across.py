"""Omnibus test, independent units and intervals of average ranks over tasks."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import stats as scipy_stats
from scipy.stats import rankdata

from sentflow.stats.across import independent_units, omnibus, rank_intervals, unit_means
from sentflow.stats.ranks import average_ranks

MEANS = np.random.default_rng(2).normal([0.5, 0.45, 0.40, 0.40], 0.05, (18, 4))


@pytest.mark.parametrize(
    ("sources", "units"),
    [
        (["hatebr", "factnews", "hatebr"], [0, 1, 0]),
        (["a", "b", "c"], [0, 1, 2]),
        (["generated texts"] * 3, [0, 1, 2]),  # nothing can be said of other sources
        ([], []),
    ],
)
def test_units_are_sources_where_there_are_several(sources, units):
    assert independent_units(sources).tolist() == units


def test_a_source_counts_once_however_many_tasks_it_has():
    means = np.array([[0.9, 0.5], [0.7, 0.5], [0.4, 0.6]])
    found = unit_means(means, independent_units(["a", "a", "b"]))
    assert found == pytest.approx(np.array([[0.8, 0.5], [0.4, 0.6]]))
    copied = unit_means(means[[0, 1, 0, 1, 2]], independent_units(["a"] * 4 + ["b"]))
    assert copied == pytest.approx(found)
    assert unit_means(np.empty((0, 2)), independent_units([])).shape == (0, 2)


def test_friedman_by_hand():
    # ranks (1, 2, 3), (1, 3, 2), (1, 2, 3): averages 1, 7/3, 8/3
    # chi2 = 12 · 3 / (3 · 4) · (1 + 49/9 + 64/9 − 3 · 16 / 4) = 14/3; F = 2 · 14/3 / (6 − 14/3) = 7
    found = omnibus(np.array([[0.9, 0.8, 0.7], [0.9, 0.7, 0.8], [0.9, 0.8, 0.7]]))
    assert (found.friedman_chi2, found.iman_davenport_f) == pytest.approx((14 / 3, 7.0))
    assert found.friedman_p == pytest.approx(math.exp(-14 / 6))  # two degrees of freedom
    assert found.iman_davenport_p == pytest.approx(scipy_stats.f.sf(7, 2, 4))


@pytest.mark.parametrize("decimals", [6, 2])  # without and with ties
def test_friedman_is_that_of_scipy(decimals):
    means = MEANS.round(decimals)
    expected = scipy_stats.friedmanchisquare(*means.T)
    found = omnibus(means)
    assert (found.friedman_chi2, found.friedman_p) == pytest.approx((expected.statistic, expected.pvalue))


def test_tasks_that_all_rank_alike_have_an_exact_p():
    found = omnibus(np.tile([0.9, 0.5, 0.1], (4, 1)))
    assert found.iman_davenport_f == math.inf
    assert found.iman_davenport_p == pytest.approx(6.0**-3)


def test_equal_scores_everywhere_reject_nothing():
    assert omnibus(np.zeros((5, 3))).iman_davenport_p == 1.0


@pytest.mark.parametrize("shape", [(1, 4), (18, 1)])
def test_one_task_or_one_encoder_has_no_omnibus_test(shape):
    found = omnibus(np.random.default_rng(0).random(shape))
    assert all(map(math.isnan, vars(found).values()))


def fold_scores(means: np.ndarray, spread: float, *, shared: float = 0.0, seed: int = 0) -> list[np.ndarray]:
    """Per task 50 scores of each encoder, with exactly these means; part of the noise is that of all encoders."""
    rng = np.random.default_rng(seed)
    found = []
    for row in means:
        noise = rng.normal(0, 1, (50, len(row))) * (1 - shared) + rng.normal(0, 1, (50, 1)) * shared
        found.append(row + spread * (noise - noise.mean(axis=0)))
    return found


ARGUMENTS = {"folds": 5, "level": 0.95, "n_draws": 2000, "seed": 0}


def test_clear_differences_have_certain_ranks():
    means = np.tile([0.9, 0.5, 0.1], (18, 1))
    found = rank_intervals(fold_scores(means, 0.01), **ARGUMENTS)
    assert [(one.average_rank, one.repeat_low, one.repeat_high) for one in found] == [
        (1, 1, 1),
        (2, 2, 2),
        (3, 3, 3),
    ]


def test_tasks_of_one_source_are_drawn_together():
    """Three tasks agree because they share a source: one draw in four has none of them but the other task."""
    means = np.array([[0.9, 0.1]] * 3 + [[0.1, 0.9]])
    scores = fold_scores(means, 0.001)
    single, _ = rank_intervals(scores, **ARGUMENTS)
    together, _ = rank_intervals(scores, **ARGUMENTS, units=np.array([0, 0, 0, 1]))
    assert (single.average_rank, together.average_rank) == (1.25, 1.25)
    assert single.repeat_high < 2.0  # all four draws the last task: 1 in 256
    assert (together.repeat_low, together.repeat_high) == (1.0, 2.0)


@given(
    arrays(
        np.float64,
        array_shapes(min_dims=1, max_dims=3, max_side=6),
        elements=st.sampled_from([-2.0, -0.0, 0.0, 1e-300, 0.5, 3.0, np.inf, np.nan]),
    )
)
def test_ranks_are_those_of_scipy_along_the_last_axis(values: np.ndarray) -> None:
    np.testing.assert_array_equal(average_ranks(values), rankdata(values, axis=-1))
