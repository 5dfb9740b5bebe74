"""Which of many models differ over few units, the places that this leaves open, and how many units would tell more.

Units are independent groups of tasks, items of tasks, or seeds. s_c is the sum of a pair's differences in group c, so
that Σs / T is the difference of the means over T tasks, whatever the sizes of groups.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from sentflow.stats.multiplicity import all_signs, drawn_signs, holm, least_sign_flip_p

ALPHA, POWER, N_DRAWS = 0.05, 0.8, 9999
FEWEST_GROUPS = 6
"""Sign flips of fewer groups separate nothing at 5 %: the least p of five is 1/16."""
FEWEST_SEEDS = 3
MOST_LETTERED, MOST_LETTERS = 20, 8
"""Models and letters beyond which letters are no help."""
_CELLS_AT_ONCE = 16_000_000  # of sums with flipped signs: 128 MB
_ROUNDING = 1e-9  # of z, whose sum is at most √C; what is closer counts as equal


def pairs_of(n_models: int) -> np.ndarray:
    """(2, P) int64 the two models of each pair, first < second: (0, 1), (0, 2), …"""
    return np.array(np.triu_indices(n_models, 1))


def square(values: np.ndarray, n_models: int, diagonal: float, *, turned: float = 1.0) -> np.ndarray:
    """(M, M) of (P,) values of pairs; below the diagonal times `turned`, −1 for what changes sign with the order."""
    i, j = pairs_of(n_models)
    made = np.full((n_models, n_models), diagonal, dtype=values.dtype)
    made[i, j], made[j, i] = values, turned * values
    return made


@dataclass(frozen=True)
class Differences:
    """Of all P pairs of M models over C independent groups of tasks; see `differences_of`."""

    n_models: int
    columns: np.ndarray  # (C, K) float64; the sums s of a pair are one column less another
    # plus, minus: (P,) int64 those columns
    plus: np.ndarray
    minus: np.ndarray
    n_tasks: np.ndarray  # (C, 1) float64 tasks in each group; (C, P) that a pair shares, where there are gaps

    def sums(self, pairs: np.ndarray | slice) -> np.ndarray:
        """(C, n) float64 s of n pairs."""
        found: np.ndarray = self.columns[:, self.plus[pairs]] - self.columns[:, self.minus[pairs]]
        return found

    @cached_property
    def _moments(self) -> np.ndarray:
        """(3, P) Σs, Σs², and Σ(s − n d)² around the pair's own mean d over tasks, n tasks in a group."""
        shares = self.n_tasks / np.maximum(self.n_tasks.sum(axis=0), 1)
        found = np.empty((3, len(self.plus)))
        at_once = max(1, _CELLS_AT_ONCE // (8 * len(self.columns)))
        for start in range(0, len(self.plus), at_once):
            block = slice(start, start + at_once)
            sums = self.sums(block)
            total = sums.sum(axis=0)
            around = sums - (shares if shares.shape[1] == 1 else shares[:, block]) * total
            found[:, block] = total, (sums**2).sum(axis=0), (around**2).sum(axis=0)
        return found

    @property
    def means(self) -> np.ndarray:
        """(P,) float64 differences of the means over the tasks of a pair, first less second; 0 without a task."""
        return np.asarray(self._moments[0] / np.maximum(self.n_tasks.sum(axis=0), 1))

    @property
    def typical(self) -> float:
        """m: the median over pairs of Σ(s − n d)²."""
        return float(np.median(self._moments[2])) if len(self.plus) else 0.0

    def scales(self, moderation: float = 1.0) -> np.ndarray:
        """(P,) float64 1/√(Σs² + m), which turn s into z; 0 for a pair without differences.

        One m for all pairs keeps a pair whose few differences happen to be alike from being the most striking of
        thousands (Tusher, Tibshirani and Chu 2001). Flipped signs change none of it. `moderation`: multiplies m; 0 for
        a pair that was named beforehand.
        """
        size = np.sqrt(self._moments[1] + moderation * self.typical)
        return np.asarray(np.divide(1, size, out=np.zeros_like(size), where=size > 0))

    def observed(self, scales: np.ndarray) -> np.ndarray:
        """(P,) float64 Σz."""
        return np.asarray(self._moments[0] * scales)


def differences_of(scores: np.ndarray, groups: np.ndarray | None = None) -> Differences:
    """The differences of all pairs of models, summed within groups.

    `scores`: (T, M) float64, higher is better; NaN counts for no pair, and a group without a common task is 0, which
    moves neither numerator nor denominator of z. `groups`: (T,) int64 in [0, C), what of the tasks depends on each
    other; None where each task is independent.
    """
    n_tasks, n_models = scores.shape
    group = np.arange(n_tasks) if groups is None else groups
    n_groups = int(group.max(initial=-1)) + 1
    first, second = pairs_of(n_models)

    def summed(values: np.ndarray) -> np.ndarray:
        made = np.zeros((n_groups, values.shape[1]))
        np.add.at(made, group, values)
        return made

    known = ~np.isnan(scores)
    if known.all():
        # without what the models share, so that little is lost to rounding
        columns = summed(scores - scores.mean(axis=1, keepdims=True))
        return Differences(n_models, columns, first, second, summed(np.ones((n_tasks, 1))))
    shared = known[:, first] & known[:, second]
    own = summed(np.where(shared, scores[:, first] - scores[:, second], 0.0))
    columns = np.hstack([own, np.zeros((n_groups, 1))])
    nothing = np.full(len(first), len(first))
    return Differences(n_models, columns, np.arange(len(first)), nothing, summed(shared.astype(np.float64)))


@dataclass(frozen=True)
class Family:
    """Pairs that are tested together."""

    p: np.ndarray  # (n,) float64 adjusted, in the order given
    critical: float  # what |Σz| of the first pair must exceed


def step_down(
    differences: Differences,
    families: Sequence[np.ndarray] | None = None,
    *,
    moderation: float = 1.0,
    alpha: float = ALPHA,
    n_draws: int = N_DRAWS,
    seed: int = 0,
) -> list[Family]:
    """Adjusted p of pairs: in each family all at most α together are wrong with a probability of at most α.

    `families`: (n,) int64 pairs of each; None for one family of all. `n_draws`: B. `seed`: of the signs.

    The signs of whole groups are flipped, the same for all pairs, and the largest |Σz| of those pairs of the family
    that are not yet rejected is compared with what was found. All 2^(C−1) sign vectors up to a common sign, if these
    are no more than B; else B drawn ones, and p = (1 + reached) / (1 + B). Westfall and Young 1993; Romano and Wolf
    2005. The null hypothesis is that the differences of a pair are symmetric around 0.
    """
    own = [np.arange(len(differences.plus))] if families is None else families
    scales = differences.scales(moderation)
    found = np.abs(differences.observed(scales))
    orders = [np.argsort(found[family], kind="stable") for family in own]  # the least striking first
    counts = [np.zeros(len(family), dtype=np.int64) for family in own]
    maxima: list[list[np.ndarray]] = [[] for _ in own]
    blocks, n_all = _signs(differences, n_draws, seed)
    for signs in blocks:
        totals = np.ascontiguousarray((signs @ differences.columns).T)
        for family, order, count, reached in zip(own, orders, counts, maxima, strict=True):
            largest = np.zeros(len(signs))
            for place in order:
                pair = family[place]
                flipped = totals[differences.plus[pair]] - totals[differences.minus[pair]]
                np.abs(flipped, out=flipped)
                flipped *= scales[pair]
                np.maximum(largest, flipped, out=largest)
                count[place] += np.count_nonzero(largest >= found[pair] - _ROUNDING)
            reached.append(largest)
    is_exact = n_all <= n_draws
    tested = []
    for order, count, largest_ones in zip(orders, counts, maxima, strict=True):
        p = count / n_all if is_exact else (1 + count) / (1 + n_draws)
        # none below that of a more striking pair
        p[order] = np.maximum.accumulate(p[order][::-1])[::-1]
        every = np.sort(np.concatenate(largest_ones))
        may_reach = int(alpha * n_all) if is_exact else int(alpha * (1 + n_draws)) - 1
        tested.append(Family(p, float(every[max(0, len(every) - 1 - may_reach)])))
    return tested


def _signs(differences: Differences, n_draws: int, seed: int) -> tuple[Iterable[np.ndarray], int]:
    """Blocks of sign vectors, (block, C) of −1 and 1, and how many different ones there are."""
    n_groups, n_columns = differences.columns.shape
    n_all: int = 2 ** (n_groups - 1)
    at_once = max(1, _CELLS_AT_ONCE // max(n_groups, n_columns))
    if n_all > n_draws:
        return drawn_signs(n_groups, n_draws, seed, at_once), n_all
    every = np.hstack([all_signs(n_groups - 1), np.ones((n_all, 1))])
    return [every[start : start + at_once] for start in range(0, n_all, at_once)], n_all


# --- places ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Separation:
    """M models: which are separated, and the places that this leaves open."""

    p: np.ndarray  # (M, M) float64 adjusted over all pairs, symmetric, 1 on the diagonal
    better: np.ndarray  # (M, M) int8, 1 where the row is better than the column, −1 where it is worse, else 0
    # low, high: (M,) int64 limits by the model's own M − 1 pairs, which hold for each model with 1 − α
    low: np.ndarray
    high: np.ndarray
    # board_low, board_high: (M,) int64 limits by all pairs, which hold for all models together with 1 − α
    board_low: np.ndarray
    board_high: np.ndarray
    critical: float  # what the statistic of the most striking pair must exceed
    # least: difference of means that a typical pair needs for that; infinite if none is enough
    least: float
    typical: float = (
        0.0  # standard deviation of that pair on one unit, where it is added to each pair's own; else 0
    )

    @property
    def separated(self) -> np.ndarray:
        """(M, M) bool."""
        return np.asarray(self.better != 0)


def separate(
    scores: np.ndarray,
    groups: np.ndarray | None = None,
    *,
    alpha: float = ALPHA,
    n_draws: int = N_DRAWS,
    seed: int = 0,
) -> Separation:
    """By sign flips over groups of tasks, or over the items of one task; see `differences_of` and `step_down`.

    For new groups of this kind. `FEWEST_GROUPS` are needed for any separation at 5 %.
    """
    differences = differences_of(scores, groups)
    families = [np.arange(len(differences.plus)), *_own_pairs(differences.n_models)]
    tested = step_down(differences, families, alpha=alpha, n_draws=n_draws, seed=seed)
    critical, m = tested[0].critical, differences.typical
    n = differences.n_tasks if differences.n_tasks.shape[1] == 1 else np.median(differences.n_tasks, axis=1)
    # Σs of a difference d on every task, over √(Σ(s − n d)² + Σ(n d)² + m), is `critical` at the least one
    rest = float(n.sum() ** 2 - critical**2 * (n**2).sum())
    least = critical * math.sqrt(2 * m / rest) if rest > 0 else math.inf
    found = _separation(
        differences.means, [one.p for one in tested], differences.n_models, alpha, critical, least
    )
    return replace(found, typical=math.sqrt(m / max(len(n) - 1, 1)) * len(n) / max(float(n.sum()), 1.0))


def separate_items(items: Sequence[np.ndarray], *, alpha: float = ALPHA) -> Separation:
    """For new items of these tasks, by a paired t-test of the mean over tasks and Holm's method.

    `items`: of each of T tasks the (n_t, M) float64 scores of its items, n_t >= 2 and none missing. Says nothing of
    other tasks. One task: `separate` with its items as units errs less where items are few.
    """
    first, second = pairs_of(items[0].shape[1])
    means = np.mean([own.mean(axis=0) for own in items], axis=0)
    error, freedom = item_errors(items)
    constant = least_sign_flip_p(sum(map(len, items)))
    return _by_t(means[first] - means[second], error, freedom, len(means), alpha, constant)


def item_errors(items: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(P,) float64 standard errors of the differences of means over T tasks, and their degrees of freedom.

    √(Σ s_t²/n_t) / T with s_t² the variance of a pair's differences on the n_t items of a task. Satterthwaite 1946.
    """
    n_models = items[0].shape[1]
    variance, weight = np.zeros((2, n_models * (n_models - 1) // 2))
    for own in items:
        each = [(own[:, [i]] - own[:, i + 1 :]).var(axis=0, ddof=1) for i in range(n_models - 1)]
        part = np.concatenate([*each, []]) / len(own) / len(items) ** 2
        variance += part
        weight += part**2 / (len(own) - 1)
    freedom = np.divide(variance**2, weight, out=np.ones_like(weight), where=weight > 0)
    return np.sqrt(variance), freedom


def separate_seeds(means: Sequence[np.ndarray], *, alpha: float = ALPHA) -> Separation:
    """For new seeds on these tasks, by Welch's t-test and Holm's method.

    `means`: of each model the (k,) float64 means over all tasks, one of each seed, k >= `FEWEST_SEEDS`. A seed is one
    training, so that tasks are no further units.
    """
    first, second = pairs_of(len(means))
    average = np.array([own.mean() for own in means])
    error, freedom = seed_errors(means)
    return _by_t(average[first] - average[second], error, freedom, len(means), alpha, 1.0)


def seed_errors(means: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(P,) float64 standard errors of the differences, and their degrees of freedom. Welch 1947."""
    first, second = pairs_of(len(means))
    own = np.array([values.var(ddof=1) / len(values) for values in means])
    lost = np.array([len(values) - 1 for values in means])
    variance, weight = own[first] + own[second], (own**2 / lost)[first] + (own**2 / lost)[second]
    return np.sqrt(variance), np.divide(variance**2, weight, out=np.ones_like(weight), where=weight > 0)


def _by_t(
    difference: np.ndarray,
    error: np.ndarray,
    freedom: np.ndarray,
    n_models: int,
    alpha: float,
    constant: float,
) -> Separation:
    """Of (P,) values of pairs. `constant`: p of a pair that always differs by the same."""
    t = np.divide(np.abs(difference), error, out=np.zeros_like(error), where=error > 0)
    p = np.where(error > 0, 2 * stdtr(freedom, -t), np.where(difference == 0, 1.0, constant))
    families = [np.arange(len(p)), *_own_pairs(n_models)]
    adjusted = [np.array(holm(p[family].tolist())) for family in families]
    critical = float(stdtrit(np.median(freedom), 1 - alpha / (2 * len(p)))) if len(p) else math.nan
    least = critical * float(np.median(error)) if len(p) else math.nan
    return _separation(difference, adjusted, n_models, alpha, critical, least)


def _own_pairs(n_models: int) -> list[np.ndarray]:
    """Of each model the (M − 1,) numbers of its pairs."""
    number = square(np.arange(n_models * (n_models - 1) // 2), n_models, -1)
    return [np.delete(row, model) for model, row in enumerate(number)]


def _separation(
    means: np.ndarray, p: Sequence[np.ndarray], n_models: int, alpha: float, critical: float, least: float
) -> Separation:
    """From the (P,) differences of means, and p of all pairs and of each model's own."""
    every, *own = p
    sign = np.sign(square(means, n_models, 0.0, turned=-1.0)).astype(np.int8)
    together = square(every, n_models, 1.0)
    better = sign * (together <= alpha).astype(np.int8)
    single = np.zeros_like(sign)
    for model, values in enumerate(own):
        others = np.arange(n_models) != model
        single[model, others] = sign[model, others] * (values <= alpha)
    return Separation(together, better, *places(single), *places(better), critical, least)


def places(better: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(M,) int64 limits of places: 1 + the number that is better, and M − the number that is worse.

    `better`: (M, M), 1 where the row is better. Mogstad, Romano, Shaikh and Wilhelm 2024.
    """
    return 1 + (better < 0).sum(axis=1), len(better) - (better > 0).sum(axis=1)


# --- letters ---------------------------------------------------------------------------------------------------


def letters(separated: np.ndarray) -> list[str] | None:
    """Of each model its letters, such as ``ab``: models that share one are not separated. Piepho 2004.

    `separated`: (M, M) bool, symmetric, the best model first. None for more than `MOST_LETTERED` models or
    `MOST_LETTERS` letters.
    """
    if len(separated) > MOST_LETTERED:
        return None
    sets = maximal_sets(separated)
    if len(sets) > MOST_LETTERS:
        return None
    named = list(zip("abcdefgh", sets, strict=False))
    return ["".join(letter for letter, own in named if model in own) for model in range(len(separated))]


def maximal_sets(separated: np.ndarray) -> list[frozenset[int]]:
    """The sets of models of which no two are separated and which lie in no other; up to 3^(M/3), by first model.

    Insert and absorb: a set with both models of a separated pair becomes two, each without one of them, and those that
    lie in another are dropped. Piepho 2004.
    """
    sets = [frozenset(range(len(separated)))]
    for a, b in np.argwhere(np.triu(separated, 1)).tolist():
        kept = [one for one in sets if a not in one or b not in one]
        cut = list(dict.fromkeys(one - {gone} for one in sets if a in one and b in one for gone in (a, b)))
        kept += [
            one for one in cut if not any(one <= old for old in kept) and not any(one < old for old in cut)
        ]
        sets = kept
    return sorted(sets, key=lambda one: (min(one), max(one), sorted(one)))


def brackets(separated: np.ndarray) -> list[tuple[int, int]]:
    """Runs of at least two neighbours, both ends in, without a separated pair, and in no longer one; at most M.

    `separated`: as for `letters`.
    """
    found: list[tuple[int, int]] = []
    last = 0
    for start in range(len(separated)):
        end = start
        while end + 1 < len(separated) and not separated[start : end + 1, end + 1].any():
            end += 1
        if end > max(start, last):
            found.append((start, end))
            last = end
    return found


# --- planning --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Estimate:
    """The difference of two models that were named beforehand."""

    difference: float
    error: float  # standard error
    freedom: float
    n: int  # units
    fewest: int = FEWEST_GROUPS  # units of which a test can separate any two

    @property
    def spread(self) -> float:
        """Standard deviation of the difference on one unit."""
        return self.error * math.sqrt(self.n)

    def interval(self) -> tuple[float, float]:
        """95 % limits of the difference by Student's t."""
        half = float(stdtrit(self.freedom, 1 - ALPHA / 2)) * self.error
        return self.difference - half, self.difference + half

    def needed(self, difference: float) -> float:
        """Units with which a test of these two alone finds a true difference with probability `POWER`."""
        return units_needed(difference, self.spread, fewest=self.fewest)

    def needed_on_board(self, critical: float, typical: float = 0.0) -> float:
        """Units with which the board separates the two with probability `POWER`, if the difference is the true one.

        `critical`: of the `Separation`, as if it stayed. `typical`: the standard deviation of the median pair on one
        unit, where its variance is added to each pair's own. Infinite for a difference of 0.
        """
        if self.difference == 0:
            return math.inf
        size = math.sqrt(self.spread**2 + (typical**2 + self.difference**2 if typical else 0.0))
        root = (critical * size + float(ndtri(POWER)) * self.spread) / abs(self.difference)
        return max(self.fewest, math.ceil(root**2))


def estimate_of(scores: np.ndarray, groups: np.ndarray | None = None) -> Estimate:
    """Of the (T, 2) scores of two models, of groups of tasks as for `differences_of`; in terms of groups."""
    known = ~np.isnan(scores).any(axis=1)
    group = np.unique(np.flatnonzero(known) if groups is None else groups[known], return_inverse=True)[1]
    differences = differences_of(scores[known], group)
    n = len(differences.columns)
    own = differences.sums(slice(None))[:, 0] * n / known.sum()
    return Estimate(float(own.mean()), float(own.std(ddof=1)) / math.sqrt(n), n - 1, n)


def p_alone(scores: np.ndarray, groups: np.ndarray | None = None) -> float:
    """Of the (T, 2) scores of two models that were named beforehand: without others, and without m."""
    tested = step_down(differences_of(scores, groups), moderation=0.0)
    return float(tested[0].p[0])


def units_needed(difference: float, spread: float, *, fewest: int = FEWEST_GROUPS) -> float:
    """The least n >= ((t₁₋α/₂ + t_power) s / |d|)² with n − 1 degrees of freedom; infinite for d = 0.

    `difference`: d. `spread`: s, the standard deviation of the difference on one unit.
    """
    if difference == 0:
        return math.inf
    ratio, reached = spread / abs(difference), 1 - ALPHA / 2
    n: int = max(fewest, math.floor(((ndtri(reached) + ndtri(POWER)) * ratio) ** 2))
    while n < ((stdtrit(n - 1, reached) + stdtrit(n - 1, POWER)) * ratio) ** 2:
        n += max(1, n // 1000)
    return n
