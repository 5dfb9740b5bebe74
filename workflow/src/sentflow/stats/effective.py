"""Clusters: which rows they are of, and how many of them count where their sizes differ."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np

FEWEST_VALUES, FEWEST_OTHERS = 30, 10
"""Independent values from which intervals of their mean are given, and how many must differ from the most frequent."""
FEWEST_DOCUMENTS = 4.0
"""Effective documents with fewer of which nothing is said of new ones (docs/statistics.md, "New documents")."""


@dataclass(frozen=True)
class Documents:
    """The documents of a task that its folds keep together."""

    n: int  # how many
    effective: float
    with_rarest_class: int  # in how many of them the class that the fewest hold occurs

    @classmethod
    def of(cls, document: np.ndarray, labels: np.ndarray) -> "Documents":
        """From the document and the class of each row, (n,) int64 from 0, none left out.

        Classes weigh the same, as after undersampling: rows of a large class that is mostly left out count for little.
        """
        sizes = np.bincount(document, 1 / np.bincount(labels)[labels])
        holds = np.zeros((len(sizes), labels.max() + 1), bool)
        holds[document, labels] = True
        return cls(len(sizes), effective_clusters(sizes), int(holds.sum(axis=0).min()))


def numbered(names: Iterable[Hashable]) -> np.ndarray:
    """(n,) int64: equal names have equal numbers, from 0 in order of appearance."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)


def connected(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(n,) int64, of each of n edges, n >= 1: the lowest of all vertices that it is connected to.

    `first`, `second`: (n,) int64 vertices, not below 0. Each round hooks trees of vertices below lower ones, and halves
    their depth (Shiloach and Vishkin 1982). In NumPy, for `scipy.sparse` takes longer to import than most pair sets to
    score.
    """
    below = np.arange(max(first.max(), second.max()) + 1)
    while True:
        ends = below[first], below[second]
        hooked, lower = below.copy(), np.minimum(*ends)
        for end in ends:
            np.minimum.at(hooked, end, lower)
        hooked = hooked[hooked]
        if np.array_equal(hooked, below):
            return np.asarray(below[first])
        below = hooked


def effective_clusters(sizes: np.ndarray) -> float:
    """How many clusters of equal size say as much as these: (Σ n)² / Σ n², at most their number.

    `sizes`: (C,) numbers of units of each cluster, none 0.

    Half of the units in one cluster are less than 4 of them, however many others there are. Carter, Schnepel and
    Steigerwald 2017, Review of Economics and Statistics 99, 698–709, for clusters that are alike but in their size.
    """
    return float(sizes.sum() ** 2 / (sizes**2).sum())
