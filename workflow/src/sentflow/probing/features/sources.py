"""Features of the three parts of a fold, whatever they are made of."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from sentflow.probing.protocol.draws import FoldPlan

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    FeaturePart: TypeAlias = "np.ndarray | SelectedRows | csr_array"
    Parts: TypeAlias = tuple[FeaturePart, FeaturePart, FeaturePart]

_ROWS_AT_ONCE = 256  # a block of a few megabytes at most


class FeatureSource(Protocol):
    """Features of the three parts of a fold; a lazy encoder is refitted in here."""

    def parts(self, plan: FoldPlan) -> "Parts":
        """(n, D) float32 features of the training, evaluation and test rows, all dense or all sparse."""


@dataclass(frozen=True)
class SelectedRows:
    """Some rows of a matrix, copied only where they are used: a fold needs no second copy of its features."""

    matrix: np.ndarray  # (n, D) float32, in memory or mapped from a file
    rows: np.ndarray  # (m,) int64 row numbers

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the rows as an array."""
        return len(self.rows), self.matrix.shape[1]

    def write_to(self, out: np.ndarray) -> None:
        """Write the rows into (m, D) float32, which need not lie together in memory."""
        for start in range(0, len(self.rows), _ROWS_AT_ONCE):
            some = self.rows[start : start + _ROWS_AT_ONCE]
            out[start : start + len(some)] = self.matrix[some]


@dataclass(frozen=True)
class FixedFeatures:
    """Features that do not depend on the fold: (n, D) float32."""

    features: np.ndarray

    def parts(self, plan: FoldPlan) -> "Parts":
        train, evaluation, test = (
            SelectedRows(self.features, rows) for rows in (plan.train, plan.evaluation, plan.test)
        )
        return train, evaluation, test


@dataclass(frozen=True)
class MadeParts:
    """The features of one fold, made before."""

    made: "Parts"

    def parts(self, plan: FoldPlan) -> "Parts":  # noqa: ARG002  # there is one fold
        return self.made
