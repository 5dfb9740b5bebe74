"""Means of retrievers and tests between them → rows of the stages of a chain."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from sentflow.compare.question_rows import QuestionDifference, SeedRow
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.families.retrieval.stage_rows import StageRow
from sentflow.report.rows import unique
from sentflow.report.settings import StageSummary
from sentflow.stats.multiplicity import holm


@dataclass(frozen=True)
class _Difference:
    """Between two retrievers or families; of how many seeds, 0 where it is for new questions alone."""

    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    seeds: int = 0

    def reversed(self) -> "_Difference":
        return replace(self, value=-self.value, low=-self.high, high=-self.low)

    def named(self, name: str) -> dict[str, Any]:
        """As fields of a row."""
        return {
            name: self.value,
            f"{name}_low": self.low,
            f"{name}_high": self.high,
            f"{name}_p": self.p,
            f"{name}_seeds": self.seeds,
        }


def stage_rows(
    rows: Sequence[RetrievalRow],
    seeds: Sequence[SeedRow],
    differences: Sequence[QuestionDifference],
    settings: StageSummary,
) -> list[StageRow]:
    """The stages on every question set, by every measure: the reference, then series after series.

    What was not measured has no row.
    """
    whole = [row for row in rows if not row.group]
    return [
        row
        for name in unique(row.questions for row in whole)
        for measure in settings.measures
        for row in _Found(
            {row.retriever: row for row in whole if (row.questions, row.measure) == (name, measure)},
            {(row.family, row.other): row for row in seeds if (row.unit_set, row.measure) == (name, measure)},
            {
                (row.model_a, row.model_b): row
                for row in differences
                if (row.unit_set, row.measure) == (name, measure)
            },
            settings,
        ).rows()
    ]


@dataclass(frozen=True)
class _Found:
    """What is known of one question set by one measure."""

    means: Mapping[str, RetrievalRow]
    seeds: Mapping[tuple[str, str], SeedRow]
    differences: Mapping[tuple[str, str], QuestionDifference]
    settings: StageSummary

    def rows(self) -> Iterator[StageRow]:
        """The reference, then of each series the stages, each followed by its single seeds."""
        reference = self.settings.reference
        if reference in self.means:
            yield self._row(reference, series=self.means[reference].retriever_title, line=-1)
        is_main = any(row.is_main for row in self.means.values())
        tested = self._tested(reference) if is_main else {}
        for line, series in enumerate(self.settings.series):
            for place, stage in enumerate(self.settings.stages, 1):
                name = stage.retrievers[line]
                if not self._there(name):
                    continue
                about: dict[str, Any] = {
                    "stage": stage.title,
                    "place": place,
                    "series": series,
                    "line": line,
                }
                yield self._row(name, **about, **tested.get((line, place), {}))
                if self._is_family(name):
                    for seed, one in self.settings.families[name].items():
                        yield self._row(one, seed=seed, **about)

    def _tested(self, reference: str) -> dict[tuple[int, int], dict[str, Any]]:
        """Line and place → the differences of a stage; p adjusted over those of all stages."""
        found: dict[tuple[int, int, str], _Difference] = {}
        for line in range(len(self.settings.series)):
            chain = [stage.retrievers[line] for stage in self.settings.stages]
            pairs = [(place, "reference", name, reference) for place, name in enumerate(chain, 1)]
            pairs += [
                (place, "before", name, before) for place, (before, name) in enumerate(pairwise(chain), 2)
            ]
            for place, kind, name, other in pairs:
                if difference := self._difference(name, other):
                    found[line, place, kind] = difference
        tested_p = [one.p for one in found.values() if not math.isnan(one.p)]
        of_tests = iter(holm(tested_p))
        adjusted = [math.nan if math.isnan(one.p) else next(of_tests) for one in found.values()]
        tested: dict[tuple[int, int], dict[str, Any]] = {}
        for ((line, place, kind), one), p in zip(found.items(), adjusted, strict=True):
            tested.setdefault((line, place), {}).update(replace(one, p=p).named(kind))
        return tested

    def _difference(self, a: str, b: str) -> _Difference | None:
        """Between what two names stand for; None where nothing is known of it."""
        if found := self._stated(a, b):
            return found
        found = self._stated(b, a)
        return found.reversed() if found else None

    def _stated(self, a: str, b: str) -> _Difference | None:
        if of_seeds := self.seeds.get((a, self._alone(b))):
            return _Difference(of_seeds.value, of_seeds.low, of_seeds.high, of_seeds.p, of_seeds.n_seeds)
        single = self.differences.get((self._alone(a), self._alone(b)))
        return _Difference(single.difference, single.low, single.high, single.p) if single else None

    def _is_family(self, name: str) -> bool:
        return len(self.settings.families.get(name, ())) > 1

    def _alone(self, name: str) -> str:
        """The retriever of a name that has one seed alone; else the name."""
        members = self.settings.families.get(name, {})
        return next(iter(members.values())) if len(members) == 1 else name

    def _there(self, name: str) -> bool:
        return (name, "") in self.seeds or self._alone(name) in self.means

    def _row(
        self,
        name: str,
        *,
        series: str,
        line: int,
        stage: str = "",
        place: int = 0,
        seed: str = "",
        **tested: Any,
    ) -> StageRow:
        family = self.seeds.get((name, ""))
        member = next(iter(self.settings.families[name].values())) if family else self._alone(name)
        about = self.means[member]
        stated = family or about
        return StageRow(
            questions=about.questions,
            questions_title=about.questions_title,
            measure=about.measure,
            is_main=about.is_main,
            stage=stage,
            place=place,
            series=series,
            line=line,
            retriever=name,
            seed=seed,
            value=stated.value,
            low=math.nan if seed else stated.low,
            high=math.nan if seed else stated.high,
            level=about.level,
            n_questions=about.n_questions,
            n_seeds=family.n_seeds if family else int(bool(seed) or name in self.settings.families),
            **{**_Difference().named("before"), **_Difference().named("reference"), **tested},
            data_version=about.data_version,
        )
