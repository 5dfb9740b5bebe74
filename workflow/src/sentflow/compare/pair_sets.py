"""Which encoders, baselines and trainings differ on a pair set: similarities of every pair → rows of differences."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from scipy.special import ndtri

from sentflow.compare.differences import all_differences
from sentflow.compare.rows import SimilarityDifference, TrainingSeeds
from sentflow.errors import DataError
from sentflow.files.rows import row_from
from sentflow.similarity.measures import CORRELATIONS
from sentflow.similarity.scores import OVERLAP, SimilarityRows, bootstrap
from sentflow.similarity.settings import PairSetSettings
from sentflow.stats.multiplicity import holm, least_sign_flip_p, sign_flip_p_values
from sentflow.stats.pair_graph import PairUnits
from sentflow.stats.paired import PairedT
from sentflow.stats.seed_variance import LEAST_SEEDS, resampled_seed_variance
from sentflow.stats.seeds import derive_seed

_ENOUGH_SIGNS = 2**16  # all sign vectors of 16 seeds are looked at


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
        test = NormalTest(difference, resampled if self.units.says_enough else resampled[:0])
        low, high = test.interval(settings.level)
        return row_from(
            SimilarityDifference,
            vars(settings),
            pairs=self.rows[a].pairs,
            aggregation="all",
            model_a=self.rows[a].model,
            model_b=self.rows[b].model,
            value_a=values[a],
            value_b=values[b],
            difference=difference,
            low=low,
            high=high,
            p_bootstrap=test.p(),
            p_holm=math.nan,
            n=len(self.rows[0].gold),
            drawn=self.units.kind,
            n_units=self.units.n_units,
            effective_pairs=self.units.effective_pairs,
        )


def compare_pair_set(rows: Sequence[SimilarityRows], settings: PairSetSettings) -> list[SimilarityDifference]:
    """Every two encoders on one pair set, in the order given."""
    refuse_other_pairs(rows)
    return all_differences(CorrelatedScores(rows, settings))


@dataclass(frozen=True)
class NormalTest:
    """A difference with the spread that its replicates have: interval and p by one method.

    Normal, with s the sample standard deviation of the defined replicates. Unlike the share of replicates beyond 0 its
    p is not cut off at 1/R, so that it can be adjusted for many pairs.
    """

    difference: float  # observed; NaN where it is undefined
    replicates: np.ndarray  # (R,) float64, NaN where one is undefined

    @cached_property
    def _spread(self) -> float:
        defined = self.replicates[~np.isnan(self.replicates)]
        return math.nan if len(defined) < 2 else float(defined.std(ddof=1))

    def interval(self, level: float) -> tuple[float, float]:
        """Of the difference; NaN without two defined replicates."""
        half_width = float(ndtri((1 + level) / 2)) * self._spread
        return self.difference - half_width, self.difference + half_width

    def p(self) -> float:
        """Two-sided; 1 where the two are equal in every resample, NaN where a value is undefined."""
        if self._spread == 0:
            return 1.0 if self.difference == 0 else math.nan
        return math.erfc(abs(self.difference) / self._spread / math.sqrt(2))


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


@dataclass(frozen=True)
class Trainings:
    """The similarities of all trainings on the pairs of one set."""

    rows: Sequence[SimilarityRows]  # one per training, all of the same pairs
    groups: Mapping[str, Mapping[int, int]]  # name of a group → seed → place of its training in `rows`
    controls: Collection[str]  # groups that are negative controls
    settings: PairSetSettings  # of tests and intervals

    def seed_rows(self) -> list[TrainingSeeds]:
        """Means of groups of at least two seeds, then every two groups that share two; those without a test last."""
        several = [name for name, seeds in self._defined.items() if len(seeds) > 1]
        pairs = [(a, b) for a, b in combinations(several, 2) if len(self._shared(a, b)) > 1]
        found = [self._row(name, "", list(self._defined[name])) for name in several]
        differences = [self._difference(a, b) for a, b in pairs]
        tested = [row for row in differences if not math.isnan(row.p)]
        untested = [row for row in differences if math.isnan(row.p)]
        adjusted = holm([row.p for row in tested])
        return [
            *found,
            *(
                replace(row, p_holm=p, least_p_holm=min(1.0, len(tested) * row.least_p))
                for row, p in zip(tested, adjusted, strict=True)
            ),
            *untested,
        ]

    @cached_property
    def _scores(self) -> CorrelatedScores:
        return CorrelatedScores(self.rows, self.settings)

    @cached_property
    def _values(self) -> np.ndarray:
        """(M,) correlation of each training."""
        return np.array(self._scores.values)

    @cached_property
    def _replicates(self) -> np.ndarray:
        """(R, M) correlations in the resamples of the pairs in which all that are defined on all pairs are."""
        drawn = self._scores.replicates()
        return np.asarray(drawn[~np.isnan(drawn[:, ~np.isnan(self._values)]).any(axis=1)])

    @cached_property
    def _defined(self) -> dict[str, dict[int, int]]:
        """`groups` without the trainings whose score is undefined: all pairs have the same similarity."""
        return {
            name: {seed: place for seed, place in seeds.items() if not math.isnan(self._values[place])}
            for name, seeds in self.groups.items()
        }

    @property
    def _n_independent(self) -> int:
        """Of the pairs, at least; two at the least, without which there is no variance."""
        return max(2, round(self._scores.units.effective_pairs))

    def _shared(self, a: str, b: str) -> list[int]:
        """The seeds of both groups, in the order of the first."""
        return [seed for seed in self._defined[a] if seed in self._defined[b]]

    def _difference(self, a: str, b: str) -> TrainingSeeds:
        seeds = self._shared(a, b)
        row = self._row(a, b, seeds)
        if len(seeds) < LEAST_SEEDS:
            return row
        seed = derive_seed(self.settings.seed, a, b)
        by_seed = self._of(a, seeds, self._values) - self._of(b, seeds, self._values)
        return replace(
            row,
            p=float(sign_flip_p_values(by_seed[None], n_resamples=_ENOUGH_SIGNS, seed=seed)[0]),
            least_p=least_sign_flip_p(len(seeds)),
        )

    def _row(self, group: str, other: str, seeds: Sequence[int]) -> TrainingSeeds:
        values, replicates = (self._of(group, seeds, one) for one in (self._values, self._replicates))
        if other:
            values = values - self._of(other, seeds, self._values)
            replicates = replicates - self._of(other, seeds, self._replicates)
        level, n_pairs = self.settings.level, len(self.rows[0].gold)
        of_seeds = PairedT(values).interval(level) if len(seeds) >= LEAST_SEEDS else (math.nan, math.nan)
        split = resampled_seed_variance(values, replicates, n_units=self._n_independent)
        total = split.variance or math.nan
        low, high = split.interval(level)
        return TrainingSeeds(
            unit_set=self.rows[0].pairs,
            measure=self.settings.correlation,
            group=group,
            other=other,
            is_control=(other or group) in self.controls,
            value=float(values.mean()),
            seeds_low=of_seeds[0],
            seeds_high=of_seeds[1],
            low=low,
            high=high,
            level=level,
            n_pairs=n_pairs,
            n_seeds=len(seeds),
            spread_of_seeds=float(values.std(ddof=1)),
            share_of_pairs=split.from_questions / total,
            share_of_seeds=split.from_seeds / total,
            more=split.more.replace("questions", "pairs"),
            seeds_unseen="seeds" in split.negative,
            p=math.nan,
            p_holm=math.nan,
            least_p=math.nan,
            least_p_holm=math.nan,
            alpha=self.settings.alpha,
        )

    def _of(self, group: str, seeds: Sequence[int], values: np.ndarray) -> np.ndarray:
        """What is known of the trainings of a group, in the order of seeds, on the last axis."""
        return np.asarray(values[..., [self._defined[group][seed] for seed in seeds]])
