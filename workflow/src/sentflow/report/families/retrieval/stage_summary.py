"""Means of retrievers and tests between them → rows of the stages of a chain."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sentflow.compare.question_rows import QuestionDifference, SeedRow
from sentflow.files.rows import row_from
from sentflow.report.families.retrieval.rows import RetrievalRow, StageRow
from sentflow.report.rows import grouped, unique
from sentflow.report.settings import StageSummary
from sentflow.stats.multiplicity import holm

_NONE = {
    f"{kind}{end}": 0 if end == "_seeds" else math.nan
    for kind in ("before", "reference")
    for end in ("", "_low", "_high", "_p", "_seeds")
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
    means = grouped([row for row in rows if not row.group], "questions", "measure")
    of_seeds, tests = grouped(seeds, "unit_set", "measure"), grouped(differences, "unit_set", "measure")
    return [
        row
        for name in unique(row.questions for row in rows if not row.group)
        for measure in settings.measures
        for row in _Known(
            {row.retriever: row for row in means.get((name, measure), [])},
            {(row.family, row.other): row for row in of_seeds.get((name, measure), [])},
            {(row.model_a, row.model_b): row for row in tests.get((name, measure), [])},
            settings,
        ).rows()
    ]


@dataclass(frozen=True)
class _Known:
    """What is known of one question set by one measure."""

    means: Mapping[str, RetrievalRow]
    seeds: Mapping[tuple[str, str], SeedRow]
    differences: Mapping[tuple[str, str], QuestionDifference]
    settings: StageSummary

    def rows(self) -> Iterator[StageRow]:
        """The reference, then of each series the stages, each followed by its single seeds."""
        reference = self.settings.reference
        if reference in self.means:
            series = self.means[reference].retriever_title
            yield self._row(reference, stage="", place=0, series=series, line=-1)
        is_main = any(row.is_main for row in self.means.values())
        tested = self._tested() if is_main else {}
        for line, series in enumerate(self.settings.series):
            for place, stage in enumerate(self.settings.stages, 1):
                name = stage.retrievers[line]
                if (name, "") not in self.seeds and self._alone(name) not in self.means:
                    continue
                about: dict[str, Any] = {"stage": stage.title, "place": place, "series": series, "line": line}
                yield self._row(name, **about, **tested.get((line, place), {}))
                members = self.settings.families.get(name, {})
                for seed, one in members.items() if len(members) > 1 else []:
                    yield self._row(one, seed=seed, **about)

    def _tested(self) -> dict[tuple[int, int], dict[str, Any]]:
        """Line and place → the differences of a stage; p adjusted over those of all stages."""
        tests: list[tuple[tuple[int, int], str, dict[str, Any]]] = []
        for line in range(len(self.settings.series)):
            chain = [stage.retrievers[line] for stage in self.settings.stages]
            pairs = [
                ("reference", place, name, self.settings.reference) for place, name in enumerate(chain, 1)
            ]
            befores = zip(chain, chain[1:], strict=False)
            pairs += [("before", place, name, before) for place, (before, name) in enumerate(befores, 2)]
            for kind, place, name, other in pairs:
                if difference := self._stated(name, other, 1) or self._stated(other, name, -1):
                    tests.append(((line, place), kind, difference))
        adjusted = iter(holm([one["_p"] for *_, one in tests if not math.isnan(one["_p"])]))
        found: dict[tuple[int, int], dict[str, Any]] = {}
        for place_of, kind, one in tests:
            p = math.nan if math.isnan(one["_p"]) else next(adjusted)
            named = {f"{kind}{end}": value for end, value in {**one, "_p": p}.items()}
            found.setdefault(place_of, {}).update(named)
        return found

    def _stated(self, a: str, b: str, sign: int) -> dict[str, Any] | None:
        """The difference of what two names stand for, with its sign; None where nothing is known of it.

        Of seeds, or with 0 seeds for new questions alone.
        """
        of_seeds = self.seeds.get((a, self._alone(b)))
        single = self.differences.get((self._alone(a), self._alone(b)))
        row = of_seeds or single
        if row is None:
            return None
        value = of_seeds.value if of_seeds else row.difference  # type: ignore[union-attr]
        low, high = (row.low, row.high) if sign > 0 else (-row.high, -row.low)
        n_seeds = of_seeds.n_seeds if of_seeds else 0
        return {"": sign * value, "_low": low, "_high": high, "_p": row.p, "_seeds": n_seeds}

    def _alone(self, name: str) -> str:
        """The retriever of a name that has one seed alone; else the name."""
        members = self.settings.families.get(name, {})
        return next(iter(members.values())) if len(members) == 1 else name

    def _row(self, name: str, *, seed: str = "", **about: Any) -> StageRow:
        """A row of a family, or of a retriever; a single seed of several has no interval."""
        family = self.seeds.get((name, ""))
        mean = self.means[next(iter(self.settings.families[name].values())) if family else self._alone(name)]
        stated = family or mean
        return row_from(
            StageRow,
            {**_NONE, **vars(mean), **about},
            retriever=name,
            seed=seed,
            value=stated.value,
            low=math.nan if seed else stated.low,
            high=math.nan if seed else stated.high,
            n_seeds=family.n_seeds if family else int(bool(seed) or name in self.settings.families),
        )
