"""The one way to compare all systems of a unit set.

A family of measurements (probes, similarity, retrieval) hands over its scores as `UnitScores` and gets a row for
each two systems.
"""

from dataclasses import replace
from itertools import combinations
from typing import Protocol, TypeVar

import numpy as np

from sentflow.compare.differences import Difference
from sentflow.stats.multiplicity import holm

Row = TypeVar("Row", bound=Difference)
Row_co = TypeVar("Row_co", bound=Difference, covariant=True)


class UnitScores(Protocol[Row_co]):
    """Scores of M systems on the same units: folds of a cross-validation, pairs of sentences, questions."""

    @property
    def n_systems(self) -> int:
        """M."""

    def replicates(self) -> np.ndarray:
        """(R, M) scores in resamples of the units, the same resamples for all systems."""

    def test(self, a: int, b: int, resampled: np.ndarray) -> Row_co:
        """System a against system b, `p_holm` still to be told; `resampled` holds the (R,) differences a − b."""


def all_differences(scores: UnitScores[Row]) -> list[Row]:
    """Every two systems, in order; p is adjusted for all of them together."""
    pairs = list(combinations(range(scores.n_systems), 2))
    if not pairs:
        return []
    drawn = scores.replicates()
    rows = [scores.test(a, b, drawn[:, a] - drawn[:, b]) for a, b in pairs]
    return [replace(row, p_holm=p) for row, p in zip(rows, holm([row.p for row in rows]), strict=True)]
