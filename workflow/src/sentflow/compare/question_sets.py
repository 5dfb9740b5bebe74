"""Everything that is said of systems on one question set: for new questions, new documents, groups, new seeds."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sentflow.compare.differences import all_differences
from sentflow.compare.question_rows import (
    ClusterRow,
    DocumentDifference,
    GroupDifference,
    GroupRow,
    QuestionDifference,
    SeedRow,
)
from sentflow.compare.questions import QuestionScores, QuestionSettings
from sentflow.files.rows import row_from
from sentflow.stats.effective import effective_clusters
from sentflow.stats.means import ClusteredScores
from sentflow.stats.multiplicity import holm
from sentflow.stats.paired import ClusteredT
from sentflow.stats.seed_variance import seed_variance

LEAST_CLUSTERS = 8  # effective ones, below which nothing is said of new documents (docs/statistics.md)


@dataclass(frozen=True)
class QuestionSet:
    """The values of all systems on the questions of a set."""

    # name, measure: of the set, and what its questions were scored by
    name: str
    measure: str
    systems: Sequence[str]  # m names
    # questions, groups: n names, and the group of each, empty for none
    questions: Sequence[str]
    groups: Sequence[str]
    clusters: Sequence[str | None] | None
    values: np.ndarray  # (m, n) float64
    settings: QuestionSettings  # of tests and intervals
    n_sets: int = 1

    @property
    def comparable(self) -> bool:
        """Whether there are two systems and two questions."""
        return all(size > 1 for size in self.values.shape)

    def differences(self) -> list[QuestionDifference]:
        """Every two systems, for new questions on the same documents."""
        return all_differences(self._scores(None)) if self.comparable else []

    def document_differences(self) -> list[DocumentDifference]:
        """Every two systems, for new documents; nothing without enough clusters."""
        if not self.comparable or not self.has_clusters:
            return []
        return [
            row_from(DocumentDifference, vars(row)) for row in all_differences(self._scores(self.clusters))
        ]

    def cluster_rows(self) -> list[ClusterRow]:
        """The mean of every system for new documents; nothing where there are no clusters."""
        if self.clusters is None:
            return []
        sizes, unit = self._clusters
        rows = []
        for system, values in zip(self.systems, self.values, strict=True):
            low, high = math.nan, math.nan
            if self.has_clusters:
                low, high = ClusteredT(values, unit).interval(self.settings.level)
            row = ClusterRow(
                unit_set=self.name,
                measure=self.measure,
                model=system,
                value=float(values.mean()),
                low=low,
                high=high,
                level=self.settings.level,
                n_questions=len(values),
                n_clusters=len(sizes),
                effective_clusters=effective_clusters(sizes),
                largest_cluster=float(sizes.max() / sizes.sum()),
            )
            rows.append(row)
        return rows

    def parts(self) -> "list[tuple[str, QuestionSet]]":
        """Group → its questions; nothing where there is one group or none."""
        names = [name for name in dict.fromkeys(self.groups) if name]
        groups = np.array(self.groups)
        if len(names) < 2:
            return []
        found = [(name, self._part(name, np.flatnonzero(groups == name))) for name in names]
        n_tested = sum(part.comparable for _, part in found)
        return [(name, replace(part, n_sets=n_tested)) for name, part in found]

    def group_rows(self) -> list[GroupRow]:
        """The mean of every system on every group."""
        found = []
        for group, part in self.parts():
            several = part.values.shape[1] > 1
            scores = part._scores(None) if several else None
            for place, system in enumerate(part.systems):
                interval = scores.interval(place) if scores else None
                row = GroupRow(
                    question_set=self.name,
                    group=group,
                    unit_set=part.name,
                    measure=self.measure,
                    model=system,
                    value=float(part.values[place].mean()),
                    low=interval.low if interval else math.nan,
                    high=interval.high if interval else math.nan,
                    level=self.settings.level,
                    n_questions=part.values.shape[1],
                )
                found.append(row)
        return found

    def group_differences(self) -> list[GroupDifference]:
        """Every two systems on every group, adjusted for all of these tests together."""
        rows = [
            row_from(GroupDifference, vars(row), question_set=self.name, group=group)
            for group, part in self.parts()
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
        place = {system: row for row, system in enumerate(self.systems)}
        there = {
            name: {seed: place[one] for seed, one in ones.items() if one in place}
            for name, ones in families.items()
        }
        in_order = sorted(filter(there.get, there), key=lambda name: min(there[name].values()))
        within = {name: {seed: self.values[row] for seed, row in there[name].items()} for name in in_order}
        seeded = {one for ones in families.values() for one in ones.values()}
        alone = {one: self.values[row] for one, row in place.items() if one not in seeded}
        if len(self.questions) < 2:
            return []
        found: list[SeedRow] = []
        for number, (name, own) in enumerate(within.items()):
            before = dict(list(within.items())[:number])
            others: dict[str, Mapping[str, np.ndarray]] = {
                "": dict.fromkeys(own, np.zeros(len(self.questions))),
                **{other: dict.fromkeys(own, values) for other, values in alone.items()},
                **before,
            }
            found += [
                self._seed_row(name, other, np.stack([own[seed] - theirs[seed] for seed in seeds], axis=1))
                for other, theirs in others.items()
                if len(seeds := [seed for seed in own if seed in theirs]) > 1
            ]
        return found

    @property
    def has_clusters(self) -> bool:
        """Whether anything can be said of new documents."""
        return self.clusters is not None and effective_clusters(self._clusters[0]) >= LEAST_CLUSTERS

    @property
    def _clusters(self) -> tuple[np.ndarray, np.ndarray]:
        """Sizes of clusters, and the cluster of each question."""
        units = ClusteredScores.of(self.values, self.clusters)
        return units.sizes, units.unit

    def _seed_row(self, family: str, other: str, values: np.ndarray) -> SeedRow:
        """Of (n, n_s) values, or differences from those of another one."""
        split = seed_variance(values)
        low, high = split.interval(self.settings.level)
        total = split.variance or math.nan
        return SeedRow(
            unit_set=self.name,
            measure=self.measure,
            family=family,
            other=other,
            value=split.mean,
            low=low,
            high=high,
            level=self.settings.level,
            p=split.p() if other else math.nan,
            n_questions=split.n_questions,
            n_seeds=split.n_seeds,
            spread_of_seeds=float(values.mean(axis=0).std(ddof=1)),
            share_of_questions=split.from_questions / total,
            share_of_seeds=split.from_seeds / total,
            more=split.more,
            seeds_unseen="seeds" in split.negative,
        )

    def _part(self, group: str, rows: np.ndarray) -> "QuestionSet":
        return replace(
            self,
            name=f"{self.name}/{group}",
            questions=[self.questions[row] for row in rows],
            groups=[group] * len(rows),
            clusters=None,
            values=self.values[:, rows],
        )

    def _scores(self, clusters: Sequence[str | None] | None) -> QuestionScores:
        names = (self.name, self.measure, self.systems, self.questions)
        return QuestionScores(*names, self.values, self.settings, clusters, self.n_sets)
