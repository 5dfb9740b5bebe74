"""Several encoders on several tasks: omnibus test, intervals of mean scores and of ranks.

Units are what is taken as independent: tasks, or averages over the tasks of a source; see `independent_units`.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, fdtrc, stdtrit

from sentflow.stats.effective import numbered
from sentflow.stats.paired import degrees_of_freedom
from sentflow.stats.ranks import average_ranks


@dataclass(frozen=True)
class Omnibus:
    """Whether the encoders differ at all; NaN where there are fewer than two units or encoders."""

    # friedman_chi2, friedman_p: K − 1 degrees of freedom
    friedman_chi2: float
    friedman_p: float
    # iman_davenport_f, iman_davenport_p: their form, K − 1 and (K − 1)(N − 1) degrees of freedom. Where all units rank
    # alike F is infinite, and p the exact probability of that.
    iman_davenport_f: float
    iman_davenport_p: float


def independent_units(sources: Sequence[Hashable]) -> np.ndarray:
    """What of the tasks is taken as independent.

    `sources`: (N,) what tasks have in common, say the dataset. Returns (N,) int64 in [0, U), the unit of each task,
    numbered as they appear: its source, or the task itself where all tasks have one source. With one source nothing can
    be said of others, and tasks stand for its further ones.
    """
    numbers = numbered(sources)
    return numbers if numbers.any() else np.arange(len(sources))


def unit_means(means: np.ndarray, units: np.ndarray) -> np.ndarray:
    """(U, K) float64 averages over the tasks of each unit, of (N, K) scores and the (N,) units of the tasks."""
    n_units = int(units.max(initial=-1)) + 1
    averages = [means[units == unit].mean(axis=0) for unit in range(n_units)]
    return np.array(averages, dtype=np.float64).reshape(n_units, means.shape[1])


def ranks(values: np.ndarray) -> np.ndarray:
    """(…, K) float64 ranks along the last axis: 1 for the highest, equal values share the mean of their ranks."""
    return average_ranks(-values)


def omnibus(means: np.ndarray) -> Omnibus:
    """Friedman's test and the sharper form of Iman and Davenport.

    `means`: (N, K) scores of K encoders on N units.

    χ² = 12N/(K(K+1)) · (Σ R² − K(K+1)²/4) of the average ranks R, over 1 − Σ(t³ − t)/(N(K³ − K)) for groups of t equal
    scores; F = (N − 1)χ² / (N(K − 1) − χ²). Friedman 1937; Iman and Davenport 1980; Demšar 2006.
    """
    n, k = means.shape
    if n < 2 or k < 2:
        return Omnibus(*[math.nan] * 4)
    ranked = ranks(means)
    # Σ over groups of t³ − t: each member of a group counts t² − 1
    tied = float(((means[:, None, :] == means[:, :, None]).sum(axis=2).astype(np.float64) ** 2 - 1).sum())
    ties = 1 - tied / (n * (k**3 - k))
    if ties <= 0:  # no unit ranks anything
        return Omnibus(0.0, 1.0, 0.0, 1.0)
    average = ranked.mean(axis=0)
    chi2 = 12 * n / (k * (k + 1)) * (float((average**2).sum()) - k * (k + 1) ** 2 / 4) / ties
    chi2_p = float(chdtrc(k - 1, chi2))
    rest = n * (k - 1) - chi2
    if rest <= 1e-9 * n * k:
        return Omnibus(chi2, chi2_p, math.inf, math.factorial(k) ** -(n - 1.0))
    f = (n - 1) * chi2 / rest
    return Omnibus(chi2, chi2_p, f, float(fdtrc(k - 1, (k - 1) * (n - 1), f)))


@dataclass(frozen=True)
class RankInterval:
    """Of one encoder."""

    average_rank: float  # mean of its ranks on the tasks by the observed scores, 1 for the best
    # repeat_low, repeat_high: of the average rank that a repetition of the experiment would give: other tasks (where
    # there are several sources, of other sources), and other texts in each. Noise pulls average ranks towards the
    # middle, so this is no interval of the true one.
    repeat_low: float
    repeat_high: float


def rank_intervals(
    fold_scores: Sequence[np.ndarray],
    *,
    folds: int,
    level: float,
    n_draws: int,
    seed: int,
    units: np.ndarray | None = None,
    documents: Sequence[float] | None = None,
) -> list[RankInterval]:
    """Intervals of K encoders over N tasks.

    `fold_scores`: per task (J, K) float64 test scores, fold by fold. `folds`: k of the cross-validation. `units`: (N,)
    what is drawn, as `independent_units` numbers it; None where every task is one. `documents`: N effective numbers of
    documents that the folds keep together, infinite where they are made of rows; None where all are.

    Repetition: a draw takes as many units as there are, with replacement, and for each of their tasks new scores of all
    encoders from a multivariate t distribution: `degrees_of_freedom`, the means of the folds, and the covariance of the
    fold scores times 1/J + 1/(k − 1), as for the generalisation interval, so that encoders stay paired. Units alone
    would say nothing about the texts inside their tasks.
    """
    means = np.stack([scores.mean(axis=0) for scores in fold_scores])
    generator = np.random.default_rng(seed)
    n_tasks, n_models = means.shape
    unit_of = np.arange(n_tasks) if units is None else units
    sizes = np.bincount(unit_of)
    chosen = generator.integers(0, len(sizes), (n_draws, len(sizes)))
    totals = np.zeros((n_draws, n_models))
    kept = [math.inf] * n_tasks if documents is None else documents
    for scores, unit, n_documents in zip(fold_scores, unit_of, kept, strict=True):
        draw_of, _ = np.nonzero(chosen == unit)
        drawn = ranks(_drawn_scores(scores, folds, len(draw_of), generator, documents=n_documents))
        np.add.at(totals, draw_of, drawn)
    averages = totals / sizes[chosen].sum(axis=1, keepdims=True)
    average = ranks(means).mean(axis=0)
    limits = [(1 - level) / 2, (1 + level) / 2]
    found = np.stack([average, *np.quantile(averages, limits, axis=0)], axis=1)
    return [RankInterval(*of_model) for of_model in found.tolist()]


def _drawn_scores(
    scores: np.ndarray, folds: int, n_draws: int, generator: np.random.Generator, *, documents: float
) -> np.ndarray:
    """(draws, K) from the multivariate t distribution of a task."""
    n = len(scores)
    centred = (scores - scores.mean(axis=0)) * np.sqrt((1 / n + 1 / (folds - 1)) / (n - 1))
    # normal weights of the folds have the covariance of the fold scores, also where encoders depend on each other
    normal = generator.standard_normal((n_draws, n)) @ centred
    freedom = max(degrees_of_freedom(n, documents), 1.0)
    spread = np.sqrt(generator.chisquare(freedom, (n_draws, 1)) / freedom)
    drawn: np.ndarray = scores.mean(axis=0) + normal / spread
    return drawn


def task_mean_interval(
    mean: float,
    errors: Sequence[float],
    freedom: Sequence[float],
    sources: Sequence[Hashable],
    *,
    level: float,
) -> tuple[float, float]:
    """Limits of the mean over N tasks of the expected scores of one encoder.

    `errors`, `freedom`: (N,) standard errors of the scores of tasks and their degrees of freedom, see `CorrectedT`.
    `sources`: (N,) what tasks have in common, say the dataset: those of one source may share texts. The limits are not
    cut to the range of a metric; NaN where a task has too few documents.

    Errors of one source are added, as if they always went together: how far tasks share texts is not known, and this is
    the largest that their mean can have. Those of different sources are independent, so their squares are added.
    Degrees of freedom: Satterthwaite 1946, each source with the fewest of its tasks.
    """
    numbers = np.unique([str(source) for source in sources], return_inverse=True)[1]
    sums = np.zeros(int(numbers.max()) + 1)
    fewest = np.full(len(sums), math.inf)
    for number, error, own in zip(numbers, errors, freedom, strict=True):
        sums[number] += error
        fewest[number] = min(fewest[number], own)
    variance = float((sums**2).sum())
    if variance == 0 or math.isnan(variance):
        return mean + 0 * variance, mean + 0 * variance
    shared = variance**2 / float((sums**4 / fewest).sum())
    half_width = float(stdtrit(shared, (1 + level) / 2)) * math.sqrt(variance) / len(errors)
    return mean - half_width, mean + half_width
