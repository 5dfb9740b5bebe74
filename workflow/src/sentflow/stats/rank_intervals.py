"""How far ranks over tasks would move with other tasks, and with other texts inside each task."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sentflow.stats.across import ranks
from sentflow.stats.resampling import percentile_limits


@dataclass(frozen=True)
class RankInterval:
    """Of one encoder.

    Attributes
    ----------
    average_rank, rank_low, rank_high
        Mean of its ranks on the tasks, 1 for the best.
    place, place_low, place_high
        Its position by average rank.
    """

    average_rank: float
    rank_low: float
    rank_high: float
    place: float
    place_low: float
    place_high: float


def rank_intervals(
    fold_scores: Sequence[np.ndarray], *, folds: int, level: float, n_draws: int, seed: int
) -> list[RankInterval]:
    """Intervals of K encoders over N tasks.

    Parameters
    ----------
    fold_scores
        Per task (J, K) float64 test scores, fold by fold.
    folds
        k of the cross-validation.
    level, n_draws, seed
        Of the intervals.

    Notes
    -----
    A draw takes N tasks with replacement, and for each of them new scores of all encoders from a multivariate t
    distribution: J − 1 degrees of freedom, the means of the folds, and the covariance of the fold scores times
    1/J + 1/(k − 1), as for the generalisation interval, so that encoders stay paired. Tasks alone would say nothing
    about the texts inside them.
    """
    means = np.stack([scores.mean(axis=0) for scores in fold_scores])
    generator = np.random.default_rng(seed)
    n_tasks, n_models = means.shape
    chosen = generator.integers(0, n_tasks, (n_draws, n_tasks))
    totals = np.zeros((n_draws, n_models))
    for task, scores in enumerate(fold_scores):
        draw_of, _ = np.nonzero(chosen == task)
        drawn = ranks(_drawn_scores(scores, folds, len(draw_of), generator))
        np.add.at(totals, draw_of, drawn)
    average = ranks(means).mean(axis=0)
    place = ranks(-average)
    places = ranks(-totals)
    found = []
    for model in range(n_models):
        low, high = percentile_limits(totals[:, model] / n_tasks, level)
        limits = [(1 - level) / 2, (1 + level) / 2]
        place_low, place_high = np.quantile(places[:, model], limits, method="inverted_cdf").tolist()
        found.append(
            RankInterval(float(average[model]), low, high, float(place[model]), place_low, place_high)
        )
    return found


def _drawn_scores(scores: np.ndarray, folds: int, n_draws: int, generator: np.random.Generator) -> np.ndarray:
    """(draws, K) from the multivariate t distribution of a task."""
    n = len(scores)
    centred = (scores - scores.mean(axis=0)) * np.sqrt((1 / n + 1 / (folds - 1)) / (n - 1))
    # normal weights of the folds have the covariance of the fold scores, also where encoders depend on each other
    normal = generator.standard_normal((n_draws, n)) @ centred
    spread = np.sqrt(generator.chisquare(n - 1, (n_draws, 1)) / (n - 1))
    drawn: np.ndarray = scores.mean(axis=0) + normal / spread
    return drawn
