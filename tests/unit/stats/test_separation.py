import itertools
import math

import numpy as np
import pytest

from sentflow.stats.separation import (
    ALPHA,
    Estimate,
    brackets,
    differences_of,
    estimate_of,
    item_errors,
    letters,
    maximal_sets,
    p_alone,
    pairs_of,
    separate,
    separate_items,
    separate_seeds,
    square,
    step_down,
    units_needed,
)


def board(
    n_tasks: int, n_models: int, seed: int = 0, *, apart: float = 0.0, spread: float = 6.0
) -> np.ndarray:
    """(T, M) scores of exchangeable models, or of models `apart` points from one to the next."""
    generator = np.random.default_rng(seed)
    task = 60 + 12 * generator.standard_t(3, (n_tasks, 1))
    own = generator.standard_t(5, (n_tasks, n_models)) * np.exp(generator.normal(0, 0.5, (n_tasks, 1)))
    return task - apart * np.arange(n_models) + spread * own


def by_enumeration(scores: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """(M, M) adjusted p by the definition: every sign vector, every pair, one rejection after the other."""
    first, second = pairs_of(scores.shape[1])
    d = scores[:, first] - scores[:, second]
    sums = np.array([d[groups == group].sum(axis=0) for group in range(groups.max() + 1)])
    sizes = np.bincount(groups)
    around = sums - sizes[:, None] * d.mean(axis=0)
    z = sums / np.sqrt((sums**2).sum(axis=0) + np.median((around**2).sum(axis=0)))
    flipped = np.abs([np.array(signs) @ z for signs in itertools.product((-1, 1), repeat=len(sums))])
    found, p, at_least = np.abs(z.sum(axis=0)), np.ones(len(first)), 0.0
    rest = list(range(len(first)))
    while rest:
        top = max(rest, key=lambda pair: found[pair])
        at_least = max(at_least, float((flipped[:, rest].max(axis=1) >= found[top] - 1e-9).mean()))
        p[top] = at_least
        rest.remove(top)
    return square(p, scores.shape[1], 1.0)


@pytest.mark.parametrize("groups", [np.arange(9), np.array([0, 0, 0, 1, 2, 2, 3, 4, 5])])
def test_exact_p_are_those_of_every_sign_vector(groups):
    scores = board(9, 5, apart=4.0)
    assert separate(scores, groups).p == pytest.approx(by_enumeration(scores, groups), abs=1e-12)


def test_p_of_one_pair_by_hand():
    d = np.array([3.0, 1.0, 2.0, -1.0, 4.0, 2.0])
    # sums up to 13; at least 11 if none or one of the two 1 is negative: 3 of 64 sign vectors, and 3 with all turned
    assert p_alone(np.stack([d, 0 * d], axis=1)) == 6 / 64


def test_six_tasks_can_separate_and_five_cannot():
    steep = np.arange(40.0)[::-1] + 0.01 * np.random.default_rng(0).standard_normal((6, 40))
    six, five = separate(steep), separate(steep[:5])
    assert six.p.min() == 1 / 32
    assert five.p.min() > ALPHA
    assert not five.separated.any()
    assert (five.low == 1).all()
    assert (five.board_high == 40).all()


def test_equal_models_share_their_places_and_are_never_separated():
    scores = board(18, 8, apart=4.0)
    scores[:, 3] = scores[:, 2]
    found = separate(scores)
    assert found.p[2, 3] == 1
    assert (found.board_low[2], found.board_high[2]) == (found.board_low[3], found.board_high[3])
    equal = separate(np.tile(board(18, 1), 4))
    assert (equal.p == 1).all()
    assert not equal.separated.any()


def test_the_order_of_models_constants_of_tasks_and_the_scale_change_nothing():
    scores = board(18, 10, apart=2.0)
    p = separate(scores).p
    moved = 0.01 * (scores + 50 * np.random.default_rng(1).standard_normal((18, 1)))
    assert separate(moved).p == pytest.approx(p, abs=2e-3)
    assert separate(scores[:, ::-1]).p[::-1, ::-1] == pytest.approx(p, abs=2e-3)


def test_copies_of_tasks_are_no_evidence_when_they_are_one_group():
    scores = board(18, 10, apart=1.0)
    once, tripled = separate(scores), np.repeat(scores, 3, axis=0)
    as_groups = separate(tripled, np.repeat(np.arange(18), 3))
    assert as_groups.p == pytest.approx(once.p, abs=1e-12)
    assert as_groups.least == pytest.approx(once.least)
    assert separate(tripled).separated.sum() > once.separated.sum()


def test_places_follow_from_the_separations():
    scores = board(41, 20, apart=2.0)
    found = separate(scores)
    assert (found.better == -found.better.T).all()
    wins = np.sign(scores.mean(axis=0)[:, None] - scores.mean(axis=0))
    assert (found.better[found.separated] == wins[found.separated]).all()
    assert found.board_low.tolist() == [1 + int((row < 0).sum()) for row in found.better]
    assert found.board_high.tolist() == [20 - int((row > 0).sum()) for row in found.better]
    assert (found.low >= found.board_low).all()
    assert (found.high <= found.board_high).all()
    assert (found.high - found.low).sum() < (found.board_high - found.board_low).sum()


def test_the_least_difference_is_where_separation_begins():
    """A pair with the residuals of the typical one, at and around the least difference."""
    scores = board(41, 10)
    scores -= scores.mean(axis=0)
    found, differences = separate(scores), differences_of(scores)
    n, m = 41, differences.typical
    for share, is_reached in ((0.999, False), (1.001, True)):
        d = share * found.least
        assert (n * d / math.sqrt(2 * m + n * d**2) > found.critical) == is_reached


def test_gaps_count_for_no_pair():
    """A pair has its own common tasks alone, and the other pairs are as without the gap."""
    scores = board(20, 3, apart=5.0)
    with_gap = scores.copy()
    with_gap[:4, 2] = np.nan
    found, all_there = differences_of(with_gap), differences_of(scores)
    assert found.means == pytest.approx(
        [all_there.means[0], *(scores[4:, :2].mean(axis=0) - scores[4:, 2].mean())]
    )
    alone = step_down(differences_of(with_gap[:, 1:]), moderation=0)[0].p
    assert alone == pytest.approx(p_alone(scores[4:, 1:]), abs=0.01)
    with_gap[:, 1] = np.where(np.isnan(with_gap[:, 2]), with_gap[:, 1], np.nan)  # nothing in common
    assert separate(with_gap).p[1, 2] == 1


def test_draws_come_in_bounded_blocks(monkeypatch):
    scores = board(30, 6, apart=2.0)
    whole = separate(scores, n_draws=999, seed=3).p
    monkeypatch.setattr("sentflow.stats.separation._CELLS_AT_ONCE", 30 * 50)
    assert (separate(scores, n_draws=999, seed=3).p == whole).all()


def test_any_false_separation_is_rare_and_own_places_are_covered():
    wrong, covered = [], []
    for seed in range(200):
        found = separate(board(18, 8, seed), n_draws=199, seed=seed)
        wrong.append(found.separated.any())
        covered.append(((found.low == 1) & (found.high == 8)).mean())
    assert np.mean(wrong) <= 0.096
    assert np.mean(covered) >= 0.93


# --- items and seeds -------------------------------------------------------------------------------------------


def test_items_by_hand():
    """Two tasks of 2 and 3 items: errors and Satterthwaite's degrees of freedom of their mean."""
    a = np.array([[1.0, 0.0], [3.0, 0.0]])  # differences 1 and 3: variance 2, over 2 items 1
    b = np.array([[2.0, 1.0], [4.0, 1.0], [6.0, 1.0]])  # differences 1, 3, 5: variance 4, over 3 items 4/3
    (error,), (freedom,) = item_errors([a, b])
    assert error == pytest.approx(math.sqrt((1 + 4 / 3) / 4))
    assert freedom == pytest.approx((1 + 4 / 3) ** 2 / (1 / 1 + (4 / 3) ** 2 / 2))


def test_items_agree_with_the_paired_t_test_on_one_task():
    stats = pytest.importorskip("scipy.stats")
    scores = board(60, 2, apart=2.0)
    assert separate_items([scores]).p[0, 1] == pytest.approx(stats.ttest_rel(*scores.T).pvalue)


def test_items_of_equal_and_of_always_different_models():
    right = np.ones((50, 1))
    found = separate_items([np.hstack([right, right, 0 * right])])
    assert found.p[0, 1] == 1
    assert found.better[:, 2].tolist() == [1, 1, 0]


def test_seeds_agree_with_welch_and_are_adjusted_over_all_pairs():
    stats = pytest.importorskip("scipy.stats")
    means = [np.array([70.0, 71.0, 72.5]), np.array([66.0, 68.0, 67.0, 66.5]), np.array([70.5, 71.5, 71.0])]
    p = [stats.ttest_ind(means[a], means[b], equal_var=False).pvalue for a, b in ((0, 1), (0, 2), (1, 2))]
    found = separate_seeds(means)
    assert found.p[1, 2] == pytest.approx(3 * min(p))
    assert found.p[0, 2] == pytest.approx(p[1])
    same = np.full(3, 70.0)
    assert separate_seeds([same, same + 1]).p[0, 1] == 1  # no spread over seeds says nothing


# --- letters ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_letters_are_all_maximal_sets(seed):
    apart = np.triu(np.random.default_rng(seed).random((9, 9)) < 0.4, 1)
    apart |= apart.T
    subsets = [frozenset(k for k in range(9) if bits >> k & 1) for bits in range(1, 512)]
    free = [own for own in subsets if not apart[np.ix_(sorted(own), sorted(own))].any()]
    expected = {own for own in free if not any(own < other for other in free)}
    assert set(maximal_sets(apart)) == expected
    assert all(any(set(range(a, b + 1)) <= own for own in expected) for a, b in brackets(apart))


def test_too_many_letters_are_none():
    triples = np.kron(np.eye(5), 1 - np.eye(3)).astype(bool)
    assert len(maximal_sets(triples)) == 3**5
    assert letters(triples) is None
    assert letters(np.zeros((21, 21), bool)) is None
    assert letters(np.zeros((3, 3), bool)) == ["a", "a", "a"]


def test_letters_and_brackets_by_hand():
    apart = np.zeros((4, 4), bool)
    apart[0, 2] = apart[0, 3] = apart[1, 3] = True
    apart |= apart.T
    assert letters(apart) == ["a", "ab", "bc", "c"]
    assert brackets(apart) == [(0, 1), (1, 2), (2, 3)]
    assert brackets(np.ones((3, 3), bool)) == []


# --- planning --------------------------------------------------------------------------------------------------


def test_units_needed_are_those_of_textbooks():
    """Paired t-test, two-sided 5 %, 80 %."""
    assert [units_needed(d, 1.0) for d in (1.2, 0.8, 0.5, 0.2)] == [8, 15, 34, 199]
    assert units_needed(0.0, 1.0) == math.inf
    assert units_needed(5.0, 1.0) == 6


def test_an_estimate_in_groups_keeps_the_mean_over_tasks():
    scores = board(10, 2, apart=3.0)
    groups = np.array([0, 0, 0, 1, 1, 2, 3, 4, 5, 6])
    found = estimate_of(scores, groups)
    assert found.difference == pytest.approx((scores[:, 0] - scores[:, 1]).mean())
    assert (found.n, found.freedom) == (7, 6)
    scores[3:5, 1] = np.nan  # a whole group
    assert estimate_of(scores, groups).n == 6


def test_a_board_needs_more_units_than_two_models_alone():
    found = Estimate(difference=1.0, error=0.7, freedom=40, n=41)
    assert found.needed_on_board(2.9, 4.0) > found.needed(1.0) > 41
    assert Estimate(0.0, 0.7, 40, 41).needed_on_board(2.9, 4.0) == math.inf
    low, high = found.interval()
    assert (low + high) / 2 == pytest.approx(1.0)
    assert high - low == pytest.approx(2 * 2.0211 * 0.7, rel=1e-4)
