"""Equal columns of a training part, and what training may save by them without changing a number.

Columns that are equal in every training row get the same gradient, hence the same AdamW update; their weights stay
apart only by their initial difference, which decays in a known way. So one weight per group of equal columns is
trained, and the difference is added where a part is evaluated. Columns of zeros get no gradient at all. The pair
features of TF-IDF shrink to a third: a term that only first texts use is equal in a and |a − b|, and 0 in b and a · b.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from sentflow.probing.kernels.sparse import ShiftedSparse

    Features: TypeAlias = np.ndarray | ShiftedSparse

F = TypeVar("F")  # np.ndarray or ShiftedSparse

# Below this share of distinct columns grouping saves more than it costs.
_WORTHWHILE_SHARE = 0.75
# Columns that differ in a few rows differ in all: these rows tell most dense features without a look at the others.
_FIRST_ROWS = 16


@dataclass(frozen=True)
class ColumnGroups:
    """Groups of equal columns."""

    # group: (D,) int64: the group of each column; the number of groups for a column of zeros, which is in none
    group: np.ndarray
    representative: np.ndarray  # (G,) int64: the first column of each group
    multiplicity: np.ndarray  # (G,) float32: columns per group

    def members(self) -> "csr_array":
        """(D, G) float32: 1 where a column is in a group."""
        from scipy.sparse import csr_array  # here, for dense embeddings never come so far

        n_groups = len(self.multiplicity)
        columns = np.flatnonzero(self.group < n_groups)
        ones = np.ones(len(columns), np.float32)
        return csr_array((ones, (columns, self.group[columns])), shape=(len(self.group), n_groups))

    def sums(self, values: np.ndarray) -> np.ndarray:
        """(m, D) → (m, G): sum over the columns of each group."""
        return np.ascontiguousarray((self.members().T @ values.T).T)

    def means(self, weights: np.ndarray) -> np.ndarray:
        """(h, D) → (h, G): mean over the columns of each group."""
        means: np.ndarray = self.sums(weights) / self.multiplicity
        return means

    def deviations(self, weights: np.ndarray) -> np.ndarray:
        """(h, D) → (h, D): each weight less the mean of its group; as it is in a column of zeros."""
        padded = np.pad(self.means(weights), ((0, 0), (0, 1)))
        deviations: np.ndarray = weights - padded[:, self.group]
        return deviations


@dataclass(frozen=True)
class Problem(Generic[F]):
    """A fold's features and initial parameters as the stacks see them, with equal columns joined or not."""

    train: F  # (n, G) float32, dense or sparse
    # others: per other part (m, G) features, and what the initial differences of joined weights add to the first
    # layer, (m, h) before their decay; None without joined columns
    others: list[tuple[F, np.ndarray | None]]
    initial: np.ndarray  # (P,) float32, the first layer's weights before all others
    # multiplicity: (P,) float32: how many weights each parameter stands for; None without joined columns
    multiplicity: np.ndarray | None


def joined(
    train: "Features", others: "Sequence[Features]", initial: np.ndarray, *, first_width: int
) -> Problem[Any]:
    """Join the equal columns of a training part where that is worth it.

    `train`, `others`: (n, D) and (m, D) standardised features. `initial`: (P,) initial parameters that begin with the
    first layer's (h, D).
    """
    groups = equal_columns(train)
    if groups is None:
        return Problem(train, [(part, None) for part in others], initial, None)
    n_first = first_width * train.shape[1]
    first, rest = initial[:n_first].reshape(first_width, -1), initial[n_first:]
    deviations = groups.deviations(first)
    return Problem(
        train=_of_first_columns(train, groups),
        others=[(_summed(part, groups), part @ deviations.T) for part in others],
        initial=np.concatenate([groups.means(first).ravel(), rest]),
        multiplicity=np.concatenate([np.tile(groups.multiplicity, first_width), np.ones_like(rest)]),
    )


def equal_columns(features: "Features") -> ColumnGroups | None:
    """The groups of equal columns of (n, D) training features; None if there are too few to be worth it."""
    most = _WORTHWHILE_SHARE * features.shape[1]
    if (
        isinstance(features, np.ndarray)
        and len(np.unique(_keys(_DenseColumns(features[:_FIRST_ROWS])))) > most
    ):
        return None
    columns = _DenseColumns(features) if isinstance(features, np.ndarray) else features
    _, first, group, counts = np.unique(
        _keys(columns), return_index=True, return_inverse=True, return_counts=True
    )
    if len(counts) > most:
        return None
    if not columns.equal_columns(first[group]):
        return None  # two columns have equal fingerprints by chance
    zero = columns.zero_columns(first)
    number = np.where(zero, (~zero).sum(), np.cumsum(~zero) - 1)
    return ColumnGroups(
        group=number[group],
        representative=first[~zero],
        multiplicity=counts[~zero].astype(np.float32),
    )


def _keys(columns: "_DenseColumns | ShiftedSparse") -> np.ndarray:
    """(D,) int64: equal columns have equal bits, hence equal keys; what has equal keys is then compared in full."""
    factors = np.random.default_rng(0).integers(1 << 32, size=(columns.shape[0], 2), dtype=np.uint32) | 1
    return np.ascontiguousarray(columns.fingerprints(factors).T).view(np.int64)[:, 0]


class _DenseColumns:
    """What `ShiftedSparse` gives about its columns, for a dense matrix."""

    def __init__(self, features: np.ndarray) -> None:
        self._features, self.shape = features, features.shape

    def fingerprints(self, factors: np.ndarray) -> np.ndarray:
        fingerprints = np.zeros((2, self._features.shape[1]), np.uint32)
        for values, (one, two) in zip(self._features, factors, strict=True):
            row = (values + np.float32(0)).view(np.uint32)  # −0 + 0 is 0
            fingerprints[0] += row * one  # wraps around
            fingerprints[1] += row * two
        return fingerprints

    def equal_columns(self, others: np.ndarray) -> bool:
        return all(np.array_equal(row, row[others]) for row in self._features)

    def zero_columns(self, columns: np.ndarray) -> np.ndarray:
        # column by column, for the columns together are as large as the features
        return np.array([not self._features[:, column].any() for column in columns])


def _summed(part: "Features", groups: ColumnGroups) -> "Features":
    return groups.sums(part) if isinstance(part, np.ndarray) else part.combined(groups.members())


def _of_first_columns(train: "Features", groups: ColumnGroups) -> "Features":
    """The sums of groups whose columns are equal: multiples of the first ones."""
    if isinstance(train, np.ndarray):
        joined: np.ndarray = train.take(groups.representative, axis=1) * groups.multiplicity
        return joined
    return train.combined(groups.members())
