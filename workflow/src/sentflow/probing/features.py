"""Features of a fold as probes read them: standardised without filling in zeros, with equal columns joined."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_array

logger = logging.getLogger(__name__)

Features: TypeAlias = "np.ndarray | ShiftedSparse"


_COPIED_AT_ONCE = 256  # a block of a few megabytes at most
_ROWS_AT_ONCE = 64  # float32 sums of so few squares are exact enough to be added up in float64


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
        for start in range(0, len(self.rows), _COPIED_AT_ONCE):
            some = self.rows[start : start + _COPIED_AT_ONCE]
            out[start : start + len(some)] = self.matrix[some]


@dataclass(frozen=True)
class ShiftedSparse:
    """(n, D) float32 numbers: a sparse matrix less the same shift in every row."""

    matrix: "csr_array"  # (n, D) float32
    shift: np.ndarray  # (D,) float32

    @property
    def shape(self) -> tuple[int, int]:
        """n and D."""
        return cast(tuple[int, int], self.matrix.shape)

    def __matmul__(self, weights: "np.ndarray | csr_array") -> np.ndarray:
        """(D, h) weights → (n, h)."""
        product: np.ndarray = self.matrix @ weights
        product -= self.shift @ weights
        return product

    def entries(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(E,) float32 values and int64 columns of the matrix, row by row, and (n + 1,) int64 starts of the rows."""
        matrix = self.matrix
        return matrix.data, matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)

    def combined(self, members: "csr_array") -> "ShiftedSparse":
        """(D, G) members → (n, G) sums of columns."""
        return ShiftedSparse(self.matrix @ members, self.shift @ members)

    def fingerprints(self, factors: np.ndarray) -> np.ndarray:
        """(2, D) uint32 by (n, 2) odd factors: equal columns have equal ones."""
        matrix = self.matrix
        bits = type(matrix)((matrix.data.view(np.uint32), matrix.indices, matrix.indptr), shape=self.shape)
        products: np.ndarray = (bits.T @ factors).T  # wraps around
        return np.asarray(products + self.shift.view(np.uint32) * factors[0][:, None])

    def equal_columns(self, others: np.ndarray) -> bool:
        """Whether every column is equal to the column that (D,) `others` names."""
        return bool(
            (self.shift == self.shift[others]).all() and (self.matrix != self.matrix[:, others]).nnz == 0
        )

    def zero_columns(self, columns: np.ndarray) -> np.ndarray:
        """(m,) bool: whether each of m columns is 0 in every row."""
        stored = np.bincount(self.matrix.indices, minlength=self.shape[1])
        return np.asarray((stored[columns] == 0) & (self.shift[columns] == 0))


def standardised(
    parts: Sequence[np.ndarray | SelectedRows],
    *,
    ones: bool,
    unscaled_constant: bool = False,
) -> list[np.ndarray]:
    """Standardise by the first (training) part: (x − mean) / (1e-12 + std), std unbiased, in float32.

    `parts`: (n, D) float32 each, left as they are. `ones`: add a column of ones. `unscaled_constant`: columns that are
    constant on the training part become x − mean, instead of (x − mean) · 1e12.
    """
    copies = [_copy(part, ones=ones) for part in parts]
    inner = [copy[:, : parts[0].shape[1]] for copy in copies]
    train = inner[0]
    mean, std = _moments(train)
    scale = std + np.float32(1e-12)
    if unscaled_constant:
        constant = np.all([(some == train[0]).all(axis=0) for some in _blocks(train)], axis=0)
        mean[constant], scale[constant] = train[0][constant], 1
        if constant.any():
            logger.info(
                "%d of %d columns are constant on the training part: left unscaled",
                constant.sum(),
                len(scale),
            )
    for values in inner:
        values -= mean
        values /= scale
    return copies


def _copy(part: np.ndarray | SelectedRows, *, ones: bool) -> np.ndarray:
    """(n, D) or, with a last column of ones, (n, D + 1): the only copy of a part that is made."""
    n, width = part.shape
    copy = np.empty((n, width + ones), np.float32)
    if isinstance(part, SelectedRows):
        part.write_to(copy[:, :width])
    else:
        copy[:, :width] = part
    copy[:, width:] = 1
    return copy


def _blocks(features: np.ndarray) -> Iterator[np.ndarray]:
    for start in range(0, len(features), _ROWS_AT_ONCE):
        yield features[start : start + _ROWS_AT_ONCE]


def _moments(features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    mean = features.mean(axis=0, dtype=np.float64).astype(np.float32)
    squares = np.zeros(len(mean))
    for rows in _blocks(features):
        deviations = rows - mean
        squares += np.square(deviations, out=deviations).sum(axis=0)
    return mean, np.sqrt(squares / (len(features) - 1)).astype(np.float32)


def standardised_sparse(
    parts: "Sequence[csr_array]", *, ones: bool, unscaled_constant: bool = False
) -> list[ShiftedSparse]:
    """Standardise sparse (n, D) float32 parts by the first, as `standardised` does, and keep them sparse."""
    parts = _less_constants(parts)
    train = parts[0]
    n, width = cast(tuple[int, int], train.shape)
    values, columns = train.data.astype(np.float64), train.indices
    stored = np.bincount(columns, minlength=width)
    mean = (np.bincount(columns, values, minlength=width) / n).astype(np.float32)
    squares = np.bincount(columns, np.square(values - mean[columns]), minlength=width)
    squares += (n - stored) * np.square(mean.astype(np.float64))
    scale = np.sqrt(squares / (n - 1)).astype(np.float32) + np.float32(1e-12)
    if unscaled_constant and not stored.all():
        logger.info(
            "%d of %d columns are constant on the training part: left unscaled", (stored == 0).sum(), width
        )
        scale[stored == 0] = 1
    shift = np.append(mean / scale, np.float32(0)) if ones else mean / scale
    return [ShiftedSparse(_divided(part, scale, ones=ones), shift) for part in parts]


def _less_constants(parts: "Sequence[csr_array]") -> "list[csr_array]":
    """Parts without stored zeros, columns constant on the first moved to 0: else differences of two huge numbers."""
    from scipy.sparse import csr_array

    parts = [part.copy() for part in parts]
    for part in parts:
        part.eliminate_zeros()
    train = parts[0]
    full = np.flatnonzero(np.bincount(train.indices, minlength=train.shape[1]) == train.shape[0])
    dense = train[:, full].toarray()
    constant = (dense == dense[:1]).all(axis=0)
    level = np.zeros(train.shape[1], np.float32)
    level[full[constant]] = dense[0, constant]
    if not constant.any():
        return parts
    row = csr_array(level[None])
    return [csr_array(part - csr_array(np.ones((part.shape[0], 1), np.float32)) @ row) for part in parts]


def _divided(part: "csr_array", scale: np.ndarray, *, ones: bool) -> "csr_array":
    from scipy.sparse import csr_array, hstack

    divided = csr_array((part.data / scale[part.indices], part.indices, part.indptr), shape=part.shape)
    divided.eliminate_zeros()
    if not ones:
        return divided
    return csr_array(hstack([divided, np.ones((part.shape[0], 1), np.float32)], format="csr"))


# Below this share of distinct columns grouping saves more than it costs.
_WORTHWHILE_SHARE = 0.75
# Columns that differ in a few rows differ in all: these rows tell most dense features without a look at the others.
_FIRST_ROWS = 16


@dataclass(frozen=True)
class ColumnGroups:
    """Groups of equal columns."""

    # group: (D,) int64: of each column; the number of groups for a column of zeros, which is in none
    group: np.ndarray
    representative: np.ndarray  # (G,) int64: the first column of each group
    multiplicity: np.ndarray  # (G,) float32: columns per group

    def members(self) -> "csr_array":
        """(D, G) float32: 1 where a column is in a group."""
        from scipy.sparse import csr_array  # here, for dense features without equal columns need no SciPy

        n_groups = len(self.multiplicity)
        columns = np.flatnonzero(self.group < n_groups)
        ones = np.ones(len(columns), np.float32)
        return csr_array((ones, (columns, self.group[columns])), shape=(len(self.group), n_groups))

    def sums(self, values: np.ndarray) -> np.ndarray:
        """(m, D) → (m, G): sum over the columns of each group."""
        return np.ascontiguousarray((self.members().T @ values.T).T)

    def means(self, weights: np.ndarray) -> np.ndarray:
        """(h, D) → (h, G): mean over the columns of each group."""
        return np.asarray(self.sums(weights) / self.multiplicity)

    def deviations(self, weights: np.ndarray) -> np.ndarray:
        """(h, D) → (h, D): each weight less the mean of its group; as it is in a column of zeros."""
        padded = np.pad(self.means(weights), ((0, 0), (0, 1)))
        return np.asarray(weights - padded[:, self.group])


@dataclass(frozen=True)
class Problem:
    """A fold's features and initial parameters as the stacks see them, with equal columns joined or not."""

    train: Any  # (n, G) float32: np.ndarray or ShiftedSparse
    # others: (m, G) features of other parts, and (m, h) of the first layer before decay that joined weights add
    others: list[tuple[Any, np.ndarray | None]]
    initial: np.ndarray  # (P,) float32, the first layer's weights before all others
    # multiplicity: (P,) float32: weights that each parameter stands for, if columns are joined
    multiplicity: np.ndarray | None


def joined(
    train: "Features", others: "Sequence[Features]", initial: np.ndarray, *, first_width: int
) -> Problem:
    """Join the equal columns of (n, D) standardised training features where that is worth it.

    `initial`: (P,) initial parameters that begin with the first layer's (h, D).
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
        return np.asarray(train.take(groups.representative, axis=1) * groups.multiplicity)
    return train.combined(groups.members())
