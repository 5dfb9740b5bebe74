"""Two systems on units that come in clusters: the t-test whose error knows them."""

import math
from dataclasses import dataclass

import numpy as np

from sentflow.stats.effective import effective_clusters
from sentflow.stats.paired import PairedT


@dataclass(frozen=True)
class ClusteredT(PairedT):
    """The paired differences of units that come in clusters, say questions on the same law.

    The mean is still that of all n units. Its error is that of the jackknife, √((C − 1)/C · Σ (S / (n − n_c))²) with
    the sums S of d − d̄ within each of C clusters of n_c units, and the degrees of freedom are
    `effective_clusters` − 1. For clusters of one size that is the usual cluster-robust error √(C/(C − 1) · Σ S²) / n
    with C − 1 of them, and for clusters of one unit `PairedT`; where sizes differ, the usual ones are too small
    (docs/statistics.md). Bell and McCaffrey 2002, Survey Methodology 28, 169–181; MacKinnon, Nielsen and Webb 2023,
    Journal of Applied Econometrics 38, 671–694.
    """

    cluster: np.ndarray  # (n,) int64, the cluster of each unit, from 0; at least two

    @property
    def degenerate(self) -> bool:
        """Every unit has the same difference, or the differences of every cluster cancel out."""
        return self.error <= 1e-12 * float(np.abs(self.differences).max())

    @property
    def error(self) -> float:
        """Standard error of `mean`, by leaving out each cluster."""
        n, n_clusters = len(self.differences), len(self._sizes)
        moved = np.bincount(self.cluster, self.differences - self.mean) / (n - self._sizes)
        return math.sqrt((n_clusters - 1) / n_clusters * float((moved**2).sum()))

    @property
    def freedom(self) -> float:
        """Effective clusters less one."""
        return effective_clusters(self._sizes) - 1

    @property
    def _sizes(self) -> np.ndarray:
        return np.bincount(self.cluster)
