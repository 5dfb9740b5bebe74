"""Which systems differ on the questions of a set: for new questions, new documents, groups of questions, new seeds."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from sentflow.compare.differences import all_differences
from sentflow.compare.rows import (
    ClusterRow,
    GroupDifference,
    GroupRow,
    QuestionDifference,
    SeedRow,
)
from sentflow.files.rows import row_from
from sentflow.retrieval.settings import QuestionTests
from sentflow.stats.effective import effective_clusters
from sentflow.stats.means import (
    ClusteredScores,
    MeanInterval,
    expanded_level,
    limits_without_draws,
    mean_interval,
    says_enough,
)
from sentflow.stats.multiplicity import holm, sign_flip_p_values
from sentflow.stats.paired import ClusteredT, PairedT
from sentflow.stats.seed_variance import seed_variance
from sentflow.stats.seeds import derive_seed

_DIGITS = 12  # to which scores are rounded, so that what differs by the order of sums is equal in every test
LEAST_CLUSTERS = 8  # effective ones, below which nothing is said of new documents (docs/statistics.md)


@dataclass(frozen=True)
class QuestionScores:
    """One measure of every system on the questions of a collection; also as `UnitScores`."""

    # unit_set, measure: names of the collection and of the measure
    unit_set: str
    measure: str
    systems: Sequence[str]  # m different names
    questions: Sequence[str]  # n different ids
    # scores: (m, n) float64; a question that a system has no answer to has the value that the measure gives to that
    scores: np.ndarray
    settings: QuestionTests  # the seed is never of the systems, so that these see the same draws
    # clusters: the cluster of each question, say the law or the gold document that it is about, None for a question
    # that is in none; or None altogether where questions are independent
    clusters: Sequence[str | None] | None = None
    groups: Sequence[str] = ()  # the group of each question, empty for none
    n_sets: int = 1  # question sets, this one and others, whose pairs of systems are one family of tests

    # --- two systems

    @property
    def n_systems(self) -> int:
        return len(self.systems)

    @property
    def least_alpha(self) -> float:
        """What a p has to reach to be significant by Holm whatever the other pairs show; with two systems at least."""
        return self.settings.alpha / (math.comb(self.n_systems, 2) * self.n_sets)

    @cached_property
    def _rounded(self) -> np.ndarray:
        """The scores, which tests, intervals and clusters need to be finite, without what the order of sums decides."""
        for kind, names in (("systems", self.systems), ("questions", self.questions)):
            if len(set(names)) < len(names):
                twice = next(name for place, name in enumerate(names) if name in names[:place])
                raise ValueError(f"{kind}: {twice!r} occurs twice; name each once.")
        if not np.isfinite(self.scores).all():
            system, question = np.argwhere(~np.isfinite(self.scores))[0]
            raise ValueError(
                f"scores: that of {self.systems[system]!r} on question {self.questions[question]!r} is "
                f"{self.scores[system, question]}; leave out questions without judgements, and give those without "
                "an answer the value that the measure has for them."
            )
        return np.round(self.scores, _DIGITS)

    @cached_property
    def units(self) -> ClusteredScores:
        return ClusteredScores.of(self._rounded, self.clusters)

    @cached_property
    def _replicates(self) -> np.ndarray:
        if len(self.units.sizes) < 2:
            n = len(self.questions)
            what = "all questions are in one cluster" if n > 1 else f"{n} questions"
            raise ValueError(
                f"{self.unit_set}: {what}; nothing can be tested with less than two independent units."
            )
        settings = self.settings
        return self.units.replicates(n_resamples=settings.n_resamples, seed=self._seed("bootstrap"))

    @cached_property
    def _sign_flip_p(self) -> dict[tuple[int, int], tuple[float, float]]:
        """Single and adjusted p of every pair."""
        pairs = list(combinations(range(self.n_systems), 2))
        totals = self.units.totals
        found = sign_flip_p_values(
            np.array([totals[a] - totals[b] for a, b in pairs]),
            n_resamples=self.settings.n_resamples,
            seed=self._seed("sign flips"),
        ).tolist()
        return dict(zip(pairs, zip(found, holm(found), strict=True), strict=True))

    def _seed(self, what: str) -> int:
        return derive_seed(self.settings.seed, self.unit_set, what)

    def replicates(self) -> np.ndarray:
        """(R, m) means over questions in resamples of the units."""
        return self._replicates

    def interval(self, system: int) -> tuple[float, float]:
        """Of the score of one system on independent questions, as `limits_without_draws` says, else drawn."""
        level = self.settings.level
        if known := limits_without_draws(self._rounded[system], level):
            return known
        drawn = mean_interval(
            self._replicates[:, system],
            float(self.units.means[system]),
            self.units.left_out[:, system],
            level=expanded_level(level, len(self.questions)),
        )
        return drawn.low, drawn.high

    def paired_t(self, a: int, b: int) -> PairedT:
        """The t-test of two systems, which knows of clusters."""
        differences = np.round(self._rounded[a] - self._rounded[b], _DIGITS)
        return ClusteredT(differences, self.units.unit) if self.units.grouped else PairedT(differences)

    def test(self, a: int, b: int, resampled: np.ndarray) -> QuestionDifference:
        settings, test = self.settings, self.paired_t(a, b)
        wins, ties, losses = test.wins()
        p_sign_flip, p_sign_flip_holm = self._sign_flip_p[a, b]
        # too few say nothing by t or by a bootstrap; sign flips hold their level at any number
        enough = self.units.grouped or says_enough(test.differences)
        low, high = test.interval(settings.level) if enough else (math.nan, math.nan)
        bootstrap = MeanInterval(*[math.nan] * 4)
        if enough:
            left_out = self.units.left_out[:, a] - self.units.left_out[:, b]
            bootstrap = mean_interval(resampled, test.mean, left_out, level=settings.level)
        return row_from(
            QuestionDifference,
            {**vars(self), **vars(settings), **vars(bootstrap)},
            model_a=self.systems[a],
            model_b=self.systems[b],
            n_questions=len(self.questions),
            n_units=len(self.units.sizes),
            grouped=self.units.grouped,
            value_a=float(self.units.means[a]),
            value_b=float(self.units.means[b]),
            difference=test.mean,
            low=low,
            high=high,
            p=test.p() if enough else p_sign_flip,
            p_holm=math.nan,
            p_sign_flip=p_sign_flip,
            p_sign_flip_holm=p_sign_flip_holm,
            effect_size=test.effect_size,
            wins=wins,
            ties=ties,
            losses=losses,
            mdd_power=test.detectable(self.least_alpha) if enough else math.nan,
            p_equivalence=test.p_equivalence(settings.margin) if enough or test.degenerate else math.nan,
            bootstrap_low=bootstrap.low,
            bootstrap_high=bootstrap.high,
            degenerate=test.degenerate,
        )

    # --- files of comparisons

    @property
    def comparable(self) -> bool:
        """Whether there are two systems and two questions."""
        return all(size > 1 for size in self.scores.shape)

    @property
    def has_clusters(self) -> bool:
        """Whether anything can be said of new documents."""
        return self.clusters is not None and effective_clusters(self.units.sizes) >= LEAST_CLUSTERS

    def differences(self) -> list[QuestionDifference]:
        """Every two systems, for new questions on the same documents."""
        return all_differences(replace(self, clusters=None)) if self.comparable else []

    def document_differences(self) -> list[QuestionDifference]:
        """Every two systems, for new documents; nothing without enough clusters."""
        return all_differences(self) if self.comparable and self.has_clusters else []

    def cluster_rows(self) -> list[ClusterRow]:
        """The mean of every system for new documents; nothing where there are no clusters."""
        if self.clusters is None:
            return []
        sizes, level = self.units.sizes, self.settings.level
        rows = []
        for system, values in zip(self.systems, self.scores, strict=True):
            low, high = math.nan, math.nan
            if self.has_clusters:
                low, high = ClusteredT(values, self.units.unit).interval(level)
            row = row_from(
                ClusterRow,
                vars(self),
                model=system,
                value=float(values.mean()),
                low=low,
                high=high,
                level=level,
                n_questions=len(values),
                n_clusters=len(sizes),
                effective_clusters=effective_clusters(sizes),
                largest_cluster=float(sizes.max() / sizes.sum()),
            )
            rows.append(row)
        return rows

    def parts(self) -> "dict[str, QuestionScores]":
        """Group → its questions; nothing where there is one group or none."""
        names = [name for name in dict.fromkeys(self.groups) if name]
        if len(names) < 2:
            return {}
        found = {}
        for name in names:
            rows = [row for row, group in enumerate(self.groups) if group == name]
            found[name] = replace(
                self,
                unit_set=f"{self.unit_set}/{name}",
                questions=[self.questions[row] for row in rows],
                scores=self.scores[:, rows],
                clusters=None,
                groups=(),
            )
        n_tested = sum(part.comparable for part in found.values())
        return {name: replace(part, n_sets=n_tested) for name, part in found.items()}

    def group_rows(self) -> list[GroupRow]:
        """The mean of every system on every group."""
        found = []
        for group, part in self.parts().items():
            n = len(part.questions)
            for place, system in enumerate(part.systems):
                low, high = part.interval(place) if n > 1 else (math.nan, math.nan)
                row = row_from(
                    GroupRow,
                    vars(part),
                    question_set=self.unit_set,
                    group=group,
                    model=system,
                    value=float(part.scores[place].mean()),
                    low=low,
                    high=high,
                    level=self.settings.level,
                    n_questions=n,
                )
                found.append(row)
        return found

    def group_differences(self) -> list[GroupDifference]:
        """Every two systems on every group, adjusted for all of these tests together."""
        rows = [
            row_from(GroupDifference, vars(row), question_set=self.unit_set, group=group)
            for group, part in self.parts().items()
            for row in part.differences()
        ]
        adjusted = holm([row.p for row in rows])
        flipped = holm([row.p_sign_flip for row in rows])
        return [
            replace(row, p_holm=p, p_sign_flip_holm=p_flip)
            for row, p, p_flip in zip(rows, adjusted, flipped, strict=True)
        ]

    def seed_rows(self, families: Mapping[str, Mapping[str, str]]) -> list[SeedRow]:
        """The mean of each family over its seeds; its differences from systems without seeds and earlier families."""
        if len(self.questions) < 2:
            return []
        place = {system: row for row, system in enumerate(self.systems)}
        there = {
            name: {seed: place[one] for seed, one in ones.items() if one in place}
            for name, ones in families.items()
        }
        names = sorted(filter(there.get, there), key=lambda name: min(there[name].values()))
        seeded = {row for rows in there.values() for row in rows.values()}
        found: list[SeedRow] = []
        for number, name in enumerate(names):
            own = {seed: self.scores[row] for seed, row in there[name].items()}
            others: dict[str, dict[str, np.ndarray]] = {
                "": dict.fromkeys(own, np.zeros(len(self.questions))),
                **{
                    one: dict.fromkeys(own, self.scores[row])
                    for one, row in place.items()
                    if row not in seeded
                },
                **{
                    other: {seed: self.scores[row] for seed, row in there[other].items()}
                    for other in names[:number]
                },
            }
            found += [
                self._seed_row(name, other, np.stack([own[seed] - theirs[seed] for seed in seeds], axis=1))
                for other, theirs in others.items()
                if len(seeds := [seed for seed in own if seed in theirs]) > 1
            ]
        return found

    def _seed_row(self, family: str, other: str, values: np.ndarray) -> SeedRow:
        """Of (n, n_s) values, or differences from those of another one."""
        split = seed_variance(values)
        return row_from(
            SeedRow,
            {**vars(self), **split.facts(self.settings.level, "questions")},
            family=family,
            other=other,
            p=split.p() if other else math.nan,
            spread_of_seeds=float(values.mean(axis=0).std(ddof=1)),
        )
