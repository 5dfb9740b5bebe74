"""Trainings with several seeds on one pair set: means, their two intervals, and which groups of seeds differ."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from sentflow.compare.pair_sets import CorrelatedScores
from sentflow.compare.rows import TrainingSeeds
from sentflow.files.rows import row_from
from sentflow.similarity.scores import SimilarityRows
from sentflow.similarity.settings import PairSetSettings
from sentflow.stats.multiplicity import holm, least_sign_flip_p, sign_flip_p_values
from sentflow.stats.paired import PairedT
from sentflow.stats.seed_variance import LEAST_SEEDS, resampled_seed_variance
from sentflow.stats.seeds import derive_seed

_ENOUGH_SIGNS = 2**16  # all sign vectors of 16 seeds are looked at


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
        found = [self._row(name, "", list(self._defined[name])) for name in several]
        shared = {
            (a, b): [seed for seed in self._defined[a] if seed in self._defined[b]]
            for a, b in combinations(several, 2)
        }
        differences = [self._row(a, b, seeds) for (a, b), seeds in shared.items() if len(seeds) > 1]
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

    def _row(self, group: str, other: str, seeds: Sequence[int]) -> TrainingSeeds:
        values, replicates = (self._of(group, seeds, one) for one in (self._values, self._replicates))
        if other:
            values = values - self._of(other, seeds, self._values)
            replicates = replicates - self._of(other, seeds, self._replicates)
        level, p, least_p, of_seeds = self.settings.level, math.nan, math.nan, (math.nan, math.nan)
        if len(seeds) >= LEAST_SEEDS:
            of_seeds = PairedT(values).interval(level)
            if other:
                seed, least_p = derive_seed(self.settings.seed, group, other), least_sign_flip_p(len(seeds))
                p = float(sign_flip_p_values(values[None], n_resamples=_ENOUGH_SIGNS, seed=seed)[0])
        # of two pairs at the least, without which there is no variance
        n_units = max(2, round(self._scores.units.effective_pairs))
        return row_from(
            TrainingSeeds,
            resampled_seed_variance(values, replicates, n_units=n_units).facts(level, "pairs"),
            unit_set=self.rows[0].pairs,
            measure=self.settings.correlation,
            group=group,
            other=other,
            is_control=(other or group) in self.controls,
            seeds_low=of_seeds[0],
            seeds_high=of_seeds[1],
            n_pairs=len(self.rows[0].gold),
            spread_of_seeds=float(values.std(ddof=1)),
            p=p,
            p_holm=math.nan,
            least_p=least_p,
            least_p_holm=math.nan,
            alpha=self.settings.alpha,
        )

    def _of(self, group: str, seeds: Sequence[int], values: np.ndarray) -> np.ndarray:
        """What is known of the trainings of a group, in the order of seeds, on the last axis."""
        return np.asarray(values[..., [self._defined[group][seed] for seed in seeds]])
