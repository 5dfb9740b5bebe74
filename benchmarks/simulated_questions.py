"""Scores of systems on questions drawn from populations whose true means are known.

Systems share the difficulty of a question (a Gaussian copula), and each measure has the distribution that it has in
retrieval: reciprocal ranks of one relevant document, nDCG with many zeros and ones, hits that are 0 or 1.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr
from scipy.stats import beta

CELLS = 10_000  # of a table of quantiles
OF_A_QUESTION = 0.7  # correlation of the normal variables behind the scores of two systems on one question


def _repeated(values: list[float], shares: list[float]) -> np.ndarray:
    """Quantiles of a distribution over a few values."""
    return np.sort(np.repeat(values, np.round(np.array(shares) * CELLS).astype(int)))


def _between(zeros: float, ones: float, a: float, b: float) -> np.ndarray:
    """Quantiles of zeros, ones, and a beta distribution between them."""
    n_zeros, n_ones = round(zeros * CELLS), round(ones * CELLS)
    n = CELLS - n_zeros - n_ones
    return np.concatenate([np.zeros(n_zeros), beta.ppf((np.arange(n) + 0.5) / n, a, b), np.ones(n_ones)])


MEASURES = {
    # one relevant document: first in 38 %, not among the first ten in 27 %
    "RR@10": _repeated(
        [0.0, *(1 / rank for rank in range(1, 11))],
        [0.27, 0.38, 0.12, 0.06, 0.045, 0.035, 0.03, 0.02, 0.015, 0.015, 0.01],
    ),
    "nDCG@10": _between(0.25, 0.20, 1.6, 1.4),
    "AP": _between(0.06, 0.03, 0.6, 1.3),
    "P@10": np.round(_between(0.15, 0.0, 0.9, 2.2), 1),
    "R@10, one document": _repeated([0.0, 1.0], [0.27, 0.73]),
}


def all_or_nothing(quantiles: np.ndarray) -> np.ndarray:
    """Scores of 0 and 1 with the mean of other ones; one cell between them makes it exact."""
    total = float(quantiles.sum())
    ones = int(total)
    return np.concatenate([np.zeros(CELLS - ones - 1), [total - ones], np.ones(ones)])


@dataclass(frozen=True)
class Population:
    """Where the scores of m systems on questions come from.

    Attributes
    ----------
    quantiles
        m arrays (`CELLS`,), ascending; their means are the true scores.
    cluster_sizes
        Questions of each cluster; none where questions are independent.
    of_a_cluster
        Share of the variance, both of questions and of what a system makes of them, that clusters have in common.
    """

    quantiles: tuple[np.ndarray, ...]
    cluster_sizes: tuple[int, ...] = ()
    of_a_cluster: float = 0.0

    @property
    def clusters(self) -> np.ndarray:
        """(n,) number of the cluster of each question."""
        return np.repeat(np.arange(len(self.cluster_sizes)), self.cluster_sizes)

    def of_independent(self, n: int) -> "Population":
        """The same with n questions, each a cluster of its own."""
        return replace(self, cluster_sizes=(1,) * n, of_a_cluster=0.0)

    def sample(self, generator: np.random.Generator) -> np.ndarray:
        """(m, n) float64."""
        question = self._normal(1, generator)
        own = self._normal(len(self.quantiles), generator)
        uniform = ndtr(np.sqrt(OF_A_QUESTION) * question + np.sqrt(1 - OF_A_QUESTION) * own)
        cells = np.minimum((uniform * CELLS).astype(int), CELLS - 1)
        return np.array([table[places] for table, places in zip(self.quantiles, cells, strict=True)])

    def _normal(self, m: int, generator: np.random.Generator) -> np.ndarray:
        of_clusters = generator.standard_normal((m, len(self.cluster_sizes)))[:, self.clusters]
        rest = generator.standard_normal(of_clusters.shape)
        return np.sqrt(self.of_a_cluster) * of_clusters + np.sqrt(1 - self.of_a_cluster) * rest


def alike(measure: str, m: int) -> Population:
    """m systems with the same distribution."""
    return Population((MEASURES[measure],) * m)


def two_of_a_mean(measure: str) -> Population:
    """Two systems with the same mean, one of them all or nothing."""
    return Population((MEASURES[measure], all_or_nothing(MEASURES[measure])))
