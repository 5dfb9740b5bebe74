"""All pairs at once by the range of the means."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import studentized_range, ttest_rel, tukey_hsd

from sentflow.stats import tukey
from sentflow.stats.sign_flips import sign_flip_p_values
from sentflow.stats.tukey import randomised_tukey, two_way_tukey

B = 9999


@pytest.fixture
def scores() -> np.ndarray:
    """(4, 60) of systems that share the difficulty of questions."""
    generator = np.random.default_rng(8)
    shared = generator.normal(size=60)
    return shared + generator.normal(size=(4, 60)) + np.array([0, 0.1, 0.35, 0.6])[:, None]


def error_of(p: float) -> float:
    """Four standard errors of a p from B draws."""
    return 4 * math.sqrt(p * (1 - p) / B) + 1 / B


def test_two_way_p_by_hand():
    # means 1, 2, 3.5, question means 13/6 each way; residuals −1/2, 1/2, 0 and their negatives: Σ² = 1
    scores = np.array([[0.5, 1.5], [2.5, 1.5], [3.5, 3.5]])
    error = math.sqrt(1 / 2 / 2)  # V = 1 / (2 · 1), of two questions
    found = two_way_tukey(scores)
    assert found[0, 2] == pytest.approx(studentized_range.sf(2.5 / error, 3, 2))
    assert found[1, 0] == pytest.approx(studentized_range.sf(1.0 / error, 3, 2))


def test_two_systems_are_a_paired_t_test(scores):
    assert two_way_tukey(scores[:2])[0, 1] == pytest.approx(ttest_rel(*scores[:2]).pvalue, rel=1e-6)


def test_where_questions_are_all_alike_it_is_nearly_tukeys_test_of_groups():
    """What questions have in common is then noise: 398 degrees of freedom instead of 597."""
    generator = np.random.default_rng(3)
    scores = generator.normal(size=(3, 200)) + np.array([0.0, 0.1, 0.25])[:, None]
    expected = tukey_hsd(*scores).pvalue
    assert two_way_tukey(scores) == pytest.approx(expected, abs=0.05)


def test_randomised_p_of_normal_scores_is_near_the_two_way_p(scores):
    expected = two_way_tukey(scores)
    found = randomised_tukey(scores, n_resamples=B, seed=1)
    assert found == pytest.approx(expected, abs=0.03)
    assert found[0, 3] < 0.05 < found[0, 1]


def test_randomised_p_agrees_with_all_permutations():
    scores = np.array([[0.5, 1.0, 0.2], [0.0, 1.0, 0.9], [0.5, 0.25, 1.0]])
    columns = [list(itertools.permutations(column)) for column in scores.T]
    sums = np.array([np.sum(chosen, axis=0) for chosen in itertools.product(*columns)])  # 6³ ways
    ranges = np.ptp(sums, axis=1)
    found = randomised_tukey(scores, n_resamples=B, seed=2)
    for a, b in itertools.combinations(range(3), 2):
        exact = float((ranges >= abs(scores[a].sum() - scores[b].sum()) - 1e-12).mean())
        assert found[a, b] == pytest.approx(exact, abs=error_of(exact))


def test_randomised_p_of_two_systems_is_that_of_sign_flips(scores):
    expected = float(sign_flip_p_values(scores[:1] - scores[2:3], n_resamples=B, seed=5)[0])
    found = randomised_tukey(scores[[0, 2]], n_resamples=B, seed=6)[0, 1]
    assert found == pytest.approx(expected, abs=1.5 * error_of(expected))


def test_p_is_adjusted_so_other_systems_make_it_larger(scores):
    alone = randomised_tukey(scores[[0, 3]], n_resamples=B, seed=1)[0, 1]
    assert randomised_tukey(scores, n_resamples=B, seed=1)[0, 3] > alone


@pytest.mark.parametrize("test", [two_way_tukey, lambda x: randomised_tukey(x, n_resamples=199, seed=1)])
def test_p_is_symmetric_and_1_on_the_diagonal(scores, test):
    found = test(scores)
    assert (found == found.T).all()
    assert (np.diag(found) == 1).all()


@pytest.mark.parametrize("test", [two_way_tukey, lambda x: randomised_tukey(x, n_resamples=199, seed=1)])
def test_equal_systems_have_p_1(test):
    same = np.tile(np.random.default_rng(1).random(20), (3, 1))
    assert (test(same) == 1).all()


def test_systems_that_differ_by_a_constant_leave_no_residual():
    shifted = np.random.default_rng(1).random(20) + np.array([0.0, 0.25])[:, None]
    assert math.isnan(two_way_tukey(shifted)[0, 1])


def test_questions_on_which_all_systems_are_equal_change_no_randomised_p(scores):
    more = np.concatenate([scores, np.tile(np.linspace(0, 1, 500), (4, 1))], axis=1)
    one, other = (randomised_tukey(x, n_resamples=999, seed=3) for x in (scores, more))
    assert (one == other).all()


def test_blocks_change_no_permutation(scores, monkeypatch):
    whole = randomised_tukey(scores, n_resamples=999, seed=3)
    monkeypatch.setattr(tukey, "_CELLS_AT_ONCE", 1)
    assert (randomised_tukey(scores, n_resamples=999, seed=3) == whole).all()
