"""Intervals of ranks over tasks: of those that a repetition of the experiment would give."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sentflow.stats.across import ranks
from sentflow.stats.generalisation import degrees_of_freedom
from sentflow.stats.resampling import percentile_limits


@dataclass(frozen=True)
class RankInterval:
    """Of one encoder."""

    average_rank: float  # mean of its ranks on the tasks by the observed scores, 1 for the best
    # repeat_low, repeat_high: of the average rank that a repetition of the experiment would give: other tasks (where
    # there are several sources, of other sources), and other texts in each. Noise pulls average ranks towards the
    # middle, so this is no interval of the true one.
    repeat_low: float
    repeat_high: float
    # place, place_low, place_high: its position by average rank, and the limits of that in a repetition
    place: float
    place_low: float
    place_high: float


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
    place = ranks(-average)
    places = ranks(-averages)
    found = []
    for model in range(n_models):
        low, high = percentile_limits(averages[:, model], level)
        limits = [(1 - level) / 2, (1 + level) / 2]
        place_low, place_high = np.quantile(places[:, model], limits, method="inverted_cdf").tolist()
        found.append(
            RankInterval(
                average_rank=float(average[model]),
                repeat_low=low,
                repeat_high=high,
                place=float(place[model]),
                place_low=place_low,
                place_high=place_high,
            )
        )
    return found


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
