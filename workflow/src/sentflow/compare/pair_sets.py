"""Which encoders and baselines differ on a pair set: similarities of every pair → rows of differences."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtri

from sentflow.compare.differences import all_differences
from sentflow.compare.rows import SimilarityDifference
from sentflow.errors import DataError
from sentflow.files.rows import row_from
from sentflow.similarity.measures import CORRELATIONS
from sentflow.similarity.scores import OVERLAP, SimilarityRows, bootstrap
from sentflow.similarity.settings import PairSetSettings
from sentflow.stats.pair_graph import PairUnits


@dataclass(frozen=True)
class CorrelatedScores:
    """A pair set as `UnitScores`: correlations with its gold scores, and a bootstrap over its pairs of sentences."""

    rows: Sequence[SimilarityRows]  # one for each encoder or baseline
    settings: PairSetSettings

    @property
    def n_systems(self) -> int:
        return len(self.rows)

    @cached_property
    def columns(self) -> list[np.ndarray]:
        """The similarities that are compared, one column per system."""
        return [_column(one, self.settings.measure) for one in self.rows]

    @cached_property
    def values(self) -> list[float]:
        return [CORRELATIONS[self.settings.correlation](column, self.rows[0].gold) for column in self.columns]

    @property
    def units(self) -> PairUnits:
        return self.rows[0].graph.units

    def replicates(self) -> np.ndarray:
        """(R, M) correlations in resamples of the pairs, or of what those that share sentences make up."""
        drawn = bootstrap(
            self.rows[0].gold,
            self.columns,
            self.units,
            n_resamples=self.settings.n_resamples,
            seed=self.settings.seed,
        )
        return drawn[self.settings.correlation]

    def test(self, a: int, b: int, resampled: np.ndarray) -> SimilarityDifference:
        settings, values = self.settings, self.values
        difference = values[a] - values[b]
        resampled = resampled if self.units.says_enough else resampled[:0]
        (low, high), p = normal_test(difference, resampled, level=settings.level)
        return row_from(
            SimilarityDifference,
            {**vars(settings), **vars(self.units)},
            pairs=self.rows[a].pairs,
            aggregation="all",
            model_a=self.rows[a].model,
            model_b=self.rows[b].model,
            value_a=values[a],
            value_b=values[b],
            difference=difference,
            low=low,
            high=high,
            p_bootstrap=p,
            p_holm=math.nan,
            n=len(self.rows[0].gold),
            drawn=self.units.kind,
        )


def compare_pair_set(rows: Sequence[SimilarityRows], settings: PairSetSettings) -> list[SimilarityDifference]:
    """Every two encoders on one pair set, in the order given."""
    refuse_other_pairs(rows)
    return all_differences(CorrelatedScores(rows, settings))


def normal_test(
    difference: float, replicates: np.ndarray, *, level: float
) -> tuple[tuple[float, float], float]:
    """Limits and two-sided p of a difference with the spread that its replicates have.

    `difference`: observed; NaN where it is undefined. `replicates`: (R,) float64, NaN where one is undefined. Limits
    and p are NaN without two defined ones; p is 1 where the two systems are equal in every resample.

    Normal, with s the sample standard deviation of the defined replicates. Unlike the share of replicates beyond 0 the
    p is not cut off at 1/R, so that it can be adjusted for many pairs.
    """
    defined = replicates[~np.isnan(replicates)]
    spread = math.nan if len(defined) < 2 else float(defined.std(ddof=1))
    half_width = float(ndtri((1 + level) / 2)) * spread
    limits = difference - half_width, difference + half_width
    if spread == 0:
        return limits, 1.0 if difference == 0 else math.nan
    return limits, math.erfc(abs(difference) / spread / math.sqrt(2))


def _column(rows: SimilarityRows, measure: str) -> np.ndarray:
    for name in (measure, OVERLAP):
        if name in rows.columns:
            return rows.columns[name]
    raise DataError(
        f"the similarities of {rows.model} on {rows.pairs} have no measure {measure!r}, only "
        f"{', '.join(rows.columns)}. Write one of these as the measure."
    )


def refuse_other_pairs(rows: Sequence[SimilarityRows]) -> None:
    """Raise DataError unless all are of the same pairs."""
    first = rows[0]
    for other in rows[1:]:
        columns = ((one.gold, one.graph.first, one.graph.second) for one in (first, other))
        same = all(np.array_equal(*both) for both in zip(*columns, strict=True))
        if other.subset != first.subset or not same:
            raise DataError(
                f"{first.model} and {other.model} were not scored on the same pairs of {first.pairs}. Delete both "
                "files of similarities and run snakemake again."
            )
