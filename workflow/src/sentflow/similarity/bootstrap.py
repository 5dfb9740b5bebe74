"""Correlations in resamples of pairs, without sorting each resample again."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sentflow.stats.pair_graph import PairUnits
from sentflow.stats.resampling import drawn_counts

_CELLS_AT_ONCE = 500_000  # of one array of pairs × resamples: 4 MB, so that a block stays near the processor


def bootstrap(
    gold: np.ndarray, columns: Sequence[np.ndarray], units: PairUnits, *, n_resamples: int, seed: int
) -> dict[str, np.ndarray]:
    """Draw units with replacement and correlate; all columns see the same resamples.

    Parameters
    ----------
    gold
        (n,) float64.
    columns
        K arrays (n,) float64: measures of one encoder, or one measure of several.
    units
        What is drawn: pairs, or what pairs that share sentences make up.
    n_resamples, seed
        R, and where the draws come from.

    Returns
    -------
    dict
        ``spearman`` and ``pearson``: (R, K) float64 correlations with the gold scores; NaN where a resample has a
        single value, or no pair.

    Notes
    -----
    Ranks are taken anew within each resample. A pair's average rank there follows from how often each value was drawn:
    with c draws of a value and s of all smaller ones, each of the c has the rank s + (c + 1) / 2. So values are sorted
    once, and a resample costs sums alone. Where units hold several pairs, the size of a resample changes.
    """
    ranked_gold, ranked = _Ranked.of(gold), [_Ranked.of(column) for column in columns]
    centred_gold, centred = gold - gold.mean(), [column - column.mean() for column in columns]
    found: dict[str, list[np.ndarray]] = {"spearman": [], "pearson": []}
    everything = [np.arange(units.n_units)]
    cells = max(1, _CELLS_AT_ONCE * units.n_units // len(gold))
    for drawn in drawn_counts(everything, n_resamples=n_resamples, seed=seed, cells=cells, dtype=np.float64):
        # sums run over pairs, one resample beside the other
        counts = np.ascontiguousarray(units.weights(drawn).T)
        size = np.maximum(counts.sum(axis=0), 1)  # without any pair all sums are 0, and so is the spread
        sides = {
            "spearman": (ranked_gold.ranks(counts), (column.ranks(counts) for column in ranked)),
            "pearson": (centred_gold[:, None], (column[:, None] for column in centred)),
        }
        for name, (first, others) in sides.items():
            side = _Weighted.of(first, counts, size)
            found[name].append(np.array([side.correlation(other, counts) for other in others]).T)
    return {name: np.concatenate(blocks) for name, blocks in found.items()}


@dataclass(frozen=True)
class _Ranked:
    """A column sorted once."""

    order: np.ndarray  # (n,) pairs in ascending order of their values
    last: np.ndarray  # (g,) the last place of each of g distinct values in that order
    value: np.ndarray  # (n,) the distinct value of each pair, from 0

    @classmethod
    def of(cls, column: np.ndarray) -> "_Ranked":
        _, value, counts = np.unique(column, return_inverse=True, return_counts=True)
        return cls(np.argsort(value, kind="stable"), np.cumsum(counts) - 1, value)

    def ranks(self, counts: np.ndarray) -> np.ndarray:
        """(n, block) average ranks within each resample, less their mean."""
        reached = np.cumsum(counts[self.order], axis=0)[self.last]
        drawn = np.diff(reached, axis=0, prepend=0)
        # the last rank is `reached`, the mean of `drawn` ranks up to it is (drawn - 1) / 2 less; their mean (n + 1) / 2
        return np.asarray((reached - drawn / 2 - reached[-1] / 2)[self.value])


@dataclass(frozen=True)
class _Weighted:
    """One side of a correlation in a block of resamples."""

    # values: (n, block) or (n, 1), less the mean of each resample where it is known; here that of `mean` still to be
    # taken
    values: np.ndarray
    weighted: np.ndarray  # (n, block) values times counts
    size: np.ndarray  # (block,) pairs of each resample
    # mean, spread: (block,) mean, and sum of squared differences from it
    mean: np.ndarray
    spread: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray, counts: np.ndarray, size: np.ndarray) -> "_Weighted":
        weighted = values * counts
        mean = weighted.sum(axis=0) / size
        spread = _columns_product(weighted, values) - size * mean**2
        return cls(values, weighted, size, mean, _without_rounding(spread, values))

    def correlation(self, values: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """(block,) correlations with another side; NaN where either has one value."""
        other = _Weighted.of(values, counts, self.size)
        product = _columns_product(self.weighted, values) - self.size * self.mean * other.mean
        scale = np.sqrt(self.spread * other.spread)
        found = np.divide(product, scale, out=np.full_like(product, np.nan), where=scale > 0)
        return np.asarray(np.clip(found, -1.0, 1.0))


def _columns_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(block,) sums over pairs; not by BLAS, whose order of sums depends on its number of threads."""
    return np.asarray(np.einsum("nb,nb->b", a, np.broadcast_to(b, a.shape)))


def _without_rounding(spread: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Spreads of resamples with a single value are 0, not what rounding left."""
    smallest = 1e-12 * len(values) * max(float(np.abs(values).max()), 0.0) ** 2
    return np.where(spread > smallest, spread, 0.0)
