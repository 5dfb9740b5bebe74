"""Settings chosen on training questions: the best of a grid, and by folds what such a choice reaches on others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sentflow.errors import DataError
from sentflow.retrieval.clusters import linked_by
from sentflow.stats.seeds import derive_seed

_DIGITS = 12  # to which means are rounded, so that what differs by the order of sums is equal


@dataclass(frozen=True)
class Choice:
    """What was chosen of c candidates on n questions.

    Attributes
    ----------
    best
        The candidate with the greatest mean over all questions; of equal ones the first.
    means
        (c,) float64 mean of each candidate over all questions.
    fold_of
        (n,) int64 fold of each question, from 0.
    best_without
        (folds,) int64 the candidate that is best on the questions of the other folds.
    held_out
        (n,) float64 value of each question by the candidate that was chosen without its fold.
    """

    best: int
    means: np.ndarray
    fold_of: np.ndarray
    best_without: np.ndarray
    held_out: np.ndarray

    @property
    def in_sample(self) -> float:
        """Mean of the best candidate over the questions that it was chosen on."""
        return float(self.means[self.best])

    @property
    def nested(self) -> float:
        """Mean over questions that each candidate was not chosen on."""
        return float(self.held_out.mean())

    @property
    def optimism(self) -> float:
        """How much the first flatters the choice: in-sample minus nested."""
        return self.in_sample - self.nested

    def near(self, margin: float) -> list[int]:
        """The candidates whose mean is below the greatest by at most `margin`: many of them, a flat optimum."""
        return np.flatnonzero(self.means >= self.means[self.best] - margin).tolist()


def choose(values: np.ndarray, fold_of: np.ndarray) -> Choice:
    """Choose among candidates.

    Parameters
    ----------
    values
        (c, n) float64: a measure of each candidate on each question, c and n >= 1.
    fold_of
        (n,) int64 folds, as `folds_of` gives them.
    """
    means = values.mean(axis=1)
    without = [_best(values[:, fold_of != fold]) for fold in range(int(fold_of.max()) + 1)]
    best_without = np.array(without, dtype=np.int64)
    held_out = values[best_without[fold_of], np.arange(values.shape[1])]
    return Choice(_best(values), means, fold_of, best_without, held_out)


def folds_of(relevant: Sequence[Sequence[str]], n_folds: int, seed: int) -> np.ndarray:
    """Divide questions into folds of about equal size.

    Questions that share a relevant document, directly or through others, are in one fold, unless that would be more
    than a fold holds: then each question is drawn by itself.

    Parameters
    ----------
    relevant
        Relevant documents of each of n questions.
    n_folds
        At least 2; there are fewer where there are fewer questions.
    seed
        Of the order in which clusters are assigned to folds.

    Returns
    -------
    np.ndarray
        (n,) int64 folds from 0, none empty.

    Raises
    ------
    DataError
        Fewer than two questions.
    """
    n = len(relevant)
    if n < 2:
        raise DataError(f"{n} training questions with a relevant document: nothing can be tuned on so few.")
    n_folds = min(n_folds, n)
    cluster = linked_by(relevant)
    sizes = np.bincount(cluster)
    if sizes.max() > -(-n // n_folds) or len(sizes) < n_folds:
        cluster, sizes = np.arange(n), np.ones(n, dtype=np.int64)
    drawn = np.random.default_rng(derive_seed(seed, "folds")).permutation(len(sizes))
    # the large ones first, or the last one assigned could make folds unequal
    order = drawn[np.argsort(-sizes[drawn], kind="stable")]
    fold_of_cluster = np.zeros(len(sizes), dtype=np.int64)
    filled = np.zeros(n_folds, dtype=np.int64)
    for one in order:
        fold = int(np.argmin(filled))
        fold_of_cluster[one], filled[fold] = fold, filled[fold] + sizes[one]
    found: np.ndarray = fold_of_cluster[cluster]
    return found


def _best(values: np.ndarray) -> int:
    # argmax takes the first of equal ones
    return int(np.argmax(np.round(values.mean(axis=1), _DIGITS)))
