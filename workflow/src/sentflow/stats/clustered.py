"""Two systems on units that come in clusters: the t-test whose error knows them."""

import math
from dataclasses import dataclass

import numpy as np

from sentflow.stats.paired import PairedT


@dataclass(frozen=True)
class ClusteredT(PairedT):
    """The paired differences of units that come in clusters, say questions on the same law.

    Attributes
    ----------
    cluster
        (n,) int64, the cluster of each unit, from 0; at least two.

    Raises
    ------
    ValueError
        There are not two clusters.

    Notes
    -----
    The mean is still that of all units. With the sums S of d − d̄ within each of C clusters its error is
    √(C/(C − 1) · Σ S²) / n, with C − 1 degrees of freedom; where each cluster is one unit, that is `PairedT`. Liang
    and Zeger 1986; Cameron and Miller 2015, Journal of Human Resources 50, 317–372. What counts is the number of
    clusters: where there are few, or a few hold most of the units, the error is too small.
    """

    cluster: np.ndarray

    def __post_init__(self) -> None:
        if self.cluster.max() < 1:
            raise ValueError("cluster: all units are in one cluster; give two or more, or test single units.")

    @property
    def degenerate(self) -> bool:
        """Every unit has the same difference, or the differences of every cluster cancel out."""
        return self.error <= 1e-12 * float(np.abs(self.differences).max())

    @property
    def error(self) -> float:
        """Cluster-robust standard error of `mean`."""
        sums = np.bincount(self.cluster, self.differences - self.mean)
        return math.sqrt(len(sums) / (len(sums) - 1) * float((sums**2).sum())) / len(self.differences)

    @property
    def freedom(self) -> int:
        """Clusters less one."""
        return int(self.cluster.max())
